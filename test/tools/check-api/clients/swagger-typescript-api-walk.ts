// swagger-typescript-api: lists are repeated parameters; the file is asked for as text.
import { Api } from './generated/api.ts';
import { bearer, shortWalk } from './short-walk.ts';
import type { Surroundings } from './surroundings.ts';

export async function walk(surroundings: Surroundings): Promise<void> {
  const { baseUrl, fetch: customFetch } = surroundings;
  const { api, customers, orders } = new Api({ baseUrl, customFetch });
  const as = (token: string) => ({ headers: bearer(token) });
  await shortWalk(
    {
      signIn: async (body) => (await api.createSession(body)).data.accessToken,
      createCustomer: async (token, body) => (await customers.createCustomer(body, as(token))).data,
      createOrder: async (token, body) => (await orders.createOrder(body, as(token))).data,
      pay: (token, id) => orders.updateOrder(id, { status: 'paid' }, as(token)),
      listOrders: async (token, status) => (await orders.listOrders({ status }, as(token))).data,
      async ordersFile(token) {
        const headers = { ...bearer(token), Accept: 'text/csv' };
        return (await orders.listOrders({}, { format: 'text', headers })).data as unknown as string;
      },
    },
    surroundings,
  );
}
