// The rights at the time of the change count: they may be withdrawn while a body arrives, while a password is
// hashed, or earlier in the same transaction.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { scopes } from '../../../src/auth/access.ts';
import { route } from '../../../src/http/routing/route.ts';
import { databaseFile } from '../../../src/storage/database-file.ts';
import { items, newKey, newOrder, newProduct, newWebhook } from '../../support/resource-support.ts';
import { password, serviceFor, type Person, type TestService } from '../../support/service.ts';
import { assertProblem, codeOf, sharedService } from '../../support/http-support.ts';
import { done, newPassword, sendHalf } from '../../support/withdrawn-support.ts';

/** No case changes it, so all share it. */
type Target = {
  readonly other: Person;
  readonly customerId: number;
  readonly orderId: number;
  readonly productId: number;
  readonly webhookId: number;
};

/** An administrator who is about to change an object of another user. */
type Subject = Target & {
  readonly actor: Person;
  /** The actor's API key, if the request has one. */
  readonly key: { readonly id: number; readonly key: string } | undefined;
  /** Both halves of the credential, if the actor's session is a browser's. */
  readonly browser: { readonly cookie: string; readonly browserKey: string } | undefined;
};

type Row = {
  readonly path: (subject: Subject) => string;
  readonly body: (subject: Subject) => object;
  /** The request has this instead of a credential. */
  readonly fields?: (subject: Subject) => string;
  /** Those of `ways` that withdraw the right, each with the response. */
  readonly ways: Readonly<Record<string, Outcome>>;
};

type Outcome = 'invalid-token' | 'invalid-credentials' | 'forbidden';

/** Each happens once the head and half of the body have arrived. */
const ways: Readonly<
  Record<string, (service: TestService, subject: Subject, root: string) => Promise<unknown>>
