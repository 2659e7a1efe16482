// GET /sales/items: what sold best.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currencies } from '../../../src/schema/iso-codes.ts';
import { serviceFor } from '../../support/service.ts';
import { assertIssues, newCustomer, newOrder } from '../../support/resource-support.ts';

const tea = { sku: 'TEA-250', name: 'Green tea', quantity: 2, unitPrice: 749 };
const cup = { name: 'Cup', quantity: 1, unitPrice: 650 };

test('the items that sold best are added up by SKU, or by name without one', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person('staff');
  const { customerId } = await newOrder(service, token, { items: [tea, cup, { ...tea, quantity: 1 }] });
  await newOrder(service, token, {
    customerId,
    items: [{ ...tea, sku: 'tea-250', name: 'Tea, green' }, cup],
  });
  const cancelled = await newOrder(service, token, { customerId, items: [cup] });
  await service.patch(`/orders/${cancelled.id}`, { token, body: { status: 'cancelled' } });
  await newOrder(service, token, { customerId, items: [cup], currency: 'JPY' });
  service.clock.advance(1_000);
  const before = new Date(service.clock.now).toISOString();
  const { status, body, text } = await service.get('/sales/items', { token });
  assert.equal(status, 200, text);
  assert.deepEqual(body, {
    from: new Date(Date.parse(before) - 30 * 86_400_000).toISOString(),
    before,
    completeFrom: null,
    items: [
      { currency: 'EUR', sku: 'tea-250', name: 'Tea, green', orders: 2, quantity: 5, total: 3745 },
      { currency: 'EUR', sku: null, name: 'Cup', orders: 2, quantity: 2, total: 1300 },
      { currency: 'JPY', sku: null, name: 'Cup', orders: 1, quantity: 1, total: 650 },
    ],
  });
});

test('items of orders outside the time don’t count among those sold', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person('staff');
  await newOrder(service, token, { items: [cup] }); // 09:30 UTC
  const soldIn = async (from: string, before: string): Promise<number> => {
    const range = `from=2026-03-01T${from}Z&before=2026-03-01T${before}Z`;
    const { body } = await service.get(`/sales/items?${range}`, { token });
    return body.items.length;
  };
  assert.equal(await soldIn('08:30:00', '09:30:00'), 0);
  assert.equal(await soldIn('09:30:00', '10:30:00'), 1);
});

test('sums of items beyond 2^53−1 are null, and the highest come first', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person('staff');
  const dear = { name: 'Palace', quantity: 9_000, unitPrice: 1_000_000_000_000 };
  const { customerId } = await newOrder(service, token, { items: [cup, dear] });
  await newOrder(service, token, { customerId, items: [dear] });
  service.clock.advance(1_000);
  const { body } = await service.get('/sales/items', { token });
  const totals = body.items.map(({ name, total }: { name: string; total: unknown }) => [name, total]);
  assert.deepEqual(totals, [
    ['Palace', null],
    ['Cup', 650],
  ]);
});

test('the best of each currency are shown, however many currencies there are', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person('staff');
  const { token: user } = await service.person();
  const { id: customerId } = await newCustomer(service, user);
  const [...used] = [...currencies].sort().slice(0, 40);
  const many = Array.from({ length: 100 }, (_, index) => ({
    ...cup,
    name: `Cup ${index}`,
    quantity: 1 + index,
  }));
  for (const currency of used) await newOrder(service, user, { customerId, currency, items: many });
  service.clock.advance(1_000);
  const { body } = await service.get('/sales/items', { token });
  const shown = Map.groupBy(body.items as { currency: string; name: string }[], ({ currency }) => currency);
  assert.deepEqual([...shown.keys()], used);
  for (const [currency, of] of shown)
    assert.deepEqual(
      of.map(({ name }) => name),
      Array.from({ length: 2_000 / used.length }, (_, index) => `Cup ${99 - index}`),
      currency,
    );
});

test('what sold best needs a time that ends after it begins', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person('staff');
  const range = 'from=2026-02-01T00:00:00Z&before=2026-01-01T00:00:00Z';
  assertIssues(await service.get(`/sales/items?${range}`, { token }), 422, ['before range']);
});
