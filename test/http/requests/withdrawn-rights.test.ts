// The rights at the time of the change count: they may be withdrawn while a body arrives, while a password is
// hashed, or earlier in the same transaction.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test, type TestContext } from 'node:test';
import { adminOnly, scopes } from '../../../src/auth/access.ts';
import { createPasswordHasher, type PasswordHasher } from '../../../src/auth/password.ts';
import { replaceUser, userSource } from '../../../src/features/users/user-store.ts';
import { empty } from '../../../src/http/routing/reply.ts';
import { route } from '../../../src/http/routing/route.ts';
import { requireOwned } from '../../../src/storage/object-access.ts';
import { databaseFile } from '../../../src/storage/database-file.ts';
import {
  newKey,
  newOrder,
  newProduct,
  newWebhook,
  rootToken,
  targetOf,
} from '../../support/resource-support.ts';
import { insideOnly, password, serviceFor, type Person, type TestService } from '../../support/service.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { done, newPassword, sendHalf } from '../../support/withdrawn-support.ts';
import { bodies, type Subject } from './access-rows.ts';

/** An administrator, the owner, who is about to change an object of another user. No case changes what `ids` name. */
type Actor = Subject & {
  readonly other: Person;
  /** The actor's API key, if the request has one. */
  readonly key: { readonly id: number; readonly key: string } | undefined;
  /** Both halves of the credential, if the actor's session is a browser's. */
  readonly browser: { readonly cookie: string; readonly browserKey: string } | undefined;
};

type Outcome = 'invalid-token' | 'invalid-credentials' | 'forbidden';

/** Each happens once the head and half of the body have arrived. */
const ways: Readonly<Record<string, (service: TestService, actor: Actor, root: string) => Promise<unknown>>> =
  {
    demotion: (service, { owner }, token) =>
      done(service.patch(`/api/users/${owner.id}`, { token, body: { role: 'user' } })),
    'sign-out': (service, { owner }) =>
      done(service.delete(`/api/sessions/${owner.sessionId}`, { token: owner.token })),
    'the session ended by an administrator': (service, { owner }, token) =>
      done(service.delete(`/api/sessions/${owner.sessionId}`, { token })),
    'a password changed in another session': async (service, { owner }) => {
      const { token } = await service.signIn(owner.email, password);
      const body = { password: newPassword, currentPassword: password };
      await done(service.patch(`/api/users/${owner.id}`, { token, body }));
    },
    'a password set by an administrator': (service, { owner }, token) =>
      done(service.patch(`/api/users/${owner.id}`, { token, body: { password: newPassword } })),
    'another e-mail address': (service, { owner }) =>
      done(
        service.patch(`/api/users/${owner.id}`, {
          token: owner.token,
          body: { email: `new.${owner.email}` },
        }),
      ),
    deletion: (service, { owner }, token) => done(service.delete(`/api/users/${owner.id}`, { token })),
    'the key removed': (service, { owner, key }) =>
      done(service.delete(`/api/keys/${key?.id}`, { token: owner.token })),
    suspension: (service, { owner }, token) =>
      done(service.put(`/api/users/${owner.id}/suspension`, { token, body: {} })),
  };

const ofSession = {
  'sign-out': 'invalid-token',
  'the session ended by an administrator': 'invalid-token',
  'a password changed in another session': 'invalid-token',
  'a password set by an administrator': 'invalid-token',
  deletion: 'invalid-token',
  suspension: 'invalid-token',
} as const;

const ofRole = { ...ofSession, demotion: 'forbidden' } as const;

const ofKey: Readonly<Record<string, Outcome>> = {
  'the key removed': 'invalid-token',
  'a password set by an administrator': 'invalid-token',
  deletion: 'invalid-token',
  suspension: 'invalid-token',
  demotion: 'forbidden',
};

const ofPassword = {
  'a password changed in another session': 'invalid-credentials',
  'a password set by an administrator': 'invalid-credentials',
  deletion: 'invalid-credentials',
  suspension: 'invalid-credentials',
} as const;
const ofRefreshToken = {
  ...ofPassword,
  'sign-out': 'invalid-credentials',
  'the session ended by an administrator': 'invalid-credentials',
} as const;

/** For each route, those of `ways` that withdraw the right, each with the response; no key can do what has a copy. */
const rows: Readonly<Record<string, Readonly<Record<string, Outcome>>>> = {
  'POST /api/users': ofRole,
  'PUT /api/users/{id}': ofRole,
  'PATCH /api/users/{id}': ofRole,
  'PUT /api/users/{id}/suspension': { ...ofRole },
  'PUT /api/users/{id}/totp': ofSession,
  'POST /api/sessions': { ...ofPassword, 'another e-mail address': 'invalid-credentials' },
  'POST /api/sessions/{id}/tokens': ofRefreshToken,
  'POST /api/sessions/current/tokens': ofRefreshToken,
  'POST /api/keys': ofSession,
  'POST /customers': ofRole,
  'PUT /customers/{id}': ofRole,
  'PATCH /customers/{id}': ofRole,
  'POST /orders': ofRole,
  'PATCH /orders/{id}': ofRole,
  'POST /products': ofRole,
  'PUT /products/{id}': ofRole,
  'PATCH /products/{id}': ofRole,
  'PUT /shop': { ...ofRole },
  'PATCH /shop': { ...ofRole },
  'POST /webhooks': { ...ofRole },
  'PATCH /webhooks/{id}': { ...ofRole },
};

