// openapi-fetch, with the types that openapi-typescript generates from the document.
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/document.ts';
import { bearer, shortWalk } from './short-walk.ts';
import { need, type Surroundings } from './surroundings.ts';

type OrderPage = components['schemas']['OrderPage'];

export async function walk(surroundings: Surroundings): Promise<void> {
  const { baseUrl, fetch } = surroundings;
  const api = createClient<paths, 'application/json' | 'application/problem+json'>({ baseUrl, fetch });
  const as = (token: string) => ({ headers: bearer(token) });
  await shortWalk(
    {
      signIn: async (body) => need(await api.POST('/api/sessions', { body })).accessToken,
      createCustomer: async (token, body) => need(await api.POST('/customers', { body, ...as(token) })),
      createOrder: async (token, body) => need(await api.POST('/orders', { body, ...as(token) })),
      async pay(token, id) {
        const body = { status: 'paid' } as const;
        return need(await api.PATCH('/orders/{id}', { params: { path: { id } }, body, ...as(token) }));
      },
      async listOrders(token, status): Promise<OrderPage> {
        return need(await api.GET('/orders', { params: { query: { status } }, ...as(token) }));
      },
      async ordersFile(token) {
        const headers = { ...bearer(token), Accept: 'text/csv' };
        return need(await api.GET('/orders', { parseAs: 'text', headers }));
      },
    },
    surroundings,
  );
}
