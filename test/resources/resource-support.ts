// For the tests of resources: customers, orders and keys made in one line, and issues compared.
import assert from 'node:assert/strict';
import { assertProblem, issuesOf } from '../http/http-support.ts';
import type { TestResponse, TestService } from '../service.ts';

export function assertIssues(response: TestResponse, status: 400 | 422, issues: readonly string[]): void {
  assertProblem(response, 'validation-failed', status);
  assert.deepEqual(issuesOf(response), issues.toSorted(), response.text);
}

export async function newCustomer(
  service: TestService,
  token: string,
  members: object = {},
): Promise<TestResponse['body']> {
  return made(await service.post('/customers', { token, body: { name: 'Grace Hopper', ...members } }));
}

export const items = [{ sku: 'TEA-250', name: 'Green tea, 250 g', quantity: 2, unitPrice: 749 }];

/** For a new customer, unless one is named. */
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

export async function newKey(
  service: TestService,
  token: string,
  members: object = {},
): Promise<TestResponse['body']> {
  return made(
    await service.post('/api/keys', { token, body: { name: 'till 3', scopes: ['orders:read'], ...members } }),
  );
}

export async function rootToken(service: TestService): Promise<string> {
  return (await service.signIn(service.admin.email, service.admin.password)).token;
}

function made(response: TestResponse): TestResponse['body'] {
  assert.equal(response.status, 201, response.text);
  return response.body;
}
