// oazapfts: works unchanged; the data of a file is its text.
import * as api from './generated/api.ts';
import { bearer, shortWalk } from './short-walk.ts';
import type { Surroundings } from './surroundings.ts';

export async function walk(surroundings: Surroundings): Promise<void> {
  Object.assign(api.defaults, { baseUrl: surroundings.baseUrl, fetch: surroundings.fetch });
  const as = (token: string) => ({ headers: bearer(token) });
  const data = <T>(response: object) => (response as { readonly data: T }).data;
  await shortWalk(
    {
      signIn: async (body) => data<api.Tokens>(await api.createSession(body)).accessToken,
      createCustomer: async (token, body) => data(await api.createCustomer(body, {}, as(token))),
      createOrder: async (token, body) => data(await api.createOrder(body, {}, as(token))),
      pay: (token, id) => api.updateOrder(id, { status: 'paid' }, {}, as(token)),
      listOrders: async (token, status) => data(await api.listOrders({ status }, as(token))),
      async ordersFile(token) {
        return data(await api.listOrders({}, { headers: { ...bearer(token), Accept: 'text/csv' } }));
      },
    },
    surroundings,
  );
}
