// orval 8 with its fetch client: where a file is among the responses, it returns the response itself as `stream`.
import * as api from './generated/api.ts';
import { bearer, fetchFrom, shortWalk } from './short-walk.ts';
import type { Surroundings } from './surroundings.ts';

export async function walk(surroundings: Surroundings): Promise<void> {
  fetchFrom(surroundings);
  const as = (token: string) => ({ headers: bearer(token) });
  const streamOf = (result: unknown) => (result as { readonly stream: Response }).stream;
  await shortWalk(
    {
      signIn: async (body) => ((await api.createSession(body)).data as api.Tokens).accessToken,
      createCustomer: async (token, body) => (await api.createCustomer(body, as(token))).data as api.Customer,
      createOrder: async (token, body) => (await api.createOrder(body, as(token))).data as api.Order,
      pay: (token, id) => api.updateOrder(id, { status: 'paid' }, as(token)),
      async listOrders(token, status) {
        return (await streamOf(await api.listOrders({ status }, as(token))).json()) as api.OrderPage;
      },
      async ordersFile(token) {
        const headers = { ...bearer(token), Accept: 'text/csv' };
        return streamOf(await api.listOrders({}, { headers })).text();
      },
    },
    surroundings,
  );
}
