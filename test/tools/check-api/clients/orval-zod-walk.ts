// Responses of the service, and one of the future, checked by the schemas that orval makes for zod.
import assert from 'node:assert/strict';
import * as schemas from './generated/api.ts';
import { bearer } from './short-walk.ts';
import { sent, type Surroundings } from './surroundings.ts';

type Checked = { readonly success: boolean; readonly error?: unknown };
type Schema = { safeParse(value: unknown): Checked };

/** The paths whose responses are checked, and the names of their schemas. */
const reads = [
  ['/orders', schemas.ListOrdersResponse],
  ['/customers', schemas.ListCustomersResponse],
  ['/products', schemas.ListProductsResponse],
  ['/api/users', schemas.ListUsersResponse],
  ['/api/keys', schemas.ListKeysResponse],
  ['/webhooks', schemas.ListWebhooksResponse],
  ['/shop', schemas.GetShopResponse],
  ['/events', schemas.ListEventsResponse],
] as const;

export async function walk({ baseUrl, fetch, admin }: Surroundings): Promise<void> {
  const call = async (
    method: string,
    path: string,
    body?: object,
    headers: object = {},
  ): Promise<unknown> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return response.json();
  };
  const { accessToken } = (await call('POST', '/api/sessions', admin)) as { accessToken: string };
  const asAdmin = (method: string, path: string, body?: object) =>
    call(method, path, body, bearer(accessToken));
  const { id } = (await asAdmin('POST', '/customers', sent.customer)) as { id: number };
  await asAdmin('POST', '/orders', { customerId: id, ...sent.order });
  await asAdmin('POST', '/products', { sku: 'TEA', name: 'Tea', unitPrice: 749, currency: 'EUR' });
  await asAdmin('POST', '/api/keys', { name: 'shelf', scopes: ['orders:read'] });
  await asAdmin('POST', '/webhooks', { url: 'https://example.com/hook', types: ['order.paid'] });
  for (const [path, schema] of reads) check(schema, path, await asAdmin('GET', path));
  for (const [path, of, change] of [
    ['/events', schemas.ListEventsResponse, { type: 'order.archived' }],
    ['/api/keys', schemas.ListKeysResponse, { scopes: ['suppliers:read'] }],
    ['/webhooks', schemas.ListWebhooksResponse, { types: ['order.archived'] }],
  ] as const) {
    const page = (await asAdmin('GET', path)) as { data: object[] };
    const [first, ...others] = page.data;
    check(of, `${path} of a later version`, {
      ...page,
      data: [{ ...first, ...change, added: 1 }, ...others],
    });
  }
}

function check(schema: Schema, what: string, value: unknown): void {
  const { success, error } = schema.safeParse(value);
  assert.ok(success, `${what}: ${String(error)}`);
}