> = {
  demotion: (service, { actor }, token) =>
    done(service.patch(`/api/users/${actor.id}`, { token, body: { role: 'user' } })),
  'sign-out': (service, { actor }) =>
    done(service.delete(`/api/sessions/${actor.sessionId}`, { token: actor.token })),
  'the session ended by an administrator': (service, { actor }, token) =>
    done(service.delete(`/api/sessions/${actor.sessionId}`, { token })),
  'a password changed in another session': async (service, { actor }) => {
    const { token } = await service.signIn(actor.email, password);
    const body = { password: newPassword, currentPassword: password };
    await done(service.patch(`/api/users/${actor.id}`, { token, body }));
  },
  'a password set by an administrator': (service, { actor }, token) =>
    done(service.patch(`/api/users/${actor.id}`, { token, body: { password: newPassword } })),
  'another e-mail address': (service, { actor }) =>
    done(
      service.patch(`/api/users/${actor.id}`, { token: actor.token, body: { email: `new.${actor.email}` } }),
    ),
  deletion: (service, { actor }, token) => done(service.delete(`/api/users/${actor.id}`, { token })),
  'the key removed': (service, { actor, key }) =>
    done(service.delete(`/api/keys/${key?.id}`, { token: actor.token })),
  suspension: (service, { actor }, token) =>
    done(service.put(`/api/users/${actor.id}/suspension`, { token, body: {} })),
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

const rows: Readonly<Record<string, Row>> = {
  'POST /api/users': {
    path: () => '/api/users',
    body: ({ actor, key }) => ({
      name: 'Eve',
      email: `eve${actor.id}@example.com`,
      password,
      ...(key === undefined ? { role: 'admin' } : {}), // no key may give a role
    }),
    ways: ofRole,
  },
  'PUT /api/users/{id}': {
    path: ({ other }) => `/api/users/${other.id}`,
    body: ({ other }) => ({ name: 'Changed', email: other.email }),
    ways: ofRole,
  },
  'PATCH /api/users/{id}': {
    path: ({ other }) => `/api/users/${other.id}`,
    body: () => ({ name: 'Changed' }),
    ways: ofRole,
  },
  'PUT /api/users/{id}/suspension': {
    path: ({ other }) => `/api/users/${other.id}/suspension`,
    body: () => ({ reason: 'Laptop stolen' }),
    ways: { ...ofRole }, // no key can do it
  },
  'PUT /api/users/{id}/totp': {
    path: ({ actor }) => `/api/users/${actor.id}/totp`,
    body: () => ({ code: '123456' }),
    ways: ofSession,
  },
  'POST /api/sessions': {
    path: () => '/api/sessions',
    body: ({ actor }) => ({ email: actor.email, password }),
    ways: { ...ofPassword, 'another e-mail address': 'invalid-credentials' },
  },
  'POST /api/sessions/{id}/tokens': {
    path: ({ actor }) => `/api/sessions/${actor.sessionId}/tokens`,
    body: ({ actor }) => ({ refreshToken: actor.refreshToken }),
    ways: ofRefreshToken,
  },
  'POST /api/sessions/current/tokens': {
    path: () => '/api/sessions/current/tokens',
    body: ({ browser }) => ({ browserKey: browser?.browserKey }),
    fields: ({ browser }) => `Sec-Fetch-Site: same-origin\r\nCookie: ${browser?.cookie}\r\n`,
    ways: ofRefreshToken,
  },
  'POST /api/keys': {
    path: () => '/api/keys',
    body: () => ({ name: 'for ever', scopes, expiresAt: null }),
    ways: ofSession,
  },
  'POST /customers': {
    path: () => '/customers',
    body: ({ other }) => ({ name: 'Grace', userId: other.id }),
    ways: ofRole,
  },
  'PUT /customers/{id}': {
    path: ({ customerId }) => `/customers/${customerId}`,
    body: () => ({ name: 'Changed' }),
    ways: ofRole,
  },
  'PATCH /customers/{id}': {
    path: ({ customerId }) => `/customers/${customerId}`,
    body: () => ({ name: 'Changed' }),
    ways: ofRole,
  },
  'POST /orders': {
    path: () => '/orders',
    body: ({ customerId, other }) => ({ customerId, userId: other.id, currency: 'EUR', items }),
    ways: ofRole,
  },
  'PATCH /orders/{id}': {
    path: ({ orderId }) => `/orders/${orderId}`,
    body: () => ({ status: 'paid' }),
    ways: ofRole,
  },
  'POST /products': {
    path: () => '/products',
    body: () => ({ sku: 'new', name: 'Tea', unitPrice: 749, currency: 'EUR' }),
    ways: ofRole,
  },
  'PUT /products/{id}': {
    path: ({ productId }) => `/products/${productId}`,
    body: () => ({ sku: 'new', name: 'Tea', unitPrice: 749, currency: 'EUR' }),
    ways: ofRole,
  },
  'PATCH /products/{id}': {
    path: ({ productId }) => `/products/${productId}`,
    body: () => ({ unitPrice: 1 }),
    ways: ofRole,
  },
  'PUT /shop': {
    path: () => '/shop',
    body: () => ({ name: 'Changed' }),
    ways: { ...ofRole }, // no key can do it
  },
  'PATCH /shop': {
    path: () => '/shop',
    body: () => ({ name: 'Changed' }),
    ways: { ...ofRole },
  },
  'POST /webhooks': {
    path: () => '/webhooks',
    body: () => ({ url: 'https://hooks.example/', types: ['order.paid'] }),
    ways: { ...ofRole },
  },
  'PATCH /webhooks/{id}': {
    path: ({ webhookId }) => `/webhooks/${webhookId}`,
    body: () => ({ url: 'https://eve.example/' }),
    ways: { ...ofRole },
  },
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
    const hasWays = Object.keys(rows[`${route.method} ${route.path}`]?.ways ?? {}).length > 3;
    assert.ok(hasWays, `${route.method} ${route.path}: a right that can't be withdrawn?`);
  }
});

