// Who may call what: every route × everyone who could ask (contract section 3). A route without a row fails.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anyone, scopes, type Scope } from '../../src/auth/access.ts';
import { noContent, emptyRepresentation, route, type Route } from '../../src/http/route.ts';
import { createRouter } from '../../src/http/router.ts';
import { items, newCustomer, newKey, newOrder } from '../resources/resource-support.ts';
import { password, serviceFor, type Call, type Person, type TestService } from '../service.ts';
import { assertProblem, sharedService } from './http-support.ts';

/** What belongs to the owner; made anew for each request that uses it up. */
type Subject = {
  readonly owner: Person;
  readonly customerId: number;
  readonly orderId: number;
  readonly keyId: number;
  /** Without orders. */
  readonly newCustomerId: number;
  readonly unusedEmail: string;
};

type Row = {
  /** A response for each of `callers`: a status, or the letter of a rejection. */
  readonly responses: string;
  /** What an API key needs; without one no key will do. */
  readonly scope?: Scope;
  readonly path: (subject: Subject) => string;
  readonly body?: (subject: Subject) => object;
};

/**
 * A key is the owner's. One `with` the scope has only that (all, where the route has none); one `without` has
 * all others.
 */
const callers = [
  'nobody',
  'owner',
  'other',
  'staff',
  'admin',
  'key with',
  'key without',
  'admin’s key',
  'bad token',
] as const;

type Caller = (typeof callers)[number];

const rejections: Readonly<
  Record<
    string,
    readonly [
      kind: 'unauthenticated' | 'invalid-token' | 'forbidden' | 'insufficient-scope' | 'validation-failed',
      status: number,
    ]
  >
> = {
  u: ['unauthenticated', 401],
  t: ['invalid-token', 401],
  f: ['forbidden', 403],
  s: ['insufficient-scope', 403],
  v: ['validation-failed', 422],
};

/** RFC 6750 section 3: without a credential no error is named. */
const challenges: Readonly<Record<string, string>> = {
  u: 'Bearer realm="orderly"',
  t: 'Bearer realm="orderly", error="invalid_token"',
};

const forAll = '200 200 200 200 200 200 200 200 200';

const user = ({ owner }: Subject): string => `/api/users/${owner.id}`;

const session = ({ owner }: Subject): string => `/api/sessions/${owner.sessionId}`;

const key = ({ keyId }: Subject): string => `/api/keys/${keyId}`;

const customer = ({ customerId }: Subject): string => `/customers/${customerId}`;

const order = ({ orderId }: Subject): string => `/orders/${orderId}`;

const at = (path: string) => (): string => path;

//                                       nobody owner other staff admin keyWith keyWithout adminKey badToken
const matrix: Readonly<Record<string, Row>> = {
  'POST /api/users': {
    responses: '201 201 201 201 201 201 s 201 t',
    scope: 'users:write',
    path: at('/api/users'),
    body: ({ unusedEmail }) => ({ name: 'Ada', email: unusedEmail, password }),
  },
  'GET /api/users': {
    responses: 'u   f   f   f   200 f   s 200 t',
    scope: 'users:read',
    path: at('/api/users'),
  },
  'GET /api/users/{id}': { responses: 'u   200 f   f   200 200 s 200 t', scope: 'users:read', path: user },
  'PUT /api/users/{id}': {
    responses: 'u   200 f   f   200 200 s 200 t',
    scope: 'users:write',
    path: user,
    body: ({ owner }) => ({ name: 'Ada', email: owner.email }),
  },
  'PATCH /api/users/{id}': {
    responses: 'u   200 f   f   200 200 s 200 t',
    scope: 'users:write',
    path: user,
    body: () => ({ name: 'Ada' }),
  },
  // with a key nobody has signed in lately
  'DELETE /api/users/{id}': {
    responses: 'u   204 f   f   204 s   s s   t',
    scope: 'users:write',
    path: user,
  },
  'GET /api/users/{id}/orders': {
    responses: 'u   200 f   200 200 200 s 200 t',
    scope: 'orders:read',
    path: (subject) => `${user(subject)}/orders`,
  },
  'GET /api/users/{id}/orders/{order_id}': {
    responses: 'u   200 f   200 200 200 s 200 t',
    scope: 'orders:read',
    path: (subject) => user(subject) + order(subject),
  },
  'POST /api/sessions': {
    responses: '201 201 201 201 201 201 201 201 201',
    path: at('/api/sessions'),
    body: ({ owner }) => ({ email: owner.email, password }),
  },
  'POST /api/sessions/{id}/tokens': {
    responses: '201 201 201 201 201 201 201 201 201',
    path: (subject) => `${session(subject)}/tokens`,
    body: ({ owner }) => ({ refreshToken: owner.refreshToken }),
  },
  'GET /api/sessions': { responses: 'u   200 200 200 200 s   s s   t', path: at('/api/sessions') },
  'GET /api/sessions/{id}': { responses: 'u   200 f   f   200 s   s s   t', path: session },
  'DELETE /api/sessions/{id}': { responses: 'u   204 f   f   204 s   s s   t', path: session },
  'POST /api/keys': {
    responses: 'u   201 201 201 201 s   s s   t',
    path: at('/api/keys'),
    body: () => ({ name: 'till', scopes: ['orders:read'] }),
  },
  'GET /api/keys': { responses: 'u   200 200 200 200 s   s s   t', path: at('/api/keys') },
  'GET /api/keys/{id}': { responses: 'u   200 f   f   200 s   s s   t', path: key },
  'DELETE /api/keys/{id}': { responses: 'u   204 f   f   204 s   s s   t', path: key },
  'GET /customers': {
    responses: 'u   200 200 200 200 200 s 200 t',
    scope: 'customers:read',
    path: at('/customers'),
  },
  'POST /customers': {
    responses: 'u   201 201 201 201 201 s 201 t',
    scope: 'customers:write',
    path: at('/customers'),
    body: () => ({ name: 'Grace' }),
  },
  'GET /customers/{id}': {
    responses: 'u   200 f   200 200 200 s 200 t',
    scope: 'customers:read',
    path: customer,
  },
  'PUT /customers/{id}': {
    responses: 'u   200 f   200 200 200 s 200 t',
    scope: 'customers:write',
    path: customer,
    body: () => ({ name: 'Grace' }),
  },
  'PATCH /customers/{id}': {
    responses: 'u   200 f   200 200 200 s 200 t',
    scope: 'customers:write',
    path: customer,
    body: () => ({ name: 'Grace' }),
  },
  'DELETE /customers/{id}': {
    responses: 'u   204 f   204 204 204 s 204 t',
    scope: 'customers:write',
    path: ({ newCustomerId }) => `/customers/${newCustomerId}`,
  },
  'GET /customers/{id}/orders': {
    responses: 'u   200 f   200 200 200 s 200 t',
    scope: 'orders:read',
    path: (subject) => `${customer(subject)}/orders`,
  },
  'GET /orders': { responses: 'u   200 200 200 200 200 s 200 t', scope: 'orders:read', path: at('/orders') },
  'POST /orders': {
    responses: 'u   201 v   201 201 201 s 201 t',
    scope: 'orders:write',
    path: at('/orders'),
    body: ({ customerId }) => ({ customerId, currency: 'EUR', items }),
  },
  'GET /orders/{id}': { responses: 'u   200 f   200 200 200 s 200 t', scope: 'orders:read', path: order },
  'PATCH /orders/{id}': {
    responses: 'u   200 f   200 200 200 s 200 t',
    scope: 'orders:write',
    path: order,
    body: () => ({ note: 'Please ring twice.' }),
  },
  'GET /': { responses: forAll, path: at('/') },
  'GET /.well-known/api-catalog': { responses: forAll, path: at('/.well-known/api-catalog') },
  'GET /health/live': { responses: forAll, path: at('/health/live') },
  'GET /health/ready': { responses: forAll, path: at('/health/ready') },
  'GET /openapi.json': { responses: forAll, path: at('/openapi.json') },
  'GET /docs': { responses: forAll, path: at('/docs') },
  'GET /problems': { responses: forAll, path: at('/problems') },
  'GET /problems/{name}': { responses: forAll, path: at('/problems/forbidden') },
  // from the machine itself
  'GET /metrics': { responses: '200 200 200 200 200 200 200 200 t', path: at('/metrics') },
};

