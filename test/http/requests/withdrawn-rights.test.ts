// The rights at the time of the change count: they may be withdrawn while a body arrives, while a password is
// hashed, or earlier in the same transaction.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { adminOnly, scopes } from '../../../src/auth/access.ts';
import { createPasswordHasher, type PasswordHasher } from '../../../src/auth/password.ts';
import { replaceUser, userSource } from '../../../src/features/users/user-store.ts';
import { empty } from '../../../src/http/routing/reply.ts';
import { route } from '../../../src/http/routing/route.ts';
import { requireOwned } from '../../../src/storage/object-access.ts';
import {
  newKey,
  newOrder,
  newProduct,
  newWebhook,
  rootToken,
  targetOf,
} from '../../support/resource-support.ts';
import { insideOnly, password, serviceFor, type Person, type TestService } from '../../support/service.ts';
import { assertProblem, sharedService, withoutSyncs } from '../../support/http-support.ts';
import { done, newPassword, sendHalf } from '../../support/withdrawn-support.ts';
import { bodies, type Subject } from './access-rows.ts';

/** An administrator, the owner, who is about to change an object of another user. No case changes what `ids` name. */
type Actor = Subject & {
  readonly other: Person;
  readonly key: { readonly id: number; readonly key: string } | undefined;
  /** Both halves of the credential, if the actor's session is a browser's. */
  readonly browser: { readonly cookie: string; readonly browserKey: string } | undefined;
};

/** Each happens once the head and half of the body have arrived. */
const ways = {
  demotion: (service: TestService, { owner }: Actor, token: string) =>
    service.patch(`/api/users/${owner.id}`, { token, body: { role: 'user' } }),
  'sign-out': (service: TestService, { owner: { sessionId, token } }: Actor) =>
    service.delete(`/api/sessions/${sessionId}`, { token }),
  'the session ended by an administrator': (service: TestService, { owner }: Actor, token: string) =>
    service.delete(`/api/sessions/${owner.sessionId}`, { token }),
  'a password changed in another session': async (service: TestService, { owner }: Actor) => {
    const { token } = await service.signIn(owner.email, password);
    const body = { password: newPassword, currentPassword: password };
    return service.patch(`/api/users/${owner.id}`, { token, body });
  },
  'a password set by an administrator': (service: TestService, { owner }: Actor, token: string) =>
    service.patch(`/api/users/${owner.id}`, { token, body: { password: newPassword } }),
  'another e-mail address': (service: TestService, { owner: { id, email, token } }: Actor) =>
    service.patch(`/api/users/${id}`, { token, body: { email: `new.${email}` } }),
  deletion: (service: TestService, { owner }: Actor, token: string) =>
    service.delete(`/api/users/${owner.id}`, { token }),
  'the key removed': (service: TestService, { owner: { token }, key }: Actor) =>
    service.delete(`/api/keys/${key?.id}`, { token }),
  suspension: (service: TestService, { owner }: Actor, token: string) =>
    service.put(`/api/users/${owner.id}/suspension`, { token, body: {} }),
};
type Way = keyof typeof ways;

const ofAccount: readonly Way[] = ['a password set by an administrator', 'deletion', 'suspension'];
const ofPassword: readonly Way[] = ['a password changed in another session', ...ofAccount];
const ofSession: readonly Way[] = ['sign-out', 'the session ended by an administrator', ...ofPassword];
const ofRole: readonly Way[] = ['demotion', ...ofSession];

/** What withdraws the right to each route that takes a body. */
const rows: Readonly<Record<string, readonly Way[]>> = {
  'POST /api/users': ofRole,
  'PUT /api/users/{id}': ofRole,
  'PATCH /api/users/{id}': ofRole,
  'PUT /api/users/{id}/suspension': ofRole,
  'PUT /api/users/{id}/totp': ofSession,
  'POST /api/sessions': [...ofPassword, 'another e-mail address'],
  'POST /api/sessions/{id}/tokens': ofSession,
  'POST /api/sessions/current/tokens': ofSession,
  'POST /api/keys': ofSession,
  'POST /customers': ofRole,
  'PUT /customers/{id}': ofRole,
  'PATCH /customers/{id}': ofRole,
  'POST /orders': ofRole,
  'PATCH /orders/{id}': ofRole,
  'POST /products': ofRole,
  'PUT /products/{id}': ofRole,
  'PATCH /products/{id}': ofRole,
  'PUT /shop': ofRole,
  'PATCH /shop': ofRole,
  'POST /webhooks': ofRole,
  'PATCH /webhooks/{id}': ofRole,
};
/** Of those, what no key can do. */
const isOfSession = /suspension|totp|sessions|keys|shop|webhooks/;
/** Tried in all of their ways; the others, whose rights the same functions check, in the usual ones. */
const thorough = /^POST \/api\/users$|^PATCH \/orders|sessions|keys/;
const usual: readonly Way[] = ['demotion', 'sign-out', 'the key removed'];