/** Tried in all of `ways`; the others, whose rights the same functions check, in the usual ones. */
const thorough: readonly string[] = [
  'POST /api/users',
  'PATCH /orders/{id}',
  ...Object.keys(rows).filter((name) => /sessions|keys/.test(name)),
];
const usual: readonly string[] = ['demotion', 'sign-out', 'the key removed'];

/** What only an administrator, or that owner, may send. */
const ownBodies: Readonly<Record<string, (actor: Actor) => object>> = {
  'POST /api/users': ({ key }) => (key === undefined ? { role: 'admin' } : {}), // no key may give a role
  'PUT /api/users/{id}': ({ other }) => ({ email: other.email }),
  'POST /api/sessions/current/tokens': ({ browser }) => ({ browserKey: browser?.browserKey }),
  'POST /customers': ({ other }) => ({ userId: other.id }),
  'POST /orders': ({ other }) => ({ userId: other.id }),
};

test('every route that takes a body has a row', async (t) => {
  const service = await serviceFor(t);
  if (service.inside === undefined) return t.skip('needs the list of routes');
  const routes = service.inside.app.router.mounted.filter(({ route: { body } }) => body !== undefined);
  assert.deepEqual(
    Object.keys(rows).sort(),
    routes.map(({ route: { method, path } }) => `${method} ${path}`).sort(),
  );
  for (const { route } of routes) {
    const hasWays = Object.keys(rows[`${route.method} ${route.path}`] ?? {}).length > 3;
    assert.ok(hasWays, `${route.method} ${route.path}: a right that can't be withdrawn?`);
  }
});

describe('rights withdrawn between two halves of a body:', () => {
  const instantly = { fdatasync: (_: number, synced: (error: null) => void) => setImmediate(synced, null) };
  let root = '';
  let target: Pick<Actor, 'other' | 'ids'> | undefined;
  let sqlite: DatabaseSync | undefined;
  after(() => sqlite?.close());
  const running = sharedService(instantly, async (service) => {
    root = await rootToken(service);
    const other = await service.person();
    const { id: orders, customerId: customers } = await newOrder(service, other.token);
    const { id: webhooks } = await newWebhook(service, root);
    await service.patch(`/webhooks/${webhooks}`, { token: root, body: { status: 'paused' } }); // its row stays
    const { id: products } = await newProduct(service, root);
    target = { other, ids: { users: other.id, customers, orders, products, webhooks } };
    sqlite = new DatabaseSync(databaseFile(service.folder), { readOnly: true });
  });

  for (const [name, outcomes] of Object.entries(rows)) {
    const isTried = (way: string): boolean => thorough.includes(name) || usual.includes(way);
    for (const [way, response] of Object.entries(outcomes).filter(([each]) => isTried(each)))
      test(`${name}, after ${way} between two halves of its body, is ${response}`, () =>
        check(name, { way, response, isKey: false }));
    if (outcomes !== ofRole) continue; // no key can do it
    for (const [way, response] of Object.entries(ofKey).filter(([each]) => isTried(each))) {
      if (name === 'POST /api/users' && way === 'demotion') continue; // here a key needs no role
      test(`${name} with a key, after ${way} between two halves of its body, is ${response}`, () =>
        check(name, { way, response, isKey: true }));
    }
  }

  async function check(
    name: string,
    { way, response, isKey }: { way: string; response: Outcome; isKey: boolean },
  ): Promise<void> {
    const service = running();
    const isBrowser = name === 'POST /api/sessions/current/tokens';
    const actor = await newActor({ isKey, isBrowser });
    const [method = '', path = ''] = name.split(' ');
    let credential = isKey ? `X-API-Key: ${actor.key?.key}` : `Authorization: Bearer ${actor.owner.token}`;
    if (isBrowser) credential = `Sec-Fetch-Site: same-origin\r\nCookie: ${actor.browser?.cookie}`;
    const isPublic = response === 'invalid-credentials' && !isBrowser;
    const body = { ...bodies[name]?.(actor), ...ownBodies[name]?.(actor) };
    const late = await sendHalf(service, {
      head: `${method} ${targetFor(path, actor)} HTTP/1.1\r\n${isPublic ? '' : `${credential}\r\n`}`,
      body: JSON.stringify(body),
    });
    await ways[way]?.(service, actor, root);
    const before = await stateOf(service, actor);
    assertProblem(await late.sendRest(), response, response === 'forbidden' ? 403 : 401);
    assert.deepEqual(await stateOf(service, actor), before);
  }

  /** Only codes and sessions are the actor's own. */
  function targetFor(path: string, { owner, ids }: Actor): string {
    const users = path.endsWith('/totp') ? owner.id : (ids['users'] ?? 0);
    return targetOf(path, { ...ids, users, sessions: owner.sessionId });
  }

  async function newActor(of: { readonly isKey: boolean; readonly isBrowser: boolean }): Promise<Actor> {
    assert(target !== undefined, 'the suite runs');
    const owner = await running().person('admin');
    const key = of.isKey ? await newKey(running(), owner.token, { scopes }) : undefined;
    if (!of.isBrowser) return { ...target, owner, key, browser: undefined };
    const credentials = { email: owner.email, password, cookie: true };
    const { body, headers } = await running().post('/api/sessions', { body: credentials });
    const { id: sessionId, accessToken: token, browserKey } = body;
    const [cookie = ''] = headers['set-cookie']?.[0]?.split(';') ?? [];
    return { ...target, owner: { ...owner, sessionId, token }, key, browser: { cookie, browserKey } };
  }

  /** The objects that the requests are about, and the last id of each kind. */
  async function stateOf(service: TestService, { owner, ids }: Actor): Promise<unknown[]> {
    const objects = [
      '/api/users/{id}',
      '/customers/{id}',
      '/orders/{id}',
      '/products/{id}',
      '/webhooks/{id}',
    ];
    const sessions = [owner.id, ids['users']].map((id) => `/api/sessions?userId=${id}`);
    const paths = [...objects.map((path) => targetOf(path, ids)), '/shop', ...sessions];
    const texts = paths.map(async (path) => (await service.get(path, { token: root })).text);
    const lastIds = "SELECT name, seq FROM sqlite_sequence UNION SELECT 'orders', max(id) FROM orders";
    return [await Promise.all(texts), sqlite?.prepare(lastIds).all()];
  }
});

