// A request that provokes each type of problem, for the tests of problem details.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { anyone, signedIn } from '../../../src/auth/access.ts';
import type { ProblemCode } from '../../../src/problem.ts';
import { sharedText } from '../../../src/http/responses/shared-document.ts';
import { represent } from '../../../src/http/responses/representation.ts';
import { route, type Route } from '../../../src/http/routing/route.ts';
import { object, string } from '../../../src/schema/schema.ts';
import { newCustomer, newKey, newOrder, readRemovedEvents } from '../../support/resource-support.ts';
import { signInWithoutCode } from '../../support/totp-support.ts';
import {
  password,
  serviceFor,
  type TestResponse,
  type Person,
  type TestService,
} from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { askRaw, askTooSlowly, type RawResponse } from '../../support/raw-connection.ts';

export const settings = { 'public-url': 'https://orders.example.com' };

export type Scene = {
  readonly t: TestContext;
  readonly service: TestService;
  readonly ada: Person;
  readonly root: string;
};
export type Provoked = TestResponse | RawResponse;

const Word = object({ word: string({ maxLength: 10, pattern: '^.*$' }) });
const about = {
  tag: 'Test',
  summary: 'Of a test',
  access: anyone,
  reply: { kind: 'document' },
} as const;
export const secret = 'the cause is /etc/passwd, line 7';

/** Failures that no handler should cause. */
export const failing: readonly Route[] = [
  route({
    ...about,
    method: 'GET',
    path: '/test/throws',
    handle: () => {
      throw new Error(secret);
    },
  }),
  route({
    ...about,
    method: 'GET',
    path: '/test/rejects',
    handle: () => Promise.reject(new TypeError(secret)),
  }),
  route({
    ...about,
    method: 'GET',
    path: '/test/throws-text',
    handle: () => {
      throw secret;
    },
  }),
  route({
    ...about,
    method: 'GET',
    path: '/test/throws-nothing',
    handle: () => {
      throw undefined;
    },
  }),
  route({ ...about, method: 'GET', path: '/test/rejects-null', handle: () => Promise.reject(null) }),
  route({ ...about, method: 'GET', path: '/test/returns-nothing', handle: () => undefined as never }),
  route({
    ...about,
    method: 'GET',
    path: '/test/bad-field',
    reply: { kind: 'shared document', cacheControl: 'no-store' },
    handle: () => sharedText('{}', { fields: ['X-Broken', `a\r\n${secret}`] }),
  }),
  route({
    ...about,
    method: 'GET',
    path: '/test/bad-sql',
    handle: ({ read }) => {
      read.get(`SELECT '${secret}' FROM nowhere`);
      return { kind: 'document', content: { word: 'a' } };
    },
  }),
  route({
    ...about,
    method: 'POST',
    path: '/test/bad-write',
    access: signedIn,
    body: Word,
    reply: { kind: 'object', schema: Word, location: () => '/test' },
    handle: (call) =>
      call.write(({ writer }) => {
        writer.run('INSERT INTO customers (name) VALUES (?)', secret);
        return represent({ word: 'a' }, { id: 1, ownerId: null });
      }),
  }),
];

