// A missing object, or one of another user, is reported before the issues of a body.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../http/http-support.ts';
import type { Person } from '../service.ts';
import { newCustomer, newOrder, rootToken } from './resource-support.ts';

const bodies = [{ surplus: 1 }, { id: 'x', name: '', email: 5 }, [], '"text"', 7, null];

describe('an object that a body with issues would change', () => {
  let [root, ada]: [root: string, ada: Person | undefined] = ['', undefined];
  const service = sharedService({}, async (started) => {
    root = await rootToken(started);
    ada = await started.person();
  });

  test('is 404 if it doesn’t exist', async () => {
    const { paths } = (await service().get('/openapi.json')).body;
    const failed: string[] = [];
    let count = 0;
    for (const [path, methods] of Object.entries<Readonly<Record<string, object>>>(paths)) {
      for (const method of Object.keys(methods)) {
        // codes are only one's own
        if (!['put', 'patch'].includes(method) || path.endsWith('/totp')) continue;
        count += 1;
        for (const body of bodies) {
          const target = path.replace('{id}', '999999');
          const { status } = await service().call(method.toUpperCase(), target, { token: root, body });
          if (status !== 404) failed.push(`${method} ${path} ${JSON.stringify(body)}: ${status}`);
        }
      }
    }
    assert.deepEqual(failed, []);
    assert.ok(count >= 6, `${count} operations`);
  });

  test('is 404 if one-time codes were not set up', async () => {
    for (const body of bodies) {
      const path = `/api/users/${ada?.id}/totp`;
      assertProblem(await service().put(path, { token: ada?.token, body }), 'not-found');
    }
  });

  for (const method of ['PUT', 'PATCH'] as const) {
    test(`is 403 if it is a customer of another user: ${method}`, async () => {
      const { id } = await newCustomer(service(), root);
      for (const body of bodies) {
        const response = await service().call(method, `/customers/${id}`, { token: ada?.token, body });
        assertProblem(response, 'forbidden');
      }
    });
  }

  test('is 403 if it is an order of another user', async () => {
    const { id } = await newOrder(service(), root);
    for (const body of bodies)
      assertProblem(await service().patch(`/orders/${id}`, { token: ada?.token, body }), 'forbidden');
  });

  test('is 400 if the body is not JSON', async () => {
    const sent = { token: root, body: '{' };
    assertProblem(await service().patch('/orders/999999', sent), 'malformed-json');
  });

  test('is 422 if it is the caller’s own', async () => {
    const { id } = await newOrder(service(), ada?.token ?? '');
    for (const body of bodies)
      assertProblem(
        await service().patch(`/orders/${id}`, { token: ada?.token, body }),
        'validation-failed',
        422,
      );
  });
});
