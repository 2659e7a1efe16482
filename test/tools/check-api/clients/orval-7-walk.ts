// orval 7 with its fetch client: lists are repeated parameters. It parses each response as JSON, so a file needs fetch.
import * as api from './generated/api.ts';
import { bearer, fetchFrom, madeUpAddress, shortWalk } from './short-walk.ts';
import type { Surroundings } from './surroundings.ts';

export async function walk(surroundings: Surroundings): Promise<void> {
  fetchFrom(surroundings);
  const json = { 'Content-Type': 'application/json' };
  const as = (token: string) => ({ headers: { ...json, ...bearer(token) } });
  await shortWalk(
    {
      signIn: async (body) => ((await api.createSession(body)).data as api.Tokens).accessToken,
      createCustomer: async (token, body) => (await api.createCustomer(body, as(token))).data as api.Customer,
      createOrder: async (token, body) => (await api.createOrder(body, as(token))).data as api.Order,
      pay: (token, id) => api.updateOrder(id, { status: 'paid' }, as(token)),
      listOrders: async (token, status) =>
        (await api.listOrders({ status }, as(token))).data as api.OrderPage,
      async ordersFile(token) {
        const headers = { ...bearer(token), Accept: 'text/csv' };
        return (
          await fetch(`${madeUpAddress}${api.getListOrdersUrl().replace(madeUpAddress, '')}`, { headers })
        ).text();
      },
    },
    surroundings,
  );
}
