// What the lines of a new order are completed from, over a real service.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { admin, serviceFor } from '../support/service.ts';

// the module is imported by a computed URL, without its types: those are of browsers
type Client = { get(path: string): Promise<unknown> };
type Priced = { readonly unitPrice: number };
type Known = {
  loadSold(): Promise<void>;
  withCode(code: string): Promise<Priced | undefined>;
  find(words: string, signal: AbortSignal): Promise<Readonly<Record<'products' | 'sold', readonly Priced[]>>>;
};
const { articlesOf }: { articlesOf: (client: Client) => Known } = await import(
  new URL('../../src/console/products/articles.ts', import.meta.url).href
);

/** A guest has placed an order at a price of their own. */
async function openShop(t: TestContext) {
  const service = await serviceFor(t);
  const { token } = await service.signIn(admin.email, admin.password);
  const { token: guest } = await service.person('user', 'Guest');
  const { body: customer } = await service.post('/customers', { token: guest, body: { name: 'Guest' } });
  const items = [{ sku: 'TEA-250', name: 'Green tea', quantity: 1, unitPrice: 1 }];
  const body = { customerId: customer.id, currency: 'EUR', items };
  const { body: order } = await service.post('/orders', { token: guest, body });
  const markPaid = () => service.patch(`/orders/${order.id}`, { token, body: { status: 'paid' } });
  const articles = articlesOf({ get: async (path) => (await service.get(path, { token })).body });
  const knownPrices = async (): Promise<number[]> => {
    await articles.loadSold();
    const { products, sold } = await articles.find('tea', new AbortController().signal);
    return [...products, ...sold].map(({ unitPrice }) => unitPrice);
  };
  return { service, token, articles, markPaid, knownPrices };
}

test('a price of a customer’s own order is not suggested until the order is paid', async (t) => {
  const { markPaid, knownPrices } = await openShop(t);
  assert.deepEqual(await knownPrices(), []);
  await markPaid();
  assert.deepEqual(await knownPrices(), [1]);
});

test('a product is suggested in place of what was sold with its SKU', async (t) => {
  const { service, token, markPaid, knownPrices } = await openShop(t);
  await markPaid();
  const product = { sku: 'Tea-250', name: 'Green tea, 250 g', unitPrice: 749, currency: 'EUR' };
  await service.post('/products', { token, body: product });
  assert.deepEqual(await knownPrices(), [749]);
});

test('a product is found by the number that another scanner or list has for it', async (t) => {
  const { service, token, articles } = await openShop(t);
  for (const [scanned, barcode] of [
    ['04904403', '049000000443'],
    ['9783161484100', '316148410X'],
  ] as const) {
    const product = { sku: barcode, name: 'Article', unitPrice: barcode.length, currency: 'EUR', barcode };
    await service.post('/products', { token, body: product });
    assert.equal((await articles.withCode(scanned))?.unitPrice, barcode.length);
  }
});
