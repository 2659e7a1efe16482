// The table of the access matrix: every route, and the response to every kind of caller.
import { randomUUID } from 'node:crypto';
import type { Scope } from '../../../src/auth/access.ts';
import { items } from '../../support/resource-support.ts';
import { password, type Person } from '../../support/service.ts';

/** Objects of the owner, which no request before those of this row has changed. */
export type Subject = {
  readonly owner: Person;
  readonly customerId: number;
  readonly orderId: number;
  /** The shop's. */
  readonly productId: number;
  readonly keyId: number;
  /** Without orders. */
  readonly newCustomerId: number;
  /** Of a user who is suspended. */
  readonly suspendedId: number;
  /** Nobody's. */
  readonly webhookId: number;
};

export type Row = {
  /** The response to each of `callers`: a status, or the letter of a rejection. */
  readonly responses: string;
  /** The scope that an API key needs; without one the route accepts no keys. */
  readonly scope?: Scope;
  readonly path: (subject: Subject) => string;
  readonly body?: (subject: Subject) => object;
  /** The Content-Type of the body, unless it is JSON. */
  readonly contentType?: string;
  /** Whether an accepted request can't be repeated, as no DELETE can. */
  readonly isOnce?: true;
};

/**
 * A key is the owner's. One `with` the scope has only that (all, where the route has none); one `without` has
 * all others.
 */
