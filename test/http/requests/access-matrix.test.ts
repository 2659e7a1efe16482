// Access rights: every route × every kind of caller. A route without a row fails.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anyone, scopes, type Scope } from '../../../src/auth/access.ts';
import { empty } from '../../../src/http/routing/reply.ts';
import { route, type Route } from '../../../src/http/routing/route.ts';
import { Router } from '../../../src/http/routing/router.ts';
import { assertProblem, assertStatus, sharedService, withoutSyncs } from '../../support/http-support.ts';
import {
  newCustomer,
  newKey,
  newOrder,
  newProduct,
  newWebhook,
  targetOf,
} from '../../support/resource-support.ts';
import { serviceFor, type Call, type Person } from '../../support/service.ts';
import {
  bodies,
  callers,
  challengeFor,
  matrix,
  rejections,
  type Caller,
  type Row,
  type Subject,
} from './access-rows.ts';

test('every route has a row in the access matrix, and every row a route', async (t) => {
  const service = await serviceFor(t);
  if (service.inside === undefined) return t.skip('needs the list of routes');
  const routes = service.inside.router.mounted.map(({ route: { method, path } }) => `${method} ${path}`);
  assert.deepEqual([...matrix.keys()].sort(), routes.sort());
});

test('a route without an access rule doesn’t start, nor does one that is declared twice', () => {
  const about = { method: 'GET', path: '/open', tag: 'Test', summary: 'Open' } as const;
  const open = route({ ...about, access: anyone, reply: { kind: 'none' }, handle: () => empty });
  const { access: _forgotten, ...undecided } = open;
  const mount = (routes: readonly object[]): unknown =>
    new Router().mount({ routes: routes as Route[], invalidStatus: 400 }); // as an untyped caller would
  assert.doesNotThrow(() => mount([open]));
  for (const access of [undefined, null, {}, { says: 'Anyone.', credentials: 'ignored' }, { permits: true }])
    assert.throws(() => mount([{ ...undecided, access }]), /GET \/open has no access rule/);
  assert.throws(() => mount([open, open]), /GET \/open is declared twice/);
});

describe('access to', () => {
  let root: Person, other: Person, staff: Person, admin: Person;
  const service = sharedService(withoutSyncs, async (started) => {
    root = await started.root();
    [other, staff] = [await started.person(), await started.person('staff')];
    admin = await started.person('admin');
  });
  /** By user and scopes, since a user may have fewer keys than there are routes. */
  const keys = new Map<string, string>();
  async function keyOf({ id, token }: Person, only: readonly Scope[]): Promise<Call> {
    const name = `${id} ${only.join()}`;
    const key = keys.get(name) ?? (await newKey(service(), token, { scopes: only })).key;
    keys.set(name, key);
    return { key };
  }

  type Credential = (owner: Person, scope: Scope | undefined) => Call | Promise<Call>;
  const scopesWith = (scope: Scope | undefined): readonly Scope[] => (scope === undefined ? scopes : [scope]);
  const credentials: Readonly<Record<Caller, Credential>> = {
    nobody: () => ({}),
    owner: ({ token }) => ({ token }),
    other: () => ({ token: other.token }),
    staff: () => ({ token: staff.token }),
    admin: () => ({ token: admin.token }),
    'key with': (owner, scope) => keyOf(owner, scopesWith(scope)),
    'key without': (owner, scope) =>
      keyOf(
        owner,
        scopes.filter((each) => each !== scope),
      ),
    'admin’s key': (_, scope) => keyOf(admin, scopesWith(scope)),
    'bad token': ({ token }) => ({ token: `${token.slice(0, -4)}AAAA` }),
  };

  /** No request has changed it. */
  let unchanged: Subject | undefined;
  for (const [name, row] of matrix)
    test(`access to ${name} is as the access matrix says`, async () => {
      let subject = unchanged ?? (await newSubject());
      unchanged = undefined;
      for (const [index, caller] of callers.entries()) {
        const isAccepted = await checkCell(row, subject, { caller, expected: row.responses[index] ?? '' });
        if (isAccepted && (row.method === 'DELETE' || name === 'POST /api/sessions/{id}/tokens'))
          subject = await newSubject(); // this one is used up
      }
      if (row.method === 'GET') unchanged = subject;
    });

  /** Returns whether the request was accepted. */
  async function checkCell(
    { method, path, scope }: Row,
    subject: Subject,
    { caller, expected }: { readonly caller: Caller; readonly expected: string },
  ): Promise<boolean> {
    const where = `${method} ${path} by ${caller}`;
    const call = {
      ...(await credentials[caller](subject.owner, scope)),
      ...contentOf(method, path, subject),
    };
    const target = targetFor(method, path, subject);
    const response = await service().call(method, target, call);
    const rejection = rejections[expected];
    if (rejection === undefined)
      assert.equal(response.status, Number(expected), `${where}: ${response.text}`);
    else assertProblem(response, ...rejection);
    const challenge = challengeFor(expected, scope);
    if (challenge !== undefined) assert.equal(response.headers['www-authenticate'], challenge, where);
    if (method === 'GET')
      await assertStatus(service().call('HEAD', target, call), response.status, `${where}: HEAD`);
    return rejection === undefined;
  }

  async function newSubject(): Promise<Subject> {
    const [owner, suspended] = [await service().person(), await service().person()];
    const order = await newOrder(service(), owner.token);
    await owner.post(`/api/users/${owner.id}/totp`);
    await root.put(`/api/users/${suspended.id}/suspension`, {});
    for (const { id } of (await root.get('/webhooks')).body.data) await root.delete(`/webhooks/${id}`); // there may be few
    const ids = {
      users: owner.id,
      suspended: suspended.id,
      customers: order.customerId,
      customersWithoutOrders: (await newCustomer(service(), owner.token)).id,
      orders: order.id,
      products: (await newProduct(service(), root.token)).id,
      sessions: owner.sessionId,
      keys: (await newKey(service(), owner.token)).id,
      webhooks: (await newWebhook(service(), root.token)).id,
      problems: 'forbidden',
      console: 'console.css',
    };
    return { owner, ids };
  }
});

function contentOf(method: string, path: string, subject: Subject): Call {
  if (path === '/imports')
    return { body: Buffer.from('\n'), headers: { 'content-type': 'application/x-ndjson' } };
  return { body: bodies[`${method} ${path}`]?.(subject) };
}

function targetFor(method: string, path: string, { owner, ids }: Subject): string {
  if (method === 'DELETE' && path === '/api/sessions') return `${path}?userId=${owner.id}`;
  if (method === 'DELETE' && path === '/customers/{id}') return `/customers/${ids['customersWithoutOrders']}`;
  return targetOf(path, path.endsWith('/suspension') ? { users: ids['suspended'] ?? '' } : ids);
}