describe('rights withdrawn between two halves of a body:', () => {
  const instantly = { fdatasync: (_: number, synced: (error: null) => void) => setImmediate(synced, null) };
  let root = '';
  let target: Target | undefined;
  let sqlite: DatabaseSync | undefined;
  after(() => sqlite?.close());
  const running = sharedService(instantly, async (service) => {
    root = (await service.signIn(service.admin.email, service.admin.password)).token;
    const other = await service.person();
    const { id: orderId, customerId } = await newOrder(service, other.token);
    const { id: webhookId } = await newWebhook(service, root);
    await service.patch(`/webhooks/${webhookId}`, { token: root, body: { status: 'paused' } }); // its row stays
    const { id: productId } = await newProduct(service, root);
    target = { other, customerId, orderId, productId, webhookId };
    sqlite = new DatabaseSync(databaseFile(service.folder), { readOnly: true });
  });

  for (const [name, row] of Object.entries(rows)) {
    for (const [way, response] of Object.entries(row.ways))
      test(`${name}, after ${way} between two halves of its body, is ${response}`, () =>
        check(name, row, { way, response, isKey: false }));
    if (row.ways !== ofRole) continue; // no key can do it
    for (const [way, response] of Object.entries(ofKey)) {
      if (name === 'POST /api/users' && way === 'demotion') continue; // here a key needs no role
      test(`${name} with a key, after ${way} between two halves of its body, is ${response}`, () =>
        check(name, row, { way, response, isKey: true }));
    }
  }

  async function check(
    name: string,
    { path, body, fields }: Row,
    { way, response, isKey }: { way: string; response: Outcome; isKey: boolean },
  ): Promise<void> {
    const service = running();
    const subject = await newSubject({ isKey, isBrowser: fields !== undefined });
    const [method = ''] = name.split(' ');
    const isPublic = response === 'invalid-credentials';
    const credential = isKey
      ? `X-API-Key: ${subject.key?.key}`
      : `Authorization: Bearer ${subject.actor.token}`;
    const sent = isPublic ? (fields?.(subject) ?? '') : `${credential}\r\n`;
    const late = await sendHalf(service, {
      head: `${method} ${path(subject)} HTTP/1.1\r\n${sent}`,
      body: JSON.stringify(body(subject)),
    });
    await ways[way]?.(service, subject, root);
    const before = await stateOf(service, subject);
    const given = await late.sendRest();
    assert.deepEqual(
      [given.status, codeOf(given.body.type)],
      [response === 'forbidden' ? 403 : 401, response],
    );
    assertProblem(given, response, response === 'forbidden' ? 403 : 401);
    assert.deepEqual(await stateOf(service, subject), before);
  }

  async function newSubject(of: { readonly isKey: boolean; readonly isBrowser: boolean }): Promise<Subject> {
    assert(target !== undefined, 'the suite runs');
    const actor = await running().person('admin');
    if (of.isBrowser) return { ...target, ...(await inBrowser(actor)), key: undefined };
    const key = of.isKey ? await newKey(running(), actor.token, { scopes }) : undefined;
    return { ...target, actor, key, browser: undefined };
  }

  async function inBrowser(actor: Person): Promise<Pick<Subject, 'actor' | 'browser'>> {
    const credentials = { email: actor.email, password, cookie: true };
    const { body, headers } = await running().post('/api/sessions', { body: credentials });
    const { id: sessionId, accessToken: token, browserKey } = body;
    const [cookie = ''] = headers['set-cookie']?.[0]?.split(';') ?? [];
    return { actor: { ...actor, sessionId, token }, browser: { cookie, browserKey } };
  }

  /** The objects that the requests are about, and the last id of each kind. */
  async function stateOf(
    service: TestService,
    { actor, other, customerId, orderId, productId, webhookId }: Subject,
  ): Promise<unknown[]> {
    const paths = [
      `/api/users/${other.id}`,
      `/customers/${customerId}`,
      `/orders/${orderId}`,
      `/products/${productId}`,
      '/shop',
      `/webhooks/${webhookId}`,
      `/api/sessions?userId=${actor.id}`,
      `/api/sessions?userId=${other.id}`,
    ];
    const texts = paths.map(async (path) => (await service.get(path, { token: root })).text);
    const ids = "SELECT name, seq FROM sqlite_sequence UNION SELECT 'orders', max(id) FROM orders";
    return [await Promise.all(texts), sqlite?.prepare(ids).all()];
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
