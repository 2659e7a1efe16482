// A sign-in, an order, a list by two statuses and a file: what a client of any generator has to get through.
import assert from 'node:assert/strict';
import { sent, type Surroundings } from './surroundings.ts';

type Identified = { readonly id: number };

/** The calls of the walk, as a generated client makes them. */
export type ShortClient = {
  /** Returns the access token. */
  signIn(body: Surroundings['admin']): Promise<string>;
  createCustomer(token: string, body: typeof sent.customer): Promise<Identified>;
  createOrder(token: string, body: typeof sent.sugar & { customerId: number }): Promise<Identified>;
  pay(token: string, id: number): Promise<unknown>;
  listOrders(token: string, status: ('open' | 'paid')[]): Promise<{ readonly data: readonly Identified[] }>;
  /** Returns the text of the list of orders as CSV. */
  ordersFile(token: string): Promise<string>;
};

export async function shortWalk(client: ShortClient, { admin }: Surroundings): Promise<void> {
  const token = await client.signIn(admin);
  const customer = await client.createCustomer(token, sent.customer);
  const body = { ...sent.sugar, customerId: customer.id };
  const paid = await client.createOrder(token, body);
  await client.pay(token, paid.id);
  const open = await client.createOrder(token, body);
  const { data } = await client.listOrders(token, ['open', 'paid']);
  assert.deepEqual(
    data.map(({ id }) => id),
    [open.id, paid.id],
  );
  const lines = (await client.ordersFile(token)).split('\r\n');
  assert.equal(lines.filter((line) => /^\d+,(open|paid),/.test(line)).length, 2);
}

export function bearer(token: string): { readonly Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}

/** For generated code that has no setting of the address: it was generated for this one. */
export const madeUpAddress = 'http://orderly.invalid';

export function fetchFrom({ baseUrl, fetch }: Surroundings): void {
  globalThis.fetch = (url, init) => fetch(String(url).replace(madeUpAddress, baseUrl), init);
}