/** What only an administrator, or that owner, may send. */
const ownBodies: Readonly<Record<string, (actor: Actor, isKey: boolean) => object>> = {
  'POST /api/users': (_, isKey) => (isKey ? {} : { role: 'admin' }), // no key may give a role
  'PUT /api/users/{id}': ({ other }) => ({ email: other.email }),
  'POST /api/sessions/current/tokens': ({ browser }) => ({ browserKey: browser?.browserKey }),
  'POST /customers': ({ other }) => ({ userId: other.id }),
  'POST /orders': ({ other }) => ({ userId: other.id }),
};

test('every route that takes a body has a row', insideOnly, async (t) => {
  const { router } = (await serviceFor(t)).inside ?? assert.fail('it is skipped otherwise');
  const taking = router.mounted.filter(({ route }) => route.body !== undefined);
  const names = taking.map(({ route: { method, path } }) => `${method} ${path}`);
  assert.deepEqual(Object.keys(rows).sort(), names.sort());
});

describe('rights withdrawn between two halves of a body:', () => {
  let root = '';
  let target: Pick<Actor, 'other' | 'ids'> | undefined;
  const running = sharedService(withoutSyncs, async (service) => {
    root = await rootToken(service);
    const other = await service.person();
    const { id: orders, customerId: customers } = await newOrder(service, other.token);
    const { id: webhooks } = await newWebhook(service, root);
    await service.patch(`/webhooks/${webhooks}`, { token: root, body: { status: 'paused' } }); // its row stays
    const { id: products } = await newProduct(service, root);
    target = { other, ids: { users: other.id, customers, orders, products, webhooks } };
  });

  for (const [name, all] of Object.entries(rows)) {
    const ofKey: readonly Way[] = isOfSession.test(name) ? [] : ['demotion', 'the key removed', ...ofAccount];
    for (const [who, tried] of [
      ['', all],
      [' with a key', ofKey],
    ] as const)
      for (const way of tried.filter((each) => thorough.test(name) || usual.includes(each))) {
        const isKey = who !== '';
        if (isKey && name === 'POST /api/users' && way === 'demotion') continue; // here a key needs no role
        test(`${name}${who}, after ${way} between two halves of its body, is rejected`, () =>
          check(name, way, isKey));
      }
  }

  async function check(name: string, way: Way, isKey: boolean): Promise<void> {
    const service = running();
    const isBrowser = name === 'POST /api/sessions/current/tokens';
    const actor = await newActor({ isBrowser, isKey });
    const [method = '', path = ''] = name.split(' ');
    const isPublic = /sessions/.test(name);
    const credential = isBrowser
      ? [`Cookie: ${actor.browser?.cookie}`, 'Sec-Fetch-Site: same-origin']
      : isPublic
        ? []
        : [isKey ? `X-API-Key: ${actor.key?.key}` : `Authorization: Bearer ${actor.owner.token}`];
    const body = { ...bodies[name]?.(actor), ...ownBodies[name]?.(actor, isKey) };
    const late = await sendHalf(service, {
      head: [`${method} ${targetFor(path, actor)} HTTP/1.1`, ...credential, ''].join('\r\n'),
      body: JSON.stringify(body),
    });
    await done(Promise.resolve(ways[way](service, actor, root)));
    await service.inside?.cleanup.run(); // of a user who was deleted
    const before = service.inside?.database.stats.commits; // data_version changes with a checkpoint, too
    const code = way === 'demotion' ? 'forbidden' : isPublic ? 'invalid-credentials' : 'invalid-token';
    assertProblem(await late.sendRest(), code);
    assert.equal(service.inside?.database.stats.commits, before, 'nothing was written');
  }

  /** Only codes and sessions are the actor's own. */
  function targetFor(path: string, { owner, ids }: Actor): string {
    const users = path.endsWith('/totp') ? owner.id : (ids['users'] ?? 0);
    return targetOf(path, { ...ids, users, sessions: owner.sessionId });
  }

  async function newActor({ isBrowser = false, isKey = false }): Promise<Actor> {
    assert(target !== undefined, 'the suite runs');
    const owner = await running().person('admin');
    const key = isKey ? await newKey(running(), owner.token, { scopes }) : undefined;
    if (!isBrowser) return { ...target, owner, key, browser: undefined };
    const credentials = { email: owner.email, password, cookie: true };
    const { body, headers } = await running().post('/api/sessions', { body: credentials });
    const { id: sessionId, accessToken: token, browserKey } = body;
    const [cookie = ''] = headers['set-cookie']?.[0]?.split(';') ?? [];
    return { ...target, owner: { ...owner, sessionId, token }, key, browser: { cookie, browserKey } };
  }
});

