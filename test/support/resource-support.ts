// For the tests of resources: creates customers, orders, keys and webhooks in one line, and compares issues.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { assertProblem, issuesOf } from './http-support.ts';
import { serviceFor, type Person, type TestOptions, type TestResponse, type TestService } from './service.ts';

export function assertIssues(response: TestResponse, status: 400 | 422, issues: readonly string[]): void {
  assertProblem(response, 'validation-failed', status);
  assert.deepEqual(issuesOf(response), issues.toSorted(), response.text);
}

/** A test for each row: what is sent, and the issues that the response names. */
export function testIssues(
  what: string,
  send: (sent: object) => Promise<TestResponse>,
  rows: readonly (readonly [sent: object, ...issues: string[]])[],
): void {
  for (const [sent, ...issues] of rows)
    test(`${what} ${shown(sent).slice(0, 200)} is rejected: ${issues.join(', ')}`, async () => {
      const response = await send(sent);
      assertIssues(response, response.status === 400 ? 400 : 422, issues);
    });
}

export async function newCustomer(
  service: TestService,
  token: string,
  members: object = {},
): Promise<TestResponse['body']> {
  return made(await service.post('/customers', { token, body: { name: 'Grace Hopper', ...members } }));
}

export const items = [{ sku: 'TEA-250', name: 'Green tea, 250 g', quantity: 2, unitPrice: 749 }];

/** Places an order, for a new customer unless `members` names one. */
export async function newOrder(
  service: TestService,
  token: string,
  members: { readonly customerId?: number; readonly [name: string]: unknown } = {},
): Promise<TestResponse['body']> {
  const customerId = members.customerId ?? (await newCustomer(service, token)).id;
  return made(
    await service.post('/orders', { token, body: { currency: 'EUR', items, ...members, customerId } }),
  );
}

/** Creates a product; `token` is a staff member's. */
export async function newProduct(
  service: TestService,
  token: string,
  members: object = {},
): Promise<TestResponse['body']> {
  const sku = `TEA-${randomUUID()}`;
  const body = { sku, name: 'Green tea, 250 g', unitPrice: 749, currency: 'EUR', ...members };
  return made(await service.post('/products', { token, body }));
}

export async function newKey(
  service: TestService,
  token: string,
  members: object = {},
): Promise<TestResponse['body']> {
  return made(
    await service.post('/api/keys', { token, body: { name: 'till 3', scopes: ['orders:read'], ...members } }),
  );
}

/** Creates a webhook; `token` is an administrator's. */
export async function newWebhook(
  service: TestService,
  token: string,
  members: object = {},
): Promise<TestResponse['body']> {
  const body = { url: 'https://hooks.example/orders', types: ['order.paid'], ...members };
  return made(await service.post('/webhooks', { token, body }));
}

export function idsIn({ body }: Pick<TestResponse, 'body'>): number[] {
  return body.data.map(({ id }: { id: number }) => id);
}

/** The member of each row, or the list of these members. */
export function valuesIn({ body }: Pick<TestResponse, 'body'>, ...names: string[]): unknown[] {
  const [only = ''] = names;
  return body.data.map((row: Record<string, unknown>) =>
    names.length === 1 ? row[only] : names.map((name) => row[name]),
  );
}

/** For a test's name: undefined shows as null. */
export function shown(change: unknown): string {
  return JSON.stringify(change, (_, value) => (value === undefined ? '(absent)' : value));
}

/** RateLimit-Policy and RateLimit. */
export const limitFields = ({ headers }: TestResponse): unknown[] => [
  headers['ratelimit-policy'],
  headers['ratelimit'],
];

export const withKey = (key: string): Record<string, string> => ({ 'idempotency-key': key });

export const isReplay = ({ headers }: TestResponse): boolean => headers['idempotency-replayed'] === 'true';

/** The path of a route, with ids in place of its parameters: `/orders/{id}` has `ids.orders`. */
export function targetOf(path: string, ids: Readonly<Record<string, number | string>>): string {
  return path.replaceAll(/(\w+)\/\{\w+\}/g, (_, name: string) => `${name}/${ids[name]}`);
}

export async function rootToken(service: TestService): Promise<string> {
  return (await service.root()).token;
}

/** A service, and its administrator. */
export async function rootService(
  t: Pick<TestContext, 'after'>,
  options?: TestOptions,
): Promise<{ readonly service: TestService; readonly root: Person; readonly token: string }> {
  const service = await serviceFor(t, options);
  const root = await service.root();
  return { service, root, token: root.token };
}

/** None of the files of the folder whose names begin so has one of these. */
export function assertInNoFile(folder: string, contents: readonly (string | Buffer)[], begin = ''): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(begin)) continue;
    const file = readFileSync(join(folder, name));
    for (const content of contents) assert(!file.includes(content), `${name} has ${content}`);
  }
}

/**
 * Reads the feed with a cursor whose events were removed; undefined for an executable, for which it would
 * take a day.
 */
export async function readRemovedEvents(
  t: TestContext,
  settings: TestOptions['settings'],
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse | undefined> {
  const service = await serviceFor(t, { settings: { ...settings, 'events-days': '1' } });
  if (service.inside === undefined) return undefined;
  const { body } = await service.get('/events?limit=1', { token: await rootToken(service) });
  service.clock.advance(2 * 86_400_000);
  await service.person();
  await service.inside.cleanup.run();
  return service.get(body.next, { token: await rootToken(service), headers });
}

function made(response: TestResponse): TestResponse['body'] {
  assert.equal(response.status, 201, response.text);
  return response.body;
}
