// A clock that jumps: times stay in order, and everything that was valid stays valid.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checked } from '../support/command-support.ts';
import { serviceFor } from '../support/service.ts';
import { items, placer } from './fault-orders.ts';

test('a clock that jumps back keeps times in order, and everything still works', async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-default': '50/60' } });
  if (service.inside === undefined) return t.skip('needs the clock');
  const shop = await placer(service);
  const before = await shop.place('before');
  const keyed = {
    token: shop.staff.token,
    headers: { 'idempotency-key': 'before' },
    body: { customerId: shop.customerId, currency: 'EUR', items },
  };
  const first = await service.post('/orders', keyed);
  service.clock.advance(-3 * 3_600_000);
  const { token } = await service.signIn(shop.staff.email, shop.staff.password);
  const again = await service.post('/orders', { ...keyed, token });
  assert.deepEqual([again.headers['idempotency-replayed'], again.text], ['true', first.text]);
  const paid = await service.patch(`/orders/${before.body.id}`, { token, body: { status: 'paid' } });
  assert.equal(paid.status, 200);
  assert(paid.body.updatedAt >= paid.body.createdAt, 'a change is not before the creation');
  assert.notEqual(paid.headers.etag, before.headers.etag);
  const during = await service.post('/orders', {
    token,
    body: { customerId: shop.customerId, currency: 'EUR', items, note: 'during' },
  });
  assert(during.body.createdAt < before.body.createdAt);
  const { data } = (await service.get('/orders?sort=createdAt&limit=200', { token })).body;
  assert.deepEqual(
    data.map(({ id }: { id: number }) => id),
    [during.body.id, before.body.id, first.body.id],
  );
  const limited = await service.get('/orders', { token });
  assert.equal(limited.status, 200);
  service.clock.advance(3 * 3_600_000);
  assert.equal(
    (await service.get('/orders', { token: shop.staff.token })).status,
    200,
    'a token from before the jump',
  );
  await service.stop();
  await checked(service.folder, 0);
});