test('a caller who has lost the right gets no issues of the body', async (t) => {
  const service = await serviceFor(t);
  const { token, sessionId } = await service.person();
  const head = `POST /orders HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n`;
  const late = await sendHalf(service, { head, body: '{"currency":"none"}' });
  await done(service.delete(`/api/sessions/${sessionId}`, { token }));
  assertProblem(await late.sendRest(), 'invalid-token');
});

describe('while a password is hashed', insideOnly, () => {
  test('while a password is hashed, an administrator who is demoted creates no administrator', async (t) => {
    const { service, pause } = await pausing(t);
    const [token, actor] = [await rootToken(service), await service.person('admin')];
    pause(() => service.patch(`/api/users/${actor.id}`, { token, body: { role: 'user' } }));
    const body = { name: 'Eve', email: 'eve@example.com', password, role: 'admin' };
    assertProblem(await service.post('/api/users', { token: actor.token, body }), 'forbidden');
    assert.equal((await service.get('/api/users?total=true', { token })).body.total, 2);
  });

  test('while a password is hashed, a session that is ended sets no password', async (t) => {
    const { service, pause } = await pausing(t);
    const { id, token, sessionId, email } = await service.person();
    pause(() => service.delete(`/api/sessions/${sessionId}`, { token }));
    const body = { password: newPassword, currentPassword: password };
    assertProblem(await service.patch(`/api/users/${id}`, { token, body }), 'invalid-token');
    await service.signIn(email, password);
  });

  test('while a password is verified, a user who is suspended does not get in', async (t) => {
    const { service, pause } = await pausing(t);
    const token = await rootToken(service);
    const { id, email } = await service.person();
    pause(() => service.put(`/api/users/${id}/suspension`, { token, body: {} }));
    const response = await service.post('/api/sessions', { body: { email, password } });
    assertProblem(response, 'invalid-credentials');
  });

  /** Once, before the next password is hashed or after it was verified, what `pause` is given happens. */
  async function pausing(t: TestContext) {
    const hasher = createPasswordHasher({ cost: { ln: 4, r: 1, p: 1 } });
    t.after(() => hasher.close());
    const none = async (): Promise<void> => {};
    let meanwhile = none;
    const once = (): Promise<void> => {
      const act = meanwhile;
      meanwhile = none;
      return act();
    };
    const pausing: PasswordHasher = {
      ...hasher,
      waiting: 0,
      hash: async (...all) => (await once(), hasher.hash(...all)),
      async verify(...all) {
        const isRight = await hasher.verify(...all);
        await once();
        return isRight;
      },
    };
    const service = await serviceFor(t, { hasher: pausing });
    const pause = (act: () => Parameters<typeof done>[0]): void => void (meanwhile = () => done(act()));
    return { service, pause };
  }
});

test('a demotion earlier in the same transaction counts', insideOnly, async (t) => {
  const demoted = route({
    method: 'POST',
    path: '/test/demoted',
    tag: 'Test',
    summary: 'Demotes the caller, then changes something as the caller',
    access: adminOnly,
    reply: { kind: 'none' },
    handle(call) {
      const demoting = call.write((permit) => {
        const user = requireOwned(userSource, permit, call.caller.userId);
        replaceUser(permit, user, { ...user, role: 'user' });
      });
      const changing = call.write(() => empty);
      return Promise.all([demoting, changing]).then(() => empty);
    },
  });
  const service = await serviceFor(t, { extraRoutes: [demoted] });
  const { token } = await service.person('admin');
  assertProblem(await service.post('/test/demoted', { token, isUndescribed: true }), 'forbidden');
});
