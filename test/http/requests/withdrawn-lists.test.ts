// Rights withdrawn while a list waits for the read worker: the rights after the wait count.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseFile } from '../../../src/storage/database-file.ts';
import { commitCheckMilliseconds } from '../../../src/storage/transactions.ts';
import { newOrder, newProduct, rootToken } from '../../support/resource-support.ts';
import { executable, type TestResponse, type Person, type TestService } from '../../support/service.ts';
import { beforeQueries } from '../../support/query-interception.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';

type Target = { readonly other: Person; readonly customerId: number; readonly orderId: number };

const needsInside = executable === undefined ? {} : { skip: 'needs the inside' };

describe('while the read worker looks for a page', needsInside, () => {
  type Meanwhile = (service: TestService, actor: Person, root: string) => Promise<unknown>;
  const demotion: Meanwhile = (service, { id }, token) =>
    done(service.patch(`/api/users/${id}`, { token, body: { role: 'user' } }));
  const demotionByCommand: Meanwhile = async ({ folder }, { id }) => {
    using beside = new DatabaseSync(databaseFile(folder));
    beside.prepare("UPDATE users SET role = 'user' WHERE id = ?").run(id);
    await pause(commitCheckMilliseconds + 20); // a longer look-up
  };
  const signOut: Meanwhile = (service, { sessionId, token }) =>
    done(service.delete(`/api/sessions/${sessionId}`, { token }));
  /** The paths of all lists, and whether the demoted user still sees a row of their own in it. */
  const lists: Readonly<Record<string, { path: (target: Target) => string; isOwnLeft: boolean }>> = {
    'GET /orders': { path: () => '/orders?', isOwnLeft: true },
    'GET /products': { path: () => '/products?', isOwnLeft: true }, // the one that all see
    'GET /products/{id}/events': { path: () => '/products/1/events?', isOwnLeft: false },
    'GET /customers': { path: () => '/customers?', isOwnLeft: true },
    'GET /customers/{id}/orders': {
      path: ({ customerId }) => `/customers/${customerId}/orders?`,
      isOwnLeft: false,
    },
    'GET /api/users': { path: () => '/api/users?', isOwnLeft: false },
    'GET /api/users/{id}/orders': {
      path: ({ other }) => `/api/users/${other.id}/orders?`,
      isOwnLeft: false,
    },
    'GET /api/users/{id}/events': {
      path: ({ other }) => `/api/users/${other.id}/events?`,
      isOwnLeft: false,
    },
    'GET /customers/{id}/events': {
      path: ({ customerId }) => `/customers/${customerId}/events?`,
      isOwnLeft: false,
    },
    'GET /orders/{id}/events': { path: ({ orderId }) => `/orders/${orderId}/events?`, isOwnLeft: false },
    'GET /api/sessions': { path: ({ other }) => `/api/sessions?userId=${other.id}&`, isOwnLeft: false },
    'GET /webhooks': { path: () => '/webhooks?', isOwnLeft: false },
    'GET /api/keys': { path: ({ other }) => `/api/keys?userId=${other.id}&`, isOwnLeft: false },
  };

  let root = '';
  let target: Target | undefined;
  const running = sharedService({}, async (service) => {
    root = await rootToken(service);
    const other = await service.person();
    const { customerId, id: orderId } = await newOrder(service, other.token);
    await newProduct(service, root);
    target = { other, customerId, orderId };
  });

  test('every list has a row', () => {
    const mounted = running().inside?.app.router.mounted ?? [];
    // the feed never waits for the thread
    const routes = mounted.filter(({ route }) => route.reply.kind === 'list' && route.path !== '/events');
    assert.deepEqual(
      Object.keys(lists).sort(),
      routes.map(({ route: { method, path } }) => `${method} ${path}`).sort(),
    );
  });

  for (const [name, { path, isOwnLeft }] of Object.entries(lists)) {
    test(`a caller demoted during a look-up sees ${isOwnLeft ? 'only their own' : 'nothing'} of ${name}`, async (t) => {
      const response = await listDuring(t, path, demotion);
      if (!isOwnLeft) return assertProblem(response, 'forbidden', 403);
      assert.deepEqual([response.status, response.body.data.length, response.body.total], [200, 1, 1]);
    });
    test(`a caller who signs out during a look-up sees nothing of ${name}`, async (t) => {
      assertProblem(await listDuring(t, path, signOut), 'invalid-token', 401);
    });
  }

  test('a caller whom another process demotes during a look-up sees nothing', async (t) => {
    assertProblem(await listDuring(t, () => '/api/users?', demotionByCommand), 'forbidden', 403);
  });

  /** The page of an administrator who has one order and one customer, as another user has. */
  async function listDuring(
    t: TestContext,
    path: (target: Target) => string,
    meanwhile: Meanwhile,
  ): Promise<TestResponse> {
    const service = running();
    assert(service.inside !== undefined && target !== undefined, 'it is skipped otherwise');
    const actor = await service.person('admin');
    await newOrder(service, actor.token);
    let isChanged: Promise<unknown> | undefined;
    t.after(beforeQueries(service.inside.database, () => (isChanged ??= meanwhile(service, actor, root))));
    return service.get(`${path(target)}total=true`, { token: actor.token });
  }
});

async function done(response: Promise<TestResponse>): Promise<void> {
  const { status, text } = await response;
  assert.ok(status < 300, text);
}
