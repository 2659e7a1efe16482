// The table of the access matrix: every route, and the response to every kind of caller; and a body for each route
// that takes one.
import { randomUUID } from 'node:crypto';
import type { Scope } from '../../../src/auth/access.ts';
import type { ProblemCode } from '../../../src/problem.ts';
import { items } from '../../support/resource-support.ts';
import { password, type Person } from '../../support/service.ts';

/** Objects of the owner. `ids` has an id for each segment of a path that an id follows. */
export type Subject = { readonly owner: Person; readonly ids: Readonly<Record<string, number | string>> };

export type Row = {
  readonly method: string;
  readonly path: string;
  /** The response to each of `callers`: a status, or the letter of a rejection. */
  readonly responses: readonly string[];
  /** The scope that an API key needs; without one the route accepts no keys, or any. */
  readonly scope: Scope | undefined;
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

export const rejections: Readonly<Record<string, readonly [code: ProblemCode, status: number]>> = {
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

/** The tests' service has no authority of its own, so nobody gets its certificate. Metrics are the machine's own. */
const table = `
                                      nobody owner other staff admin with without admin’s bad   scope
POST /api/users                          201   201   201   201   201  201     s     201    t    users:write
GET /api/users                            u     f     f     f    200   f      s     200    t    users:read
GET /api/users/{id}                       u    200    f     f    200  200     s     200    t    users:read
PUT /api/users/{id}                       u    200    f     f    200  200     s     200    t    users:write
PATCH /api/users/{id}                     u    200    f     f    200  200     s     200    t    users:write
DELETE /api/users/{id}                    u    204    f     f    204   s      s      s     t
GET /api/users/{id}/suspension            u     f     f     f    200   f      s     200    t    users:read
PUT /api/users/{id}/suspension            u     f     f     f    200   s      s      s     t
DELETE /api/users/{id}/suspension         u     f     f     f    204   s      s      s     t
GET /api/users/{id}/totp                  u    200    f     f    200   s      s      s     t
POST /api/users/{id}/totp                 u    201    f     f     f    s      s      s     t
PUT /api/users/{id}/totp                  u    400    f     f     f    s      s      s     t
DELETE /api/users/{id}/totp               u    204    f     f    204   s      s      s     t
GET /api/users/{id}/orders                u    200    f    200   200  200     s     200    t    orders:read
GET /api/users/{id}/orders/{order_id}     u    200    f    200   200  200     s     200    t    orders:read
GET /api/users/{id}/events                u    200    f     f    200  200     s     200    t    events:read
GET /customers/{id}/events                u    200    f    200   200  200     s     200    t    events:read
GET /orders/{id}/events                   u    200    f    200   200  200     s     200    t    events:read
GET /events                               u    200   200   200   200  200     s     200    t    events:read
POST /api/sessions                       201   201   201   201   201  201    201    201   201
POST /api/sessions/current/tokens         f     f     f     f     f    f      f      f     f
POST /api/sessions/{id}/tokens           201   201   201   201   201  201    201    201   201
GET /api/sessions                         u    200   200   200   200   s      s      s     t
DELETE /api/sessions                      u    204    f     f    204   s      s      s     t
GET /api/sessions/{id}                    u    200    f     f    200   s      s      s     t
DELETE /api/sessions/{id}                 u    204    f     f    204   s      s      s     t
POST /api/keys                            u    201   201   201   201   s      s      s     t
GET /api/keys                             u    200   200   200   200   s      s      s     t
GET /api/keys/{id}                        u    200    f     f    200   s      s      s     t
DELETE /api/keys/{id}                     u    204    f     f    204   s      s      s     t
GET /customers                            u    200   200   200   200  200     s     200    t    customers:read
POST /customers                           u    201   201   201   201  201     s     201    t    customers:write
GET /customers/{id}                       u    200    f    200   200  200     s     200    t    customers:read
PUT /customers/{id}                       u    200    f    200   200  200     s     200    t    customers:write
PATCH /customers/{id}                     u    200    f    200   200  200     s     200    t    customers:write
DELETE /customers/{id}                    u    204    f    204   204  204     s     204    t    customers:write
PUT /customers/{id}/erasure               u     f     f     f    204   s      s      s     t
GET /customers/{id}/orders                u    200    f    200   200  200     s     200    t    orders:read
GET /products                             u    200   200   200   200  200     s     200    t    products:read
POST /products                            u     f     f    201   201   f      s     201    t    products:write
GET /products/{id}                        u    200   200   200   200  200     s     200    t    products:read
PUT /products/{id}                        u     f     f    200   200   f      s     200    t    products:write
PATCH /products/{id}                      u     f     f    200   200   f      s     200    t    products:write
DELETE /products/{id}                     u     f     f    204   204   f      s     204    t    products:write
GET /products/{id}/events                 u     f     f    200   200   f      s     200    t    events:read
GET /shop                                 u    200   200   200   200  200    200    200    t
PUT /shop                                 u     f     f     f    200   s      s      s     t
PATCH /shop                               u     f     f     f    200   s      s      s     t
GET /sales                                u     f     f    200   200   f      s     200    t    orders:read
GET /sales/items                          u     f     f    200   200   f      s     200    t    orders:read
GET /orders                               u    200   200   200   200  200     s     200    t    orders:read
GET /orders/counts                        u    200   200   200   200  200     s     200    t    orders:read
POST /orders                              u    201    v    201   201  201     s     201    t    orders:write
GET /orders/{id}                          u    200    f    200   200  200     s     200    t    orders:read
PATCH /orders/{id}                        u    200    f    200   200  200     s     200    t    orders:write
POST /imports                             u     f     f     f    200   f      s     200    t    orders:write
GET /backups                              u     f     f     f    200   s      s      s     t
POST /backups                             u     f     f     f    200   s      s      s     t
GET /webhooks                             u     f     f     f    200   s      s      s     t
POST /webhooks                            u     f     f     f    201   s      s      s     t
GET /webhooks/{id}                        u     f     f     f    200   s      s      s     t
PATCH /webhooks/{id}                      u     f     f     f    200   s      s      s     t
DELETE /webhooks/{id}                     u     f     f     f    204   s      s      s     t
POST /webhooks/{id}/secrets               u     f     f     f    201   s      s      s     t
GET /                                    200   200   200   200   200  200    200    200   200
GET /health/live                         200   200   200   200   200  200    200    200   200
GET /health/ready                        200   200   200   200   200  200    200    200   200
GET /openapi.json                        200   200   200   200   200  200    200    200   200
GET /docs                                200   200   200   200   200  200    200    200   200
GET /console                             200   200   200   200   200  200    200    200   200
GET /console/{name}                      200   200   200   200   200  200    200    200   200
GET /problems                            200   200   200   200   200  200    200    200   200
GET /problems/{name}                     200   200   200   200   200  200    200    200   200
GET /certificate                         404   404   404   404   404  404    404    404   404
GET /certificate/ca.crt                  404   404   404   404   404  404    404    404   404
GET /metrics                             200   200   200   200   200  200    200    200    t`;

/** The row of each route, by its method and path. */
export const matrix: ReadonlyMap<string, Row> = new Map(
  table
    .split('\n')
    .slice(2)
    .map((line): [string, Row] => {
      const [method = '', path = '', ...cells] = line.split(/ +/);
      const scope = cells[callers.length] as Scope | undefined; // the last column
      return [`${method} ${path}`, { method, path, responses: cells.slice(0, callers.length), scope }];
    }),
);

const product = (): object => ({ sku: randomUUID(), name: 'Tea', unitPrice: 749, currency: 'EUR' });

/** A body for each route that takes one. */
export const bodies: Readonly<Record<string, (subject: Subject) => object>> = {
  'POST /api/users': () => ({ name: 'Ada', email: `${randomUUID()}@example.com`, password }),
  'PUT /api/users/{id}': ({ owner }) => ({ name: 'Ada', email: owner.email }),
  'PATCH /api/users/{id}': () => ({ name: 'Ada' }),
  'PUT /api/users/{id}/suspension': () => ({ reason: 'Laptop stolen' }),
  'PUT /api/users/{id}/totp': () => ({ code: 'aaaa-aaaa' }), // no code fits by chance
  'POST /api/sessions': ({ owner }) => ({ email: owner.email, password }),
  'POST /api/sessions/current/tokens': () => ({ browserKey: 'A'.repeat(43) }),
  'POST /api/sessions/{id}/tokens': ({ owner }) => ({ refreshToken: owner.refreshToken }),
  'POST /api/keys': () => ({ name: 'till', scopes: ['orders:read'] }),
  'POST /customers': () => ({ name: 'Grace' }),
  'PUT /customers/{id}': () => ({ name: 'Grace' }),
  'PATCH /customers/{id}': () => ({ name: 'Grace' }),
  'POST /products': product,
  'PUT /products/{id}': product,
  'PATCH /products/{id}': () => ({ active: false }),
  'PUT /shop': () => ({ name: 'Tea and more' }),
  'PATCH /shop': () => ({ name: 'Tea and more' }),
  'POST /orders': ({ ids }) => ({ customerId: ids['customers'], currency: 'EUR', items }),
  'PATCH /orders/{id}': () => ({ note: 'Please ring twice.' }),
  'POST /webhooks': () => ({ url: 'https://hooks.example/', types: ['order.paid'] }),
  'PATCH /webhooks/{id}': () => ({ url: 'https://hooks.example/changed' }),
};
