// Access rights: every route × every kind of caller. A route without a row fails.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anyone, scopes, type Scope } from '../../../src/auth/access.ts';
import { empty } from '../../../src/http/routing/reply.ts';
import { route, type Route } from '../../../src/http/routing/route.ts';
import { Router } from '../../../src/http/routing/router.ts';
import {
  newCustomer,
  newKey,
  newOrder,
  newProduct,
  newWebhook,
  rootToken,
  targetOf,
} from '../../support/resource-support.ts';
import { serviceFor, type Call, type Person, type TestService } from '../../support/service.ts';
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
import { assertProblem, assertStatus, sharedService, withoutSyncs } from '../../support/http-support.ts';

test('every route has a row in the access matrix, and every row a route', async (t) => {
  const service = await serviceFor(t);
  if (service.inside === undefined) return t.skip('needs the list of routes');
  const routes = service.inside.router.mounted.map(({ route: { method, path } }) => `${method} ${path}`);
  assert.deepEqual([...matrix.keys()].sort(), routes.sort());
});

test('a route without an access rule doesn’t start, nor does one that is declared twice', () => {
  const open = route({
    method: 'GET',
    path: '/open',
    tag: 'Test',
    summary: 'Open',
    access: anyone,
    reply: { kind: 'none' },
    handle: () => empty,
  });
  const { access: _forgotten, ...undecided } = open;
  const mount = (routes: readonly object[]): unknown =>
    new Router().mount({ routes: routes as Route[], invalidStatus: 400 }); // as an untyped caller would
  assert.doesNotThrow(() => mount([open]));
  assert.throws(() => mount([undecided]), /GET \/open has no access rule/);
  for (const access of [null, {}, { says: 'Anyone.', credentials: 'ignored' }, { permits: true }])
    assert.throws(() => mount([{ ...undecided, access }]), /GET \/open has no access rule/);
  assert.throws(() => mount([open, open]), /GET \/open is declared twice/);
});

describe('access to', () => {
  /** By user and scopes, since a user may have fewer keys than there are routes. */
  const keys = new Map<string, string>();
  /** No request has changed it. */
  let unchanged: Subject | undefined;
  const everyone: { other?: Person; staff?: Person; admin?: Person } = {};
  const running = sharedService(withoutSyncs, async (service) => {
    Object.assign(everyone, {
      other: await service.person(),
      staff: await service.person('staff'),
      admin: await service.person('admin'),
    });
  });

  for (const [name, row] of matrix) {
    test(`access to ${name} is as the access matrix says`, async () => {
      const service = running();
      let subject = unchanged ?? (await newSubject(service));
      unchanged = undefined;
      for (const [index, caller] of callers.entries()) {
        const expected = row.responses[index] ?? '';
        const isAccepted = await checkCell(service, row, { subject, caller, expected });
        if (isAccepted && (row.method === 'DELETE' || name === 'POST /api/sessions/{id}/tokens'))
          subject = await newSubject(service); // this one is used up
      }
      if (row.method === 'GET') unchanged = subject;
    });
  }

  /** Returns whether the request was accepted. */
  async function checkCell(
    service: TestService,
    { method, path, scope }: Row,
    { subject, caller, expected }: { subject: Subject; caller: Caller; expected: string },
  ): Promise<boolean> {
    const where = `${method} ${path} by ${caller}`;
    const call = {
      ...(await credentialOf(service, caller, { owner: subject.owner, scope })),
      ...(path === '/imports'
        ? { body: Buffer.from('\n'), headers: { 'content-type': 'application/x-ndjson' } }
        : { body: bodies[`${method} ${path}`]?.(subject) }),
    };
    const target = targetFor(method, path, subject);
    const response = await service.call(method, target, call);
    const rejection = rejections[expected];
    if (rejection === undefined)
      assert.equal(response.status, Number(expected), `${where}: ${response.text}`);
    else assertProblem(response, ...rejection);
    const challenge = challengeFor(expected, scope);
    if (challenge !== undefined) assert.equal(response.headers['www-authenticate'], challenge, where);
    if (method === 'GET')
      await assertStatus(service.call('HEAD', target, call), response.status, `${where}: HEAD`);
    return rejection === undefined;
  }

  async function credentialOf(
    service: TestService,
    caller: Caller,
    { owner, scope }: { owner: Person; scope: Scope | undefined },
  ): Promise<Call> {
    const { other, staff, admin } = everyone;
    const only = scope === undefined ? scopes : [scope];
    switch (caller) {
      case 'nobody':
        return {};
      case 'owner':
        return { token: owner.token };
      case 'other':
        return { token: other?.token };
      case 'staff':
        return { token: staff?.token };
      case 'admin':
        return { token: admin?.token };
      case 'key with':
        return keyOf(service, owner, only);
      case 'key without': {
        const others = scopes.filter((each) => each !== scope);
        return keyOf(service, owner, others);
      }
      case 'admin’s key':
        return keyOf(service, admin, only);
      case 'bad token':
        return { token: `${owner.token.slice(0, -4)}AAAA` };
    }
  }

  async function keyOf(
    service: TestService,
    owner: Person | undefined,
    only: readonly Scope[],
  ): Promise<Call> {
    const name = `${owner?.id} ${only.join()}`;
    const key = keys.get(name) ?? (await newKey(service, owner?.token ?? '', { scopes: only })).key;
    keys.set(name, key);
    return { key };
  }
});

function targetFor(method: string, path: string, { owner, ids }: Subject): string {
  if (method === 'DELETE' && path === '/api/sessions') return `${path}?userId=${owner.id}`;
  if (method === 'DELETE' && path === '/customers/{id}') return `/customers/${ids['customersWithoutOrders']}`;
  return targetOf(path, path.endsWith('/suspension') ? { users: ids['suspended'] ?? '' } : ids);
}

async function newSubject(service: TestService): Promise<Subject> {
  const owner = await service.person();
  const token = await rootToken(service);
  const order = await newOrder(service, owner.token);
  const { id: suspended } = await service.person();
  await service.post(`/api/users/${owner.id}/totp`, { token: owner.token });
  await service.put(`/api/users/${suspended}/suspension`, { token, body: {} });
  const ids = {
    users: owner.id,
    suspended,
    customers: order.customerId,
    customersWithoutOrders: (await newCustomer(service, owner.token)).id,
    orders: order.id,
    products: (await newProduct(service, token)).id,
    sessions: owner.sessionId,
    keys: (await newKey(service, owner.token)).id,
    webhooks: await onlyWebhook(service, token),
    problems: 'forbidden',
    console: 'console.css',
  };
  return { owner, ids };
}

/** There may not be many. */
async function onlyWebhook(service: TestService, token: string): Promise<number> {
  for (const { id } of (await service.get('/webhooks', { token })).body.data)
    await service.delete(`/webhooks/${id}`, { token });
  return (await newWebhook(service, token)).id;
}