test('every route has a row in the access matrix, and every row a route', async (t) => {
  const service = await serviceFor(t);
  if (service.inside === undefined) return t.skip('needs the list of routes');
  const routes = service.inside.app.router.mounted.map(({ route: { method, path } }) => `${method} ${path}`);
  assert.deepEqual(Object.keys(matrix).sort(), routes.sort());
});

test('a route without an access rule doesn’t start', () => {
  const open = route({
    method: 'GET',
    path: '/open',
    tag: 'Test',
    summary: 'Open',
    access: anyone,
    reply: noContent(),
    handle: () => emptyRepresentation,
  });
  const { access: _forgotten, ...undecided } = open;
  const mount = (routes: readonly object[]): unknown =>
    createRouter([{ routes: routes as readonly Route[], invalidStatus: 400 }]); // as an untyped caller would
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
});

describe('access to', () => {
  const everyone: { other?: Person; staff?: Person; admin?: Person } = {};
  const running = sharedService({}, async (service) => {
    Object.assign(everyone, {
      other: await service.person(),
      staff: await service.person('staff'),
      admin: await service.person('admin'),
    });
  });

  for (const [name, row] of Object.entries(matrix)) {
    test(`${name} is as the access matrix says`, async () => {
      const service = running();
      const [method = ''] = name.split(' ');
      const responses = row.responses.split(/ +/);
      assert.equal(responses.length, callers.length);
      let subject = await newSubject(service);
      for (const [index, caller] of callers.entries()) {
        const call: Call = {
          ...(await credentialOf(service, caller, subject.owner, row.scope)),
          body: row.body?.(subject),
        };
        const path = row.path(subject);
        await checkCell(service, method, path, call, responses[index] ?? '', `${name} by ${caller}`);
        if (method === 'DELETE' || method === 'POST') subject = await newSubject(service);
      }
    });
  }

  async function checkCell(
    service: TestService,
    method: string,
    path: string,
    call: Call,
    expected: string,
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
    const challenge = challenges[expected];
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
        return { key: (await newKey(service, owner.token, { scopes: only })).key };
      case 'key without':
        return {
          key: (await newKey(service, owner.token, { scopes: scopes.filter((each) => each !== scope) })).key,
        };
      case 'admin’s key':
        return { key: (await newKey(service, admin?.token ?? '', { scopes: only })).key };
      case 'bad token':
        return { token: `${owner.token.slice(0, -4)}AAAA` };
    }
  }
});

async function newSubject(service: TestService): Promise<Subject> {
  const owner = await service.person();
  const { id: orderId, customerId } = await newOrder(service, owner.token);
  const { id: keyId } = await newKey(service, owner.token);
  const { id: newCustomerId } = await newCustomer(service, owner.token);
  return { owner, customerId, orderId, keyId, newCustomerId, unusedEmail: `subject${owner.id}@example.com` };
}
