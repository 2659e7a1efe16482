// kubb 4 with its fetch client: it sends no Content-Type of its own, and reads no files.
import { setConfig } from './generated/.kubb/fetch.ts';
import { createCustomer, createOrder, createSession, listOrders, updateOrder } from './generated/index.ts';
import { bearer, fetchFrom, madeUpAddress, shortWalk } from './short-walk.ts';
import type { Surroundings } from './surroundings.ts';

export async function walk(surroundings: Surroundings): Promise<void> {
  fetchFrom(surroundings);
  setConfig({ baseURL: madeUpAddress, headers: { 'Content-Type': 'application/json' } });
  const as = (token: string) => ({ headers: bearer(token) });
  await shortWalk(
    {
      signIn: async (body) => (await createSession(body)).accessToken,
      createCustomer: (token, body) => createCustomer(body, {}, as(token)),
      createOrder: (token, body) => createOrder(body, {}, as(token)),
      pay: (token, id) => updateOrder(id, { status: 'paid' }, {}, as(token)),
      listOrders: (token, status) => listOrders({ status }, {}, as(token)),
      async ordersFile(token) {
        const headers = { ...bearer(token), Accept: 'text/csv' };
        return (await fetch(`${madeUpAddress}/orders`, { headers })).text();
      },
    },
    surroundings,
  );
}
