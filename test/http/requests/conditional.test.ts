// Conditional requests, in the order of RFC 9110 section 13.2.2: If-Match, then If-None-Match.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProblemCode } from '../../../src/problem.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import { newCustomer, newKey, newOrder, newProduct } from '../../support/resource-support.ts';
import { password, serviceFor, type Call, type Person, type TestResponse } from '../../support/service.ts';

/**
 * Conditions by the status of a GET (RFC 9110 section 13), with | between them: If-Match, or after > If-None-Match.
 * TAG is the current entity tag without quotes, and tag the same in the other case.
 */
const conditions: Readonly<Record<200 | 304 | 412, string>> = {
  200:
    ' | "TAG" | * | "TAG", "another" | "another","one-more","TAG" | ,, "TAG" , | "a,b", "TAG" | "TAG-gzip" | ' +
    '"TAG-br" | "TAG-zstd" | >"another" | >"a", W/"b" | >yesterday | "TAG">"a"',
  304:
    '>"TAG" | >W/"TAG" | >* | >"a", "TAG" | >"a",W/"TAG","b" | >"a", "TAG-gzip" | >W/"TAG-gzip" | >"a", "TAG-br" | ' +
    '>W/"TAG-br" | >"a", "TAG-zstd" | >W/"TAG-zstd" | "TAG">"TAG"',
  412:
    '"another" | W/"TAG" | w/"TAG" | "TAG-deflate" | "TAG-gzip-gzip" | "TAG_gzip" | "TAG"-gzip | W/"TAG-gzip" | ' +
    '"-gzip" | W/"TAG-br" | "-br" | W/"TAG-zstd" | "-zstd" | "a", "b", W/"c" | "a", W/"TAG" | TAG | \'TAG\' | ' +
    '"tag" | "TAGx" | "TAG"x | "*" | "another">"TAG" | "another">"a"',
};

/** Returns the fields of a condition. */
function fieldsFor(condition: string, etag: string | undefined): Record<string, string> {
  const current = String(etag).slice(1, -1);
  const other = current.toLowerCase() === current ? current.toUpperCase() : current.toLowerCase();
  const [match = '', noneMatch = ''] = condition
    .split('>')
    .map((each) => each.replace('TAG', current).replace(/\btag\b/, other));
  return {
    ...(match === '' ? {} : { 'if-match': match }),
    ...(noneMatch === '' ? {} : { 'if-none-match': noneMatch }),
  };
}

