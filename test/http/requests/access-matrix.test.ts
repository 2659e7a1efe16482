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
} from '../../support/resource-support.ts';
import { serviceFor, type Call, type Person, type TestService } from '../../support/service.ts';
import { callers, challengeFor, matrix, rejections, type Caller, type Subject } from './access-rows.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { withoutSyncs } from '../../support/list-support.ts';

test('every route has a row in the access matrix, and every row a route', async (t) => {
  const service = await serviceFor(t);
  if (service.inside === undefined) return t.skip('needs the list of routes');
  const routes = service.inside.app.router.mounted.map(({ route: { method, path } }) => `${method} ${path}`);
  assert.deepEqual(Object.keys(matrix).sort(), routes.sort());
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
  for (const access of [
    undefined,
    null,
    {},
    { says: 'Anyone.', credentials: 'ignored' },
    { permits: true },
  ]) {
    assert.throws(
      () => mount([access === undefined ? undecided : { ...undecided, access }]),
      /GET \/open has no access rule/,
    );
  }
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

  for (const [name, row] of Object.entries(matrix)) {
    test(`access to ${name} is as the access matrix says`, async () => {
      const service = running();
      const [method = ''] = name.split(' ');
      const responses = row.responses.split(/ +/);
      assert.equal(responses.length, callers.length);
      let subject = unchanged ?? (await newSubject(service));
      unchanged = undefined;
      for (const [index, caller] of callers.entries()) {
        const call: Call = {
          ...(await credentialOf(service, caller, subject.owner, row.scope)),
          body: row.body?.(subject),
          headers: row.contentType === undefined ? {} : { 'content-type': row.contentType },
        };
        const path = row.path(subject);
        const expected = responses[index] ?? '';
        const wanted = { expected, scope: row.scope };
        await checkCell(service, { method, path, call }, wanted, `${name} by ${caller}`);
        const isUsedUp = rejections[expected] === undefined && (method === 'DELETE' || row.isOnce === true);
        if (isUsedUp) subject = await newSubject(service);
      }
      if (method === 'GET') unchanged = subject;
    });
  }

  async function checkCell(
    service: TestService,
    { method, path, call }: { readonly method: string; readonly path: string; readonly call: Call },
    { expected, scope }: { readonly expected: string; readonly scope: Scope | undefined },
    where: string,
  ): Promise<void> {
    const response = await service.call(method, path, call);
    const rejection = rejections[expected];
    if (rejection === undefined)
      assert.equal(response.status, Number(expected), `${where}: ${response.text}`);
    else
      assert.deepEqual(
        [response.status, response.body?.type.split('/').at(-1)],
        [rejection[1], rejection[0]],
        `${where}: ${response.text}`,
      );
    if (rejection !== undefined) assertProblem(response, ...rejection);
    const challenge = challengeFor(expected, scope);
    if (challenge !== undefined) assert.equal(response.headers['www-authenticate'], challenge, where);
    if (method === 'GET')
      assert.equal((await service.call('HEAD', path, call)).status, response.status, `${where}: HEAD`);
  }

  async function credentialOf(
    service: TestService,
    caller: Caller,
    owner: Person,
    scope: Scope | undefined,
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
        return { key: await keyOf(service, owner, only) };
      case 'key without':
        return {
          key: await keyOf(
            service,
            owner,
            scopes.filter((each) => each !== scope),
          ),
        };
      case 'admin’s key':
        return { key: await keyOf(service, admin, only) };
      case 'bad token':
        return { token: `${owner.token.slice(0, -4)}AAAA` };
    }
  }

  async function keyOf(
    service: TestService,
    owner: Person | undefined,
    only: readonly Scope[],
  ): Promise<string> {
    const name = `${owner?.id} ${only.join()}`;
    const key = keys.get(name) ?? (await newKey(service, owner?.token ?? '', { scopes: only })).key;
    keys.set(name, key);
    return key;
  }
});

async function newSubject(service: TestService): Promise<Subject> {
  const owner = await service.person();
  const { id: orderId, customerId } = await newOrder(service, owner.token);
  const { id: keyId } = await newKey(service, owner.token);
  const { id: newCustomerId } = await newCustomer(service, owner.token);
  await service.post(`/api/users/${owner.id}/totp`, { token: owner.token });
  const { id: suspendedId } = await service.person();
  const path = `/api/users/${suspendedId}/suspension`;
  const token = await rootToken(service);
  await service.put(path, { token, body: {} });
  const webhookId = await onlyWebhook(service, token);
  const { id: productId } = await newProduct(service, token);
  return {
    owner,
    customerId,
    orderId,
    productId,
    keyId,
    newCustomerId,
    suspendedId,
    webhookId,
  };
}

/** There may not be many. */
async function onlyWebhook(service: TestService, token: string): Promise<number> {
  for (const { id } of (await service.get('/webhooks', { token })).body.data)
    await service.delete(`/webhooks/${id}`, { token });
  return (await newWebhook(service, token)).id;
}
