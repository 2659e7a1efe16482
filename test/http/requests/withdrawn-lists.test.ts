// Rights withdrawn while a list waits for the read worker: the rights after the wait count.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseFile } from '../../../src/storage/database-file.ts';
import { commitCheckMilliseconds } from '../../../src/storage/transactions.ts';
import { newOrder, newProduct, rootToken, targetOf } from '../../support/resource-support.ts';
import { insideOnly, type TestResponse, type Person, type TestService } from '../../support/service.ts';
import { beforeQueries } from '../../support/query-interception.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { done } from '../../support/withdrawn-support.ts';

describe('while the read worker looks for a page', insideOnly, () => {
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
  /** All lists, and whether the demoted user still sees a row of their own, or the one that all see, in it. */
  const lists: Readonly<Record<string, boolean>> = {
    'GET /orders': true,
    'GET /products': true,
    'GET /products/{id}/events': false,
    'GET /customers': true,
    'GET /customers/{id}/orders': false,
    'GET /api/users': false,
    'GET /api/users/{id}/orders': false,
    'GET /api/users/{id}/events': false,
    'GET /customers/{id}/events': false,
    'GET /orders/{id}/events': false,
    'GET /api/sessions': false,
    'GET /webhooks': false,
    'GET /api/keys': false,
  };

  let root = '';
  let target: Readonly<Record<'users' | 'customers' | 'orders' | 'products', number>> | undefined;
  const running = sharedService({}, async (service) => {
    root = await rootToken(service);
    const other = await service.person();
    const { customerId: customers, id: orders } = await newOrder(service, other.token);
    const { id: products } = await newProduct(service, root);
    target = { users: other.id, customers, orders, products };
  });

  test('every list has a row', () => {
    const mounted = running().inside?.router.mounted ?? [];
    // the feed never waits for the thread
    const routes = mounted.filter(({ route }) => route.reply.kind === 'list' && route.path !== '/events');
    assert.deepEqual(
      Object.keys(lists).sort(),
      routes.map(({ route: { method, path } }) => `${method} ${path}`).sort(),
    );
  });

  for (const [name, isOwnLeft] of Object.entries(lists)) {
    test(`a caller demoted during a look-up sees ${isOwnLeft ? 'only their own' : 'nothing'} of ${name}`, async (t) => {
      const response = await listDuring(t, name, demotion);
      if (!isOwnLeft) return assertProblem(response, 'forbidden', 403);
      assert.deepEqual([response.status, response.body.data.length, response.body.total], [200, 1, 1]);
    });
    test(`a caller who signs out during a look-up sees nothing of ${name}`, async (t) => {
      assertProblem(await listDuring(t, name, signOut), 'invalid-token', 401);
    });
  }

  test('a caller whom another process demotes during a look-up sees nothing', async (t) => {
    assertProblem(await listDuring(t, 'GET /api/users', demotionByCommand), 'forbidden', 403);
  });

  /** The page of an administrator who has one order and one customer, as another user has. */
  async function listDuring(t: TestContext, name: string, meanwhile: Meanwhile): Promise<TestResponse> {
    const service = running();
    assert(service.inside !== undefined && target !== undefined, 'it is skipped otherwise');
    const actor = await service.person('admin');
    await newOrder(service, actor.token);
    let isChanged: Promise<unknown> | undefined;
    t.after(beforeQueries(service.inside.database, () => (isChanged ??= meanwhile(service, actor, root))));
    const path = targetOf(name.replace('GET ', ''), target);
    const ofOther = /sessions|keys/.test(path) ? `userId=${target.users}&` : '';
    return service.get(`${path}?${ofOther}total=true`, { token: actor.token });
  }
});
