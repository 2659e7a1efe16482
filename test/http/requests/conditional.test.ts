// Conditional requests, in the order of RFC 9110 section 13.2.2: If-Match, then If-None-Match.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newCustomer, newKey, newOrder, newProduct } from '../../support/resource-support.ts';
import {
  password,
  serviceFor,
  type TestResponse,
  type TestService,
  type Person,
} from '../../support/service.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';

type Conditions = { readonly 'if-match'?: string; readonly 'if-none-match'?: string };

/** If-Match and If-None-Match, and the status of a GET with them; TAG is the current entity tag without quotes. */
type Case = readonly [match: string | undefined, noneMatch: string | undefined, status: 200 | 304 | 412];

/** According to RFC 9110 section 13. */
const cases: readonly Case[] = [
  [undefined, undefined, 200],
  ['"TAG"', undefined, 200],
  ['*', undefined, 200],
  ['"another"', undefined, 412],
  ['W/"TAG"', undefined, 412],
  ['w/"TAG"', undefined, 412],
  ['"TAG", "another"', undefined, 200],
  ['"another","one-more","TAG"', undefined, 200],
  [',, "TAG" ,', undefined, 200],
  ...['gzip', 'br', 'zstd'].flatMap((coding): Case[] => [
    // as proxies change it that compress
    [`"TAG-${coding}"`, undefined, 200],
    [undefined, `"a", "TAG-${coding}"`, 304],
    [`W/"TAG-${coding}"`, undefined, 412],
    [undefined, `W/"TAG-${coding}"`, 304],
    [`"-${coding}"`, undefined, 412],
  ]),
  ['"TAG-deflate"', undefined, 412],
  ['"TAG-gzip-gzip"', undefined, 412],
  ['"TAG_gzip"', undefined, 412],
  ['"TAG"-gzip', undefined, 412],
  ['"a", "b", W/"c"', undefined, 412],
  ['"a", W/"TAG"', undefined, 412],
  ['"a,b", "TAG"', undefined, 200],
  ['TAG', undefined, 412],
  ["'TAG'", undefined, 412],
  ['"tag"', undefined, 412],
  ['"TAGx"', undefined, 412],
  ['"TAG"x', undefined, 412],
  ['', undefined, 412],
  ['"*"', undefined, 412],
  [undefined, '"TAG"', 304],
  [undefined, 'W/"TAG"', 304],
  [undefined, '*', 304],
  [undefined, '"another"', 200],
  [undefined, '"a", "TAG"', 304],
  [undefined, '"a",W/"TAG","b"', 304],
  [undefined, '"a", W/"b"', 200],
  [undefined, 'yesterday', 200],
  [undefined, '', 200],
  ['"TAG"', '"TAG"', 304],
  ['"another"', '"TAG"', 412],
  ['"another"', '"a"', 412],
  ['"TAG"', '"a"', 200],
];

/** Every change is tried with these. */
const basic: readonly (string | undefined)[] = [undefined, '"TAG"', '*', '"another"'];

/** `tag` in a condition stands for the tag in another case. */
function conditionsFor([match, noneMatch]: Case, etag: string | undefined): Conditions {
  const current = String(etag).slice(1, -1);
  const other = current.toLowerCase() === current ? current.toUpperCase() : current.toLowerCase();
  const filled = (field: string): string => field.replace('TAG', current).replace(/\btag\b/, other);
  return {
    ...(match === undefined ? {} : { 'if-match': filled(match) }),
    ...(noneMatch === undefined ? {} : { 'if-none-match': filled(noneMatch) }),
  };
}

/** Creates an object of this account. */
type Creation = (service: TestService, token: string) => Promise<TestResponse['body']>;