export const callers = [
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

export type Caller = (typeof callers)[number];

export const rejections: Readonly<
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

/** RFC 6750 section 3: without a credential no error is named; a key that lacks a scope is told which. */
export function challengeFor(rejection: string, scope: Scope | undefined): string | undefined {
  const error = { u: '', t: ', error="invalid_token"', s: ', error="insufficient_scope"' }[rejection];
  if (error === undefined) return undefined;
  const missing = rejection === 's' && scope !== undefined ? `, scope="${scope}"` : '';
  return `Bearer realm="orderly"${error}${missing}`;
}

const forAll = '200 200 200 200 200 200 200 200 200';
const noneForAll = forAll.replaceAll('200', '404');

const user = ({ owner }: Subject): string => `/api/users/${owner.id}`;

const suspension = ({ suspendedId }: Subject): string => `/api/users/${suspendedId}/suspension`;

const totp = (subject: Subject): string => `${user(subject)}/totp`;

const session = ({ owner }: Subject): string => `/api/sessions/${owner.sessionId}`;

const key = ({ keyId }: Subject): string => `/api/keys/${keyId}`;

const webhook = ({ webhookId }: Subject): string => `/webhooks/${webhookId}`;

const customer = ({ customerId }: Subject): string => `/customers/${customerId}`;

const product = ({ productId }: Subject): string => `/products/${productId}`;

const order = ({ orderId }: Subject): string => `/orders/${orderId}`;

const at = (path: string) => (): string => path;

//                                       nobody owner other staff admin keyWith keyWithout adminKey badToken
export const matrix: Readonly<Record<string, Row>> = {
  'POST /api/users': {
    responses: '201 201 201 201 201 201 s 201 t',
    scope: 'users:write',
    path: at('/api/users'),
    body: () => ({ name: 'Ada', email: `${randomUUID()}@example.com`, password }),
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
  'DELETE /api/users/{id}': {
    responses: 'u   204 f   f   204 s   s s   t',
    path: user,
  },
  'GET /api/users/{id}/suspension': {
    responses: 'u   f   f   f   200 f   s 200 t',
    scope: 'users:read',
    path: suspension,
  },
  'PUT /api/users/{id}/suspension': {
    responses: 'u   f   f   f   200 s   s s   t',
    path: suspension,
    body: () => ({ reason: 'Laptop stolen' }),
  },
  'DELETE /api/users/{id}/suspension': { responses: 'u   f   f   f   204 s   s s   t', path: suspension },
  'GET /api/users/{id}/totp': { responses: 'u   200 f   f   200 s   s s   t', path: totp },
  'POST /api/users/{id}/totp': { responses: 'u   201 f   f   f   s   s s   t', path: totp },
  'PUT /api/users/{id}/totp': {
    responses: 'u   400 f   f   f   s   s s   t', // no code fits by chance
    path: totp,
    body: () => ({ code: 'aaaa-aaaa' }),
  },
  'DELETE /api/users/{id}/totp': { responses: 'u   204 f   f   204 s   s s   t', path: totp },
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
  'GET /api/users/{id}/events': {
    responses: 'u   200 f   f   200 200 s 200 t',
    scope: 'events:read',
    path: (subject) => `${user(subject)}/events`,
  },
  'GET /customers/{id}/events': {
    responses: 'u   200 f   200 200 200 s 200 t',
    scope: 'events:read',
    path: (subject) => `${customer(subject)}/events`,
  },
  'GET /orders/{id}/events': {
    responses: 'u   200 f   200 200 200 s 200 t',
    scope: 'events:read',
    path: (subject) => `${order(subject)}/events`,
  },
  'GET /events': {
    responses: 'u   200 200 200 200 200 s 200 t',
    scope: 'events:read',
    path: at('/events'),
  },
  'POST /api/sessions': {
    responses: '201 201 201 201 201 201 201 201 201',
    path: at('/api/sessions'),
    body: ({ owner }) => ({ email: owner.email, password }),
  },
  // without Sec-Fetch-Site
  'POST /api/sessions/current/tokens': {
    responses: 'f f f f f f f f f',
    path: at('/api/sessions/current/tokens'),
    body: () => ({ browserKey: 'A'.repeat(43) }),
  },
  'POST /api/sessions/{id}/tokens': {
    responses: '201 201 201 201 201 201 201 201 201',
    path: (subject) => `${session(subject)}/tokens`,
    body: ({ owner }) => ({ refreshToken: owner.refreshToken }),
    isOnce: true,
  },
  'GET /api/sessions': { responses: 'u   200 200 200 200 s   s s   t', path: at('/api/sessions') },
  'DELETE /api/sessions': {
    responses: 'u   204 f   f   204 s   s s   t',
    path: ({ owner }) => `/api/sessions?userId=${owner.id}`,
  },
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
  'PUT /customers/{id}/erasure': {
    responses: 'u   f   f   f   204 s   s s   t',
    path: (subject) => `${customer(subject)}/erasure`,
  },
  'GET /customers/{id}/orders': {
    responses: 'u   200 f   200 200 200 s 200 t',
    scope: 'orders:read',
    path: (subject) => `${customer(subject)}/orders`,
  },
  'GET /products': {
    responses: 'u   200 200 200 200 200 s 200 t',
    scope: 'products:read',
    path: at('/products'),
  },
  'POST /products': {
    responses: 'u   f   f   201 201 f   s 201 t',
    scope: 'products:write',
    path: at('/products'),
    body: () => ({ sku: randomUUID(), name: 'Tea', unitPrice: 749, currency: 'EUR' }),
  },
  'GET /products/{id}': {
    responses: 'u   200 200 200 200 200 s 200 t',
    scope: 'products:read',
    path: product,
  },
  'PUT /products/{id}': {
    responses: 'u   f   f   200 200 f   s 200 t',
    scope: 'products:write',
    path: product,
    body: () => ({ sku: randomUUID(), name: 'Tea', unitPrice: 749, currency: 'EUR' }),
  },
  'PATCH /products/{id}': {
    responses: 'u   f   f   200 200 f   s 200 t',
    scope: 'products:write',
    path: product,
    body: () => ({ active: false }),
  },
  'DELETE /products/{id}': {
    responses: 'u   f   f   204 204 f   s 204 t',
    scope: 'products:write',
    path: product,
  },
  'GET /products/{id}/events': {
    responses: 'u   f   f   200 200 f   s 200 t',
    scope: 'events:read',
    path: (subject) => `${product(subject)}/events`,
  },
  'GET /shop': { responses: 'u   200 200 200 200 200 200 200 t', path: at('/shop') },
  'PUT /shop': { responses: 'u   f   f   f   200 s   s s t', path: at('/shop'), body: () => ({}) },
  'PATCH /shop': { responses: 'u   f   f   f   200 s   s s t', path: at('/shop'), body: () => ({}) },
  'GET /sales': { responses: 'u   f   f   200 200 f s 200 t', scope: 'orders:read', path: at('/sales') },
  'GET /sales/items': {
    responses: 'u   f   f   200 200 f s 200 t',
    scope: 'orders:read',
    path: at('/sales/items'),
  },
  'GET /orders': { responses: 'u   200 200 200 200 200 s 200 t', scope: 'orders:read', path: at('/orders') },
  'GET /orders/counts': {
    responses: 'u   200 200 200 200 200 s 200 t',
    scope: 'orders:read',
    path: at('/orders/counts'),
  },
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
  'POST /imports': {
    responses: 'u   f   f   f   200 f s 200 t',
    scope: 'orders:write',
    path: at('/imports'),
    body: () => Buffer.from('\n'),
    contentType: 'application/x-ndjson',
  },
  'GET /backups': { responses: 'u   f   f   f   200 s   s s   t', path: at('/backups') },
  'POST /backups': { responses: 'u   f   f   f   200 s   s s   t', path: at('/backups') },
  'GET /webhooks': { responses: 'u   f   f   f   200 s   s s   t', path: at('/webhooks') },
  'POST /webhooks': {
    responses: 'u   f   f   f   201 s   s s   t',
    path: at('/webhooks'),
    body: () => ({ url: 'https://hooks.example/', types: ['order.paid'] }),
  },
  'GET /webhooks/{id}': { responses: 'u   f   f   f   200 s   s s   t', path: webhook },
  'PATCH /webhooks/{id}': {
    responses: 'u   f   f   f   200 s   s s   t',
    path: webhook,
    body: () => ({ status: 'paused' }),
  },
  'DELETE /webhooks/{id}': { responses: 'u   f   f   f   204 s   s s   t', path: webhook },
  'POST /webhooks/{id}/secrets': {
    responses: 'u   f   f   f   201 s   s s   t',
    path: (subject) => `${webhook(subject)}/secrets`,
  },
  'GET /': { responses: forAll, path: at('/') },
  'GET /health/live': { responses: forAll, path: at('/health/live') },
  'GET /health/ready': { responses: forAll, path: at('/health/ready') },
  'GET /openapi.json': { responses: forAll, path: at('/openapi.json') },
  'GET /docs': { responses: forAll, path: at('/docs') },
  'GET /console': { responses: forAll, path: at('/console') },
  'GET /console/{name}': { responses: forAll, path: at('/console/console.css') },
  'GET /problems': { responses: forAll, path: at('/problems') },
  'GET /problems/{name}': { responses: forAll, path: at('/problems/forbidden') },
  // anyone; but the tests' service has no authority of its own
  'GET /certificate': { responses: noneForAll, path: at('/certificate') },
  'GET /certificate/ca.crt': { responses: noneForAll, path: at('/certificate/ca.crt') },
  // from the machine itself
  'GET /metrics': { responses: '200 200 200 200 200 200 200 200 t', path: at('/metrics') },
};