describe('conditional requests', () => {
  let ada: Person, staff: Person;
  const service = sharedService({}, async (started) => {
    [ada, staff] = [await started.person(), await started.person('staff')];
    for (const { token } of [ada, staff]) await newCustomer(started, token);
  });
  const ask = (method: string, path: string, call: Call = {}): Promise<TestResponse> =>
    service().call(method, path, { token: ada.token, ...call });
  const etagOf = async (path: string, token = ada.token): Promise<string> =>
    String((await service().get(path, { token })).headers.etag);
  const makers = {
    '/orders': newOrder,
    '/customers': newCustomer,
    '/products': newProduct,
    '/api/keys': newKey,
  };
  const newPath = async (list: keyof typeof makers, token = ada.token): Promise<string> =>
    `${list}/${(await makers[list](service(), token)).id}`;

  for (const [status, all] of Object.entries(conditions))
    for (const condition of all.split(' | '))
      test(`a GET or HEAD with the condition ${condition} is ${status}`, async () => {
        const path = await newPath('/customers');
        const { headers: before, text } = await ask('GET', path);
        for (const method of ['GET', 'HEAD']) {
          const response = await ask(method, path, { headers: fieldsFor(condition, before.etag) });
          assert.equal(String(response.status), status);
          const shown = method === 'GET' ? text : '';
          if (status === '200')
            assert.deepEqual([response.headers.etag, response.text], [before.etag, shown]);
          if (status === '412' && method === 'GET') assertProblem(response, 'precondition-failed');
        }
      });

  test('an empty field is a condition without a tag', async () => {
    const path = await newPath('/customers');
    await assertStatus(ask('GET', path, { headers: { 'if-match': '' } }), 412);
    await assertStatus(ask('GET', path, { headers: { 'if-none-match': '' } }), 200);
    await assertStatus(ask('PATCH', path, { headers: { 'if-match': '' }, body: { name: 'B' } }), 412);
  });

  let count = 0;
  const another = (): object => ({ name: `Changed ${(count += 1)}` });
  const ofUser = (): Promise<string> => Promise.resolve(`/api/users/${ada.id}`);
  const newSession = async (): Promise<string> =>
    `/api/sessions/${(await service().signIn(ada.email, ada.password)).sessionId}`;
  /** The path of a new object or of the user, and a change to it. */
  const changes: Readonly<Record<string, readonly [path: () => Promise<string>, body?: () => object]>> = {
    'PATCH of a customer': [() => newPath('/customers'), another],
    'PATCH of an order': [() => newPath('/orders'), () => ({ note: 'changed' })],
    'PUT of a customer': [() => newPath('/customers'), another],
    'DELETE of a customer': [() => newPath('/customers')],
    'PUT of a user': [ofUser, () => ({ ...another(), email: ada.email })],
    'PATCH of a user': [ofUser, another],
    'DELETE of a session': [newSession],
    'DELETE of a key': [() => newPath('/api/keys')],
  };
  const ofChanges = {
    done: ' | "TAG" | * | >"another" | "TAG-gzip" | "another", "TAG" | "TAG">"another"',
    412: '"another" | W/"TAG" | >"TAG" | >W/"TAG" | >* | "TAG">"TAG" | "another">"another"',
  };
  for (const [what, [pathOf, body]] of Object.entries(changes))
    for (const [outcome, all] of Object.entries(ofChanges))
      for (const condition of all.split(' | '))
        test(`a ${what} with the condition ${condition} is ${outcome}`, async () => {
          const [method = ''] = what.split(' ');
          const path = await pathOf();
          const before = await ask('GET', path);
          const headers = fieldsFor(condition, before.headers.etag);
          const response = await ask(method, path, { headers, body: body?.() });
          const after = await ask('GET', path);
          if (outcome === '412') {
            assertProblem(response, 'precondition-failed');
            assert.deepEqual([after.text, after.headers.etag], [before.text, before.headers.etag]);
          } else if (method === 'DELETE') assert.deepEqual([response.status, after.status], [204, 404]);
          else {
            assert.deepEqual([after.text, after.headers.etag], [response.text, response.headers.etag]);
            assert.notEqual(after.headers.etag, before.headers.etag);
          }
        });

  test('the 412 to a weak tag of the current version names the proxy, and to another one does not', async () => {
    const path = await newPath('/customers');
    const etag = await etagOf(path);
    const detailOf = async (tag: string): Promise<string> =>
      (await ask('PATCH', path, { headers: { 'if-match': tag }, body: { name: 'B' } })).body.detail;
    for (const tag of [`W/${etag}`, `W/${etag.slice(0, -1)}-gzip"`])
      assert.match(await detailOf(tag), /made weak \(W\/\), by a proxy that compresses/);
    for (const tag of ['W/"other"', '"other"']) assert.doesNotMatch(await detailOf(tag), /proxy/);
  });

  for (const [method, list, change] of [
    ['PUT', '/customers', { name: 'Changed' }],
    ['PATCH', '/customers', { name: 'Changed' }],
    ['PATCH', '/orders', { note: 'changed' }],
    ['PUT', '/products', { name: 'Changed' }],
    ['PATCH', '/products', { name: 'Changed' }],
  ] as const)
    test(`If-Match comes before read-only members: ${method} ${list}/{id} with all of an earlier read`, async () => {
      const { token } = staff;
      const path = await newPath(list, token);
      const { body, headers } = await service().get(path, { token });
      service().clock.advance(1_000);
      await assertStatus(service().patch(path, { token, body: change }), 200);
      const sent = { token, body, headers: { 'if-match': String(headers.etag) } };
      assertProblem(await service().call(method, path, sent), 'precondition-failed');
    });

  test('If-Match comes before the state: an outdated step or payment that is not allowed either is 412', async () => {
    const { token } = staff;
    const path = await newPath('/orders', token);
    const headers = { 'if-match': await etagOf(path, token) };
    for (const status of ['paid', 'refunded'])
      await assertStatus(service().patch(path, { token, body: { status } }), 200);
    for (const body of [{ status: 'delivered' }, { payment: 'cash' }])
      assertProblem(await service().patch(path, { token, headers, body }), 'precondition-failed');
  });

  for (const [what, isAdmin] of [
    ['one’s own', false],
    ['another user’s', true],
  ] as const)
    test(`all sessions, ${what}, end only if the list of them is the one that If-Match names`, async () => {
      const owner = await service().person();
      const { token } = isAdmin ? await service().person('admin') : owner;
      const path = isAdmin ? `/api/sessions?userId=${owner.id}` : '/api/sessions';
      const remove = (tag: string): Promise<TestResponse> =>
        service().delete(path, { token, headers: { 'if-match': tag } });
      const before = await etagOf(path, token);
      await service().signIn(owner.email, owner.password);
      for (const tag of ['"stale"', before]) assertProblem(await remove(tag), 'precondition-failed');
      await assertStatus(service().get('/orders', { token: owner.token }), 200);
      await assertStatus(remove(await etagOf(path, token)), 204);
      assertProblem(await service().get('/orders', { token: owner.token }), 'invalid-token');
    });

  for (const [name, value, status] of [
    ['if-match', '"any"', 412],
    ['if-match', '*', 201],
    ['if-none-match', '"any"', 201],
    ['if-none-match', '*', 412],
  ] as const)
    test(`a POST with ${name}: ${value} is ${status}`, async () => {
      const { token } = await service().person();
      const sent = { token, headers: { [name]: value }, body: { name: 'Ada' } };
      await assertStatus(service().post('/customers', sent), status);
      const { data } = (await service().get('/customers', { token })).body;
      assert.equal(data.length, status === 201 ? 1 : 0);
    });

  test('a 304 has the fields that a 200 would have had for caches, and no body', async () => {
    const { id, customerId } = await newOrder(service(), ada.token);
    const own =
      `/orders/${id} /customers/${customerId} /api/users/${ada.id} /orders /orders?limit=1 /api/keys ` +
      `/api/sessions/${ada.sessionId} /api/sessions /api/users/${ada.id}/orders/${id}`;
    const open = '/openapi.json /docs /problems /problems/not-found';
    const contentFields = 'content-type content-length transfer-encoding content-security-policy'.split(' ');
    for (const path of `${own} ${open}`.split(' ')) {
      const isOpen = open.includes(path);
      const full = await ask('GET', path);
      const { etag, vary, link, 'cache-control': cacheControl } = full.headers;
      assert.match(String(etag), /^"[\x21\x23-\x7e]+"$/, 'a strong tag');
      if (!isOpen)
        assert.deepEqual(
          [cacheControl, vary],
          ['private, no-cache', 'Accept, Authorization, X-API-Key'],
          path,
        );
      for (const method of ['GET', 'HEAD']) {
        const { status, text, headers } = await ask(method, path, {
          headers: { 'if-none-match': String(etag) },
        });
        assert.deepEqual([status, text], [304, ''], path);
        assert.deepEqual(
          [headers.etag, headers.vary, headers['cache-control']],
          [etag, vary, cacheControl],
          path,
        );
        if (!isOpen) assert.equal(headers.link, link, path);
        for (const name of contentFields) assert.equal(headers[name], undefined, `${path} ${name}`);
      }
    }
  });

  test('JSON and HTML of one page have different tags', async () => {
    const tags = ['text/html', 'application/json'].map(
      async (accept) => (await ask('GET', '/problems/not-found', { headers: { accept } })).headers.etag,
    );
    assert.equal(new Set(await Promise.all(tags)).size, 2);
  });

  test('a list’s tag changes when a row is added, changed or removed, and otherwise not', async () => {
    const { token } = await service().person();
    const tag = (): Promise<string> => etagOf('/customers', token);
    const tags = [await tag()];
    const { id } = await newCustomer(service(), token);
    tags.push(await tag());
    await service().patch(`/customers/${id}`, { token, body: { name: 'Changed' } });
    tags.push(await tag());
    assert.equal(tags.at(-1), await tag());
    assert.equal(new Set(tags).size, 3);
    await service().delete(`/customers/${id}`, { token });
    assert.equal(await tag(), tags[0]);
  });

  test('a changed password changes the user’s tag, although it isn’t shown', async () => {
    const { id, token } = await service().person();
    const before = await service().get(`/api/users/${id}`, { token });
    const body = { password: 'another password for tests', currentPassword: password };
    const changed = await service().patch(`/api/users/${id}`, { token, body });
    assert.deepEqual([changed.status, changed.text], [200, before.text]);
    assert.notEqual(changed.headers.etag, before.headers.etag);
  });

  const refresh = '/api/sessions/current/tokens';
  const ofText = { 'if-match': '*', 'content-type': 'text/plain' };
  const rejected: readonly (readonly [code: ProblemCode, target: string, call?: Call])[] = [
    ['forbidden', 'PATCH /customers/2', { body: { name: 'x' } }],
    ['not-found', 'DELETE /customers/999999'],
    ['not-found', 'GET /customers/999999', { headers: { 'if-none-match': '*' } }],
    ['not-found', 'PUT /customers/999999', { headers: { 'if-none-match': '*' }, body: { name: 'x' } }],
    ['unauthenticated', 'PATCH /customers/2', { token: undefined, body: { name: 'x' } }],
    ['validation-failed', 'PATCH /customers/1', { body: { name: 7 } }],
    ['malformed-json', 'PATCH /customers/2', { body: '{' }],
    ['unauthenticated', 'POST /imports', { token: undefined, headers: { 'if-match': '*' } }],
    ['unsupported-media-type', `POST ${refresh}`, { headers: ofText, body: '{}' }],
    // where nothing can be read, nothing is there
    ['precondition-failed', `POST ${refresh}`, { headers: { 'if-match': '*' }, body: {} }],
  ];
  for (const [code, target, call] of rejected)
    test(`${target} that is ${code} without conditions is so with one`, async () => {
      const [method = '', path = ''] = target.split(' ');
      const response = await ask(method, path, { headers: { 'if-match': '"another"' }, ...call });
      assertProblem(response, code, code === 'validation-failed' ? 422 : undefined);
    });

  test('dates aren’t conditions, since nothing has a modification date', async () => {
    const path = await newPath('/customers');
    const headers = {
      'if-modified-since': 'Sun, 01 Mar 2099 00:00:00 GMT',
      'if-unmodified-since': 'Sun, 01 Mar 2009 00:00:00 GMT',
      range: 'bytes=0-1',
      'if-range': '"x"',
    };
    const read = await ask('GET', path, { headers });
    assert.deepEqual(
      [read.status, read.headers['accept-ranges'], read.headers['last-modified']],
      [200, undefined, undefined],
    );
    await assertStatus(ask('PATCH', path, { headers, body: { name: 'x' } }), 200);
  });

  test('conditions on several lines are one list', async () => {
    const path = await newPath('/customers');
    await assertStatus(ask('GET', path, { headers: { 'if-none-match': ['"a"', await etagOf(path)] } }), 304);
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