describe('conditional requests', () => {
  let ada: Person, staff: Person;
  const service = sharedService({}, async (started) => {
    [ada, staff] = [await started.person(), await started.person('staff')];
  });
  const ask = (
    method: string,
    path: string,
    headers: Conditions = {},
    body?: object,
  ): Promise<TestResponse> =>
    service().call(method, path, { token: ada.token, headers: { ...headers }, body });
  const pathOf = async (list: string, make: Creation): Promise<string> =>
    `${list}/${(await make(service(), ada.token)).id}`;
  let count = 0;
  const another = (): object => ({ name: `Changed ${(count += 1)}` });
  const signIn: Creation = async () => ({
    id: (await service().signIn(ada.email, ada.password)).sessionId,
  });

  /** The path of a new object or of the user, and a change to it. */
  const changes: Readonly<Record<string, () => Promise<readonly [path: string, body?: object]>>> = {
    'PATCH of an order': async () => [await pathOf('/orders', newOrder), { note: 'changed' }],
    'PUT of a customer': async () => [await pathOf('/customers', newCustomer), another()],
    'PATCH of a customer': async () => [await pathOf('/customers', newCustomer), another()],
    'DELETE of a customer': async () => [await pathOf('/customers', newCustomer)],
    'PUT of a user': async () => [`/api/users/${ada.id}`, { ...another(), email: ada.email }],
    'PATCH of a user': async () => [`/api/users/${ada.id}`, another()],
    'DELETE of a session': async () => [await pathOf('/api/sessions', signIn)],
    'DELETE of a key': async () => [await pathOf('/api/keys', newKey)],
  };

  test('the 412 to a weak tag of the current version names the proxy, and to another one does not', async () => {
    const path = await pathOf('/customers', newCustomer);
    const { etag } = (await ask('GET', path)).headers;
    const detailOf = async (tag: string): Promise<string> =>
      (await ask('PATCH', path, { 'if-match': tag }, { name: 'B' })).body.detail;
    for (const tag of [`W/${etag}`, `W/${String(etag).slice(0, -1)}-gzip"`])
      assert.match(await detailOf(tag), /made weak \(W\/\), by a proxy that compresses/);
    for (const tag of ['W/"other"', '"other"']) assert.doesNotMatch(await detailOf(tag), /proxy/);
  });

  test('If-Match comes before the state: an outdated step that is not allowed either is 412', async () => {
    const { id } = await newOrder(service(), ada.token);
    const headers = { 'if-match': '"other"' };
    const sent = { token: staff.token, headers, body: { status: 'delivered' } };
    assertProblem(await service().patch(`/orders/${id}`, sent), 'precondition-failed');
  });

  const made: readonly (readonly [method: string, path: string, make: Creation, change: object])[] = [
    ['PUT', '/customers', newCustomer, { name: 'Changed' }],
    ['PATCH', '/customers', newCustomer, { name: 'Changed' }],
    ['PATCH', '/orders', newOrder, { note: 'changed' }],
    ['PUT', '/products', newProduct, { name: 'Changed' }],
    ['PATCH', '/products', newProduct, { name: 'Changed' }],
  ];
  for (const [method, list, make, change] of made) {
    test(`If-Match comes before read-only members: ${method} ${list}/{id} with all of an earlier read`, async () => {
      const { token } = staff;
      const path = `${list}/${(await make(service(), token)).id}`;
      const { body, headers } = await service().get(path, { token });
      service().clock.advance(1_000);
      await assertStatus(service().patch(path, { token, body: change }), 200);
      const sent = { token, body, headers: { 'if-match': String(headers.etag) } };
      assertProblem(await service().call(method, path, sent), 'precondition-failed');
    });
  }

  test('If-Match comes before the payment of an order that was refunded meanwhile', async () => {
    const { token } = staff;
    const path = `/orders/${(await newOrder(service(), token, { status: 'paid' })).id}`;
    const { etag } = (await service().get(path, { token })).headers;
    await service().patch(path, { token, body: { status: 'refunded' } });
    const sent = { token, body: { payment: 'cash' }, headers: { 'if-match': String(etag) } };
    assertProblem(await service().patch(path, sent), 'precondition-failed');
  });

  for (const each of cases) {
    const [match = 'none', noneMatch = 'none', status] = each;
    const what = `If-Match: ${match} and If-None-Match: ${noneMatch}`;
    test(`GET and HEAD with ${what}: ${status}`, async () => {
      const path = await pathOf('/customers', newCustomer);
      const current = await ask('GET', path);
      for (const method of ['GET', 'HEAD']) {
        const response = await ask(method, path, conditionsFor(each, current.headers.etag));
        assert.equal(response.status, status);
        if (status === 200)
          assert.deepEqual(
            [response.headers.etag, response.text],
            [current.headers.etag, method === 'GET' ? current.text : ''],
          );
        if (status === 412 && method === 'GET') assertProblem(response, 'precondition-failed');
      }
    });
    test(`a change with ${what}: ${status === 200 ? 'done' : 412}`, async () => {
      const names = basic.includes(each[0] ?? each[1]) ? Object.keys(changes) : ['PATCH of a customer'];
      for (const name of names) {
        const method = name.slice(0, name.indexOf(' '));
        const [path, body] = (await changes[name]?.()) ?? assert.fail(name);
        const before = await ask('GET', path);
        const response = await ask(method, path, conditionsFor(each, before.headers.etag), body);
        const after = await ask('GET', path);
        if (status !== 200) {
          assertProblem(response, 'precondition-failed');
          assert.deepEqual([after.text, after.headers.etag], [before.text, before.headers.etag], name);
        } else if (method === 'DELETE') assert.deepEqual([response.status, after.status], [204, 404], name);
        else {
          assert.deepEqual(
            [response.status, after.text, after.headers.etag],
            [200, response.text, response.headers.etag],
            name,
          );
          assert.notEqual(after.headers.etag, before.headers.etag, name);
        }
      }
    });
  }

  for (const [what, isAdmin] of [
    ['one’s own', false],
    ['another user’s', true],
  ] as const) {
    test(`all sessions, ${what}, end only if the list of them is the one that If-Match names`, async () => {
      const owner = await service().person();
      const { token } = isAdmin ? await service().person('admin') : owner;
      const path = isAdmin ? `/api/sessions?userId=${owner.id}` : '/api/sessions';
      const remove = (tag: string): Promise<TestResponse> =>
        service().delete(path, { token, headers: { 'if-match': tag } });
      const listTag = async (): Promise<string> =>
        String((await service().get(path, { token })).headers.etag);
      const before = await listTag();
      await service().signIn(owner.email, owner.password);
      for (const tag of ['"stale"', before]) assertProblem(await remove(tag), 'precondition-failed');
      await assertStatus(service().get('/orders', { token: owner.token }), 200);
      await assertStatus(remove(await listTag()), 204);
      assertProblem(await service().get('/orders', { token: owner.token }), 'invalid-token');
    });
  }

  const posts: readonly (readonly [what: string, conditions: Conditions, status: number])[] = [
    ['If-Match: a tag', { 'if-match': '"any"' }, 412],
    ['If-Match: *', { 'if-match': '*' }, 201],
    ['If-None-Match: a tag', { 'if-none-match': '"any"' }, 201],
    ['If-None-Match: *', { 'if-none-match': '*' }, 412],
  ];
  for (const [what, conditions, status] of posts) {
    test(`a POST with ${what} is ${status}`, async () => {
      const { token } = await service().person();
      const sent = { token, headers: { ...conditions }, body: { name: 'Ada' } };
      await assertStatus(service().post('/customers', sent), status);
      const { data } = (await service().get('/customers', { token })).body;
      assert.equal(data.length, status === 201 ? 1 : 0);
    });
  }

  test('a POST where nothing can be read fails with If-Match: *, unless it fails before', async () => {
    const headers = { 'if-match': '*' };
    const path = '/api/sessions/current/tokens';
    assertProblem(await service().post(path, { headers, body: {} }), 'precondition-failed');
    assertProblem(await service().post('/imports', { headers, body: {} }), 'unauthenticated');
    const typed = { ...headers, 'content-type': 'text/plain' };
    assertProblem(await service().post(path, { headers: typed, body: '{}' }), 'unsupported-media-type');
  });

  test('a 304 has the fields that a 200 would have had for caches, and no body', async () => {
    const { id, customerId } = await newOrder(service(), ada.token);
    for (const path of [
      `/orders/${id}`,
      `/customers/${customerId}`,
      `/api/users/${ada.id}`,
      `/api/sessions/${ada.sessionId}`,
      '/orders',
      '/orders?limit=1',
      '/customers',
      '/api/sessions',
      '/api/keys',
      `/api/users/${ada.id}/orders/${id}`,
    ]) {
      const full = await ask('GET', path);
      for (const method of ['GET', 'HEAD']) {
        const response = await ask(method, path, { 'if-none-match': String(full.headers.etag) });
        assert.deepEqual([response.status, response.text], [304, ''], path);
        for (const name of ['etag', 'cache-control', 'vary', 'link'])
          assert.equal(response.headers[name], full.headers[name], `${path} ${name}`);
        for (const name of ['content-type', 'content-length', 'transfer-encoding', 'content-security-policy'])
          assert.equal(response.headers[name], undefined, `${path} ${name}`);
        assert.match(String(response.headers['x-request-id']), /^[\w.-]+$/);
      }
      assert.deepEqual(
        [full.headers['cache-control'], full.headers.vary],
        ['private, no-cache', 'Accept, Authorization, X-API-Key'],
      );
      assert.match(String(full.headers.etag), /^"[\x21\x23-\x7e]+"$/, 'a strong tag');
    }
  });

  test('public documents can also be a 304', async () => {
    for (const path of ['/openapi.json', '/docs', '/problems', '/problems/not-found']) {
      const full = await service().get(path, { headers: { accept: '*/*' } });
      const response = await service().get(path, {
        headers: { accept: '*/*', 'if-none-match': String(full.headers.etag) },
      });
      assert.deepEqual([response.status, response.text], [304, ''], path);
    }
  });

  test('JSON and HTML of one page have different tags', async () => {
    const [html, json] = await Promise.all(
      ['text/html', 'application/json'].map((accept) =>
        service().get('/problems/not-found', { headers: { accept } }),
      ),
    );
    assert.notEqual(html?.headers.etag, json?.headers.etag);
  });

  test('a list’s tag changes when a row is added, changed or removed, and otherwise not', async () => {
    const { token } = await service().person();
    const tag = async (): Promise<string> =>
      String((await service().get('/customers', { token })).headers.etag);
    const tags = [await tag()];
    const { id } = await newCustomer(service(), token);
    tags.push(await tag());
    await service().patch(`/customers/${id}`, { token, body: { name: 'Changed' } });
    tags.push(await tag());
    assert.equal(tags.at(-1), await tag());
    await service().delete(`/customers/${id}`, { token });
    tags.push(await tag());
    assert.equal(new Set(tags.slice(0, 3)).size, 3);
    assert.equal(tags[3], tags[0]);
  });

  test('a changed password changes the user’s tag, although it isn’t shown', async () => {
    const { id, token } = await service().person();
    const before = await service().get(`/api/users/${id}`, { token });
    const response = await service().patch(`/api/users/${id}`, {
      token,
      body: { password: 'another password for tests', currentPassword: password },
    });
    assert.deepEqual(
      [response.status, response.text, response.headers.etag === before.headers.etag],
      [200, before.text, false],
    );
  });

  test('a change that is invalid without conditions is rejected as invalid, not with 412', async () => {
    const stale = { 'if-match': '"another"' };
    const path = `/customers/${(await newCustomer(service(), staff.token)).id}`;
    assertProblem(await ask('PATCH', path, stale, { name: 'x' }), 'forbidden');
    assertProblem(await ask('DELETE', '/customers/999999', stale), 'not-found');
    assertProblem(await ask('GET', '/customers/999999', { 'if-none-match': '*' }), 'not-found');
    assertProblem(
      await ask('PUT', '/customers/999999', { 'if-none-match': '*' }, { name: 'x' }),
      'not-found',
    );
    assertProblem(await service().patch(path, { headers: stale, body: { name: 'x' } }), 'unauthenticated');
    const own = await pathOf('/customers', newCustomer);
    assertProblem(await ask('PATCH', own, stale, { name: 7 }), 'validation-failed', 422);
    assertProblem(
      await service().patch(path, { token: ada.token, headers: stale, body: '{' }),
      'malformed-json',
    );
  });

  test('dates aren’t conditions, since nothing has a modification date', async () => {
    const path = await pathOf('/customers', newCustomer);
    const headers = {
      'if-modified-since': 'Sun, 01 Mar 2099 00:00:00 GMT',
      'if-unmodified-since': 'Sun, 01 Mar 2009 00:00:00 GMT',
      range: 'bytes=0-1',
      'if-range': '"x"',
    };
    const read = await service().get(path, { token: ada.token, headers });
    assert.deepEqual(
      [read.status, read.headers['accept-ranges'], read.headers['last-modified']],
      [200, undefined, undefined],
    );
    await assertStatus(service().patch(path, { token: ada.token, headers, body: { name: 'x' } }), 200);
  });

  test('conditions on several lines are one list', async () => {
    const path = await pathOf('/customers', newCustomer);
    const { headers } = await ask('GET', path);
    const response = await service().get(path, {
      token: ada.token,
      headers: { 'if-none-match': ['"a"', String(headers.etag)] },
    });
    assert.equal(response.status, 304);
  });

  test('entity tags survive a restart', async (t) => {
    const service = await serviceFor(t);
    const { email, password, token } = await service.person();
    const path = `/customers/${(await newCustomer(service, token)).id}`;
    const { headers } = await service.get(path, { token });
    await service.restart();
    const again = await service.signIn(email, password);
    const conditions = { 'if-none-match': String(headers.etag) };
    await assertStatus(service.get(path, { token: again.token, headers: conditions }), 304);
  });
});