test('a caller who has lost the right gets no issues of the body', async (t) => {
  const service = await serviceFor(t);
  const { token, sessionId } = await service.person();
  const head = `POST /orders HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n`;
  const late = await sendHalf(service, { head, body: '{"currency":"none"}' });
  await done(service.delete(`/api/sessions/${sessionId}`, { token }));
  assertProblem(await late.sendRest(), 'invalid-token', 401);
});

describe('while a password is hashed', insideOnly, () => {
  test('while a password is hashed, an administrator who is demoted creates no administrator', async (t) => {
    const { service, hashing, goOn } = await slowlyHashing(t);
    const [token, actor] = [await rootToken(service), await service.person('admin')];
    const begun = hashing();
    const body = { name: 'Eve', email: 'eve@example.com', password, role: 'admin' };
    const making = service.post('/api/users', { token: actor.token, body });
    await begun;
    await done(service.patch(`/api/users/${actor.id}`, { token, body: { role: 'user' } }));
    goOn();
    assertProblem(await making, 'forbidden');
    assert.equal((await service.get('/api/users?total=true', { token })).body.total, 2);
  });

  test('while a password is hashed, a session that is ended sets no password', async (t) => {
    const { service, hashing, goOn } = await slowlyHashing(t);
    const actor = await service.person();
    const begun = hashing();
    const body = { password: newPassword, currentPassword: password };
    const changing = service.patch(`/api/users/${actor.id}`, { token: actor.token, body });
    await begun;
    await done(service.delete(`/api/sessions/${actor.sessionId}`, { token: actor.token }));
    goOn();
    assertProblem(await changing, 'invalid-token');
    await service.signIn(actor.email, password);
  });

  test('while a password is verified, a user who is suspended does not get in', async (t) => {
    const hasher = createPasswordHasher({ cost: { ln: 4, r: 1, p: 1 } });
    t.after(() => hasher.close());
    let meanwhile = (): Promise<void> => Promise.resolve();
    const interrupted: PasswordHasher = {
      ...hasher,
      waiting: 0,
      async verify(...all) {
        const isRight = await hasher.verify(...all);
        await meanwhile();
        return isRight;
      },
    };
    const service = await serviceFor(t, { hasher: interrupted });
    const token = await rootToken(service);
    const { id, email } = await service.person();
    meanwhile = () => done(service.put(`/api/users/${id}/suspension`, { token, body: {} }));
    const response = await service.post('/api/sessions', { body: { email, password } });
    assertProblem(response, 'invalid-credentials');
  });

  /** `hashing()` resolves when the next hash begins, which then waits for `goOn`. */
  async function slowlyHashing(
    t: TestContext,
  ): Promise<{ service: TestService; hashing: () => Promise<void>; goOn: () => void }> {
    const hasher = createPasswordHasher({ cost: { ln: 4, r: 1, p: 1 } });
    t.after(() => hasher.close());
    const { promise: released, resolve: goOn } = Promise.withResolvers<void>();
    let begin: (() => void) | undefined;
    const slow: PasswordHasher = {
      ...hasher,
      waiting: 0,
      async hash(text) {
        begin?.();
        if (begin !== undefined) await released;
        return hasher.hash(text);
      },
    };
    const hashing = (): Promise<void> => new Promise((resolve) => (begin = resolve));
    return { service: await serviceFor(t, { hasher: slow }), hashing, goOn };
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