/** A request for each problem. */
export const provocations: Readonly<Record<ProblemCode, (scene: Scene) => Promise<Provoked | undefined>>> = {
  'malformed-json': ({ service, ada }) => service.post('/customers', { token: ada.token, body: '{' }),
  'validation-failed': ({ service, ada }) => service.post('/customers', { token: ada.token, body: {} }),
  unauthenticated: ({ service }) => service.get('/orders'),
  'invalid-token': ({ service }) => service.get('/orders', { token: 'x.y.z' }),
  'invalid-credentials': ({ service, ada }) =>
    service.post('/api/sessions', { body: { email: ada.email, password: 'not the password' } }),
  'code-required': ({ service }) => signInWithoutCode(service),
  async 'step-up-required'({ service }) {
    if (service.inside === undefined) return undefined;
    const { id, token } = await service.person();
    service.clock.advance(601_000);
    const body = { email: 'new@example.com' };
    const response = await service.patch(`/api/users/${id}`, { token, body });
    service.clock.advance(-601_000);
    return response;
  },
  'multiple-credentials': async ({ service, ada }) =>
    service.get('/orders', { token: ada.token, key: (await newKey(service, ada.token)).key }),
  forbidden: ({ service, ada }) => service.get('/api/users', { token: ada.token }),
  'insufficient-scope': async ({ service, ada }) =>
    service.get('/customers', { key: (await newKey(service, ada.token)).key }),
  'not-found': ({ service, ada }) => service.get('/orders/999999', { token: ada.token }),
  'method-not-allowed': ({ service, ada }) => service.delete('/orders', { token: ada.token }),
  'not-acceptable': ({ service, ada }) =>
    service.get('/orders', { token: ada.token, headers: { accept: 'image/png' } }),
  'unsupported-media-type': ({ service, ada }) =>
    service.post('/customers', { token: ada.token, body: '{}', headers: { 'content-type': 'text/plain' } }),
  'content-too-large': ({ service, ada }) =>
    service.post('/customers', { token: ada.token, body: ' '.repeat(70_000) }),
  'uri-too-long': ({ service }) => service.get(`/orders?${'x'.repeat(9000)}`),
  'headers-too-large': ({ service }) =>
    askRaw(service.port, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
  'request-timeout': async ({ service: { inside } }) =>
    inside === undefined ? undefined : askTooSlowly(inside),
  'bad-request': ({ service }) => askRaw(service.port, 'nonsense\r\n\r\n'),
  'email-taken': ({ service, ada }) =>
    service.post('/api/users', { body: { name: 'Ada', email: ada.email.toUpperCase(), password } }),
  'last-admin': ({ service, root }) => service.delete('/api/users/1', { token: root }),
  'customer-has-orders': async ({ service, ada }) =>
    service.delete(`/customers/${(await newOrder(service, ada.token)).customerId}`, { token: ada.token }),
  'in-use': async ({ service, ada }) => {
    const { inside } = service;
    if (inside === undefined) return undefined;
    const { id } = await newCustomer(service, ada.token);
    await inside.database.write((writer) => {
      writer.get('CREATE TABLE references1 (customerId INTEGER REFERENCES customers ON DELETE RESTRICT)');
      writer.run('INSERT INTO references1 VALUES (?)', id);
    });
    return service.delete(`/customers/${id}`, { token: ada.token });
  },
  'invalid-transition': async ({ service, ada, root }) =>
    service.patch(`/orders/${(await newOrder(service, ada.token)).id}`, {
      token: root,
      body: { status: 'shipped' },
    }),
  async 'order-not-open'({ service, ada }) {
    const path = `/orders/${(await newOrder(service, ada.token)).id}`;
    await service.patch(path, { token: ada.token, body: { status: 'cancelled' } });
    return service.patch(path, { token: ada.token, body: { currency: 'USD' } });
  },
  'precondition-failed': async ({ service, ada }) =>
    service.delete(`/customers/${(await newCustomer(service, ada.token)).id}`, {
      token: ada.token,
      headers: { 'if-match': '"stale"' },
    }),
  async 'idempotency-key-reused'({ service, ada }) {
    const send = (name: string): Promise<TestResponse> =>
      service.post('/customers', {
        token: ada.token,
        headers: { 'idempotency-key': 'reused' },
        body: { name },
      });
    await send('Ada');
    return send('Bob');
  },
  async 'idempotency-key-in-progress'({ t }) {
    const held: (() => void)[] = [];
    let isHeld = false;
    const fdatasync = (_descriptor: number, done: (error: Error | null) => void): void => {
      if (isHeld) held.push(() => done(null));
      else setImmediate(done, null);
    };
    const service = await serviceFor(t, { settings, fdatasync });
    if (service.inside === undefined) return undefined;
    const { token } = await service.person();
    const headers = { 'idempotency-key': 'twice' };
    const send = (): Promise<TestResponse> =>
      service.post('/customers', { token, headers, body: { name: 'Ada' } });
    isHeld = true;
    const first = send();
    await until(() => held.length > 0);
    const second = await send();
    isHeld = false;
    for (const end of held) end();
    assert.equal((await first).status, 201);
    return second;
  },
  'invalid-cursor': ({ service, ada }) => service.get('/orders?cursor=foreign', { token: ada.token }),
  'events-gone': ({ t }) => readRemovedEvents(t, settings),
  'tls-required': ({ service }) => service.get('/orders', { headers: { 'x-forwarded-proto': 'https' } }),
  async unavailable({ t }) {
    let isBroken = false;
    const fdatasync = (_descriptor: number, done: (error: Error | null) => void): void =>
      void setImmediate(done, isBroken ? new Error('the disk has failed') : null);
    const service = await serviceFor(t, { settings, fdatasync, onFatal: () => {} });
    if (service.inside === undefined) return undefined;
    const { token } = await service.person();
    isBroken = true;
    return service.post('/customers', { token, body: { name: 'Ada' } });
  },
  'internal-error': ({ service }) =>
    service.inside === undefined ? Promise.resolve(undefined) : service.get('/test/throws'),
  async 'quota-exceeded'({ t }) {
    const service = await serviceFor(t, { settings: { ...settings, 'rate-anonymous': '1/60' } });
    await service.get('/problems');
    return service.get('/problems');
  },
};
