// What goes over the wire, and how it is agreed on: Accept, Content-Type, HEAD, OPTIONS, 405 (contract
// sections 1.4 and 1.5).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newCustomer, newKey, newOrder } from '../resources/resource-support.ts';
import type { Answer, Person, TestService } from '../service.ts';
import { assertProblem, sharedService } from './http-support.ts';

type Accept = string | string[] | undefined;

describe('Accept', () => {
  let ada: Person;
  let customer = '';
  const service = sharedService({}, async (started) => {
    ada = await started.person();
    customer = `/customers/${(await newCustomer(started, ada.token)).id}`;
  });
  const get = (path: string, accept: Accept): Promise<Answer> =>
    service().get(path, { token: ada.token, headers: accept === undefined ? {} : { accept } });

  const json: readonly (readonly [accept: Accept, isServed: boolean])[] = [
    [undefined, true],
    ['', true],
    ['*/*', true],
    ['application/*', true],
    ['application/json', true],
    ['APPLICATION/Json', true],
    ['  application/json  ', true],
    ['application/json;charset=utf-8', true],
    ['application/json; charset=UTF-8', true],
    ['application/json;q=0.001', true],
    ['application/json; q=1.000', true],
    ['application/json;Q=0.5', true],
    ['text/html, application/json;q=0.5', true],
    ['text/html, */*;q=0.1', true],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', true],
    [['text/html', 'application/json'], true],
    ['*/*;q=0, application/json', true],
    ['application/*;q=0, application/json;q=0.1', true],
    [',, application/json ,', true],
    ['application/problem+json', false],
    ['text/html', false],
    ['text/*', false],
    ['application/xml, text/json', false],
    ['application/jsonx', false],
    ['application/json+x', false],
    ['application/json;q=0', false],
    ['application/json;q=0.000', false],
    ['*/*;q=0', false],
    ['application/json;q=0, */*', false],
    ['application/*;q=0, */*', false],
    ['*/*, application/json;q=0.0', false],
    ['application/json;version=2', false],
    ['json', false],
    ['*', false],
    ['*/json', false],
    ['application/json/x', false],
    [['text/html', 'text/plain'], false],
  ];
  for (const [accept, isServed] of json) {
    const outcome = isServed ? 'is served JSON' : 'is 406';
    test(`${JSON.stringify(accept) ?? 'nothing'} ${outcome} where there is JSON only`, async () => {
      for (const path of [customer, '/customers', '/openapi.json', '/health/live']) {
        const answer = await get(path, accept);
        if (isServed)
          assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'application/json'], path);
        else assertProblem(answer, 'not-acceptable');
      }
    });
  }

  const pages: readonly (readonly [accept: Accept, type: 'html' | 'json' | undefined])[] = [
    [undefined, 'html'],
    ['', 'html'],
    ['*/*', 'html'],
    ['text/html', 'html'],
    ['text/*', 'html'],
    ['application/json', 'json'],
    ['application/*', 'json'],
    ['text/html;q=0.5, application/json', 'json'],
    ['application/json;q=0.5, text/html;q=0.6', 'html'],
    ['application/json, text/html', 'html'],
    ['application/json, */*;q=0.9', 'json'],
    ['text/html;q=0, */*', 'json'],
    ['*/*;q=0.1, application/json;q=0.05', 'html'],
    ['text/*;q=0.2, application/*;q=0.3', 'json'],
    ['text/*, text/html;q=0.1, application/json;q=0.5', 'json'],
    ['image/png', undefined],
    ['text/html;q=0, application/json;q=0', undefined],
    ['text/plain', undefined],
  ];
  for (const [accept, type] of pages) {
    test(`${JSON.stringify(accept) ?? 'nothing'} is ${type ?? '406'} of HTML and JSON`, async () => {
      for (const path of ['/problems', '/problems/not-found']) {
        const answer = await get(path, accept);
        if (type === undefined) assertProblem(answer, 'not-acceptable');
        else
          assert.deepEqual(
            [answer.status, answer.headers['content-type']],
            [200, type === 'html' ? 'text/html; charset=utf-8' : 'application/json'],
            path,
          );
      }
    });
  }

  test('a page for people isn’t sent to who wants JSON, nor text to who wants HTML', async () => {
    assertProblem(await get('/docs', 'application/json'), 'not-acceptable');
    assertProblem(await get('/metrics', 'text/html'), 'not-acceptable');
    assert.equal(
      (
        await get(
          '/metrics',
          'application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
        )
      ).status,
      200,
    );
  });

  test('what can’t be answered isn’t done', async () => {
    const before = await get('/customers?total=true', undefined);
    const headers = { accept: 'text/html' };
    assertProblem(
      await service().post('/customers', { token: ada.token, headers, body: { name: 'Ada' } }),
      'not-acceptable',
    );
    assertProblem(
      await service().patch(customer, { token: ada.token, headers, body: { name: 'Changed' } }),
      'not-acceptable',
    );
    assert.equal((await get('/customers?total=true', undefined)).text, before.text);
  });

  test('who may not ask isn’t told what there would be', async () => {
    const headers = { accept: 'image/png' };
    assertProblem(await service().get(customer, { headers }), 'unauthenticated');
    assertProblem(await service().get('/api/users', { token: ada.token, headers }), 'forbidden');
    assertProblem(
      await service().get('/nowhere', { token: ada.token, headers, isUndescribed: true }),
      'not-found',
    );
  });

  test('problems are problem+json, whatever Accept says', async () => {
    assertProblem(await get('/customers/999999', 'application/json'), 'not-found');
    assertProblem(
      await get('/customers/999999', 'application/json, application/problem+json;q=0'),
      'not-found',
    );
  });
});

describe('Content-Type', () => {
  let token = '',
    path = '';
  const service = sharedService({}, async (started) => {
    token = (await started.person()).token;
    path = `/customers/${(await newCustomer(started, token)).id}`;
  });
  const send = (
    method: string,
    headers: Record<string, string | string[]>,
    body: string | Buffer = '{"name":"Ada"}',
  ): Promise<Answer> =>
    service().call(method, method === 'POST' ? '/customers' : path, {
      token,
      body,
      headers: { 'content-type': [], ...headers },
    });

  const types: readonly (readonly [type: string | string[], isTaken: boolean])[] = [
    ['application/json', true],
    ['application/json;charset=utf-8', true],
    ['application/json; charset=UTF-8', true],
    ['Application/JSON; Charset="utf-8"', true],
    ['application/json ;', true],
    ['text/plain', false],
    ['text/json', false],
    ['application/x-www-form-urlencoded', false],
    ['multipart/form-data; boundary=x', false],
    ['application/octet-stream', false],
    ['application/json; charset=iso-8859-1', false],
    ['application/json; charset=utf-16', false],
    ['application/json; charset=utf8', false],
    ['application/json; charset=', false],
    ['application/problem+json', false],
    ['application/json-patch+json', false],
    ['application/vnd.api+json', false],
    ['application/jsonx', false],
    ['application/', false],
    ['json', false],
    ['application/json, text/plain', false],
    [['text/plain', 'application/json'], false],
    [['application/json', 'text/plain'], false],
    ['', false],
    ['*/*', false],
  ];
  for (const [type, isTaken] of types) {
    test(`${JSON.stringify(type)} ${isTaken ? 'is JSON' : 'is 415'}`, async () => {
      for (const method of ['POST', 'PUT', 'PATCH']) {
        const answer = await send(method, { 'content-type': type });
        if (isTaken) assert.ok(answer.status < 300, answer.text);
        else {
          assertProblem(answer, 'unsupported-media-type');
          assert.equal(
            answer.headers['accept-patch'],
            method === 'PATCH' ? 'application/merge-patch+json, application/json' : undefined,
          );
        }
      }
    });
  }

  test('application/merge-patch+json is for PATCH alone', async () => {
    for (const type of ['application/merge-patch+json', 'Application/Merge-Patch+JSON; charset=utf-8']) {
      assert.equal((await send('PATCH', { 'content-type': type })).status, 200);
      for (const method of ['POST', 'PUT'])
        assertProblem(await send(method, { 'content-type': type }), 'unsupported-media-type');
    }
  });

  test('a body without a Content-Type is 415', async () => {
    for (const method of ['POST', 'PUT', 'PATCH'])
      assertProblem(await send(method, {}), 'unsupported-media-type');
  });

  for (const encoding of [
    'gzip',
    'deflate',
    'br',
    'zstd',
    'x-gzip',
    'GZIP',
    'gzip, gzip',
    'identity, gzip',
    'aes128gcm',
  ]) {
    test(`Content-Encoding ${encoding} is 415`, async () => {
      for (const method of ['POST', 'PATCH']) {
        const answer = await send(method, {
          'content-type': 'application/json',
          'content-encoding': encoding,
        });
        assertProblem(answer, 'unsupported-media-type');
        assert.equal(answer.headers['accept-patch'] !== undefined, method === 'PATCH');
      }
    });
  }

  test('the type is looked at before the body is read', async () => {
    assertProblem(await send('POST', { 'content-type': 'text/plain' }, '{'), 'unsupported-media-type');
  });
});

type Path = { readonly path: string; readonly target: string; readonly methods: readonly string[] };

/** Every path that is declared, with something at it; and its methods. */
async function declaredPaths(service: TestService, root: Person): Promise<Path[]> {
  const order = await newOrder(service, root.token);
  const { id: keyId } = await newKey(service, root.token);
  const ids: Readonly<Record<string, number | string>> = {
    users: root.id,
    customers: order.customerId,
    orders: order.id,
    sessions: root.sessionId,
    keys: keyId,
    problems: 'not-found',
  };
  const { paths } = (await service.get('/openapi.json')).body as {
    paths: Record<string, Record<string, object>>;
  };
  return Object.entries(paths).map(([path, operations]) => {
    const target = path
      .replace('{order_id}', String(order.id))
      .replace(/(\w+)\/\{\w+\}/, (_, name: string) => `${name}/${ids[name]}`);
    return { path, target, methods: Object.keys(operations).map((method) => method.toUpperCase()) };
  });
}

describe('every declared path', () => {
  let root: Person;
  let paths: Path[] = [];
  const service = sharedService({}, async (started) => {
    root = await started.person('admin');
    paths = await declaredPaths(started, root);
  });
  const allowOf = ({ methods }: Path): string =>
    [
      ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) =>
        methods.includes(method === 'HEAD' ? 'GET' : method),
      ),
      'OPTIONS',
    ].join(', ');

  test('is of the contract, or about the service itself', () => {
    const ofContract = [
      '/api/keys',
      '/api/keys/{id}',
      '/api/sessions',
      '/api/sessions/{id}',
      '/api/sessions/{id}/tokens',
      '/api/users',
      '/api/users/{id}',
      '/api/users/{id}/orders',
      '/api/users/{id}/orders/{order_id}',
      '/customers',
      '/customers/{id}',
      '/customers/{id}/orders',
      '/docs',
      '/health/live',
      '/health/ready',
      '/metrics',
      '/openapi.json',
      '/orders',
      '/orders/{id}',
      '/problems',
      '/problems/{name}',
    ];
    const found = paths.map(({ path }) => path);
    assert.deepEqual(
      ofContract.filter((path) => !found.includes(path)),
      [],
    );
    assert.deepEqual(
      found.filter((path) => /^.(api|orders|customers)\b/.test(path) && !ofContract.includes(path)),
      [],
    );
  });

  test('answers HEAD as GET, without the body', async () => {
    for (const { target, methods } of paths) {
      const call = { token: root.token, headers: { 'x-request-id': 'same' } };
      const [head, get] = [await service().call('HEAD', target, call), await service().get(target, call)];
      if (!methods.includes('GET')) {
        assert.deepEqual([head.status, head.text], [405, ''], target);
        continue;
      }
      assert.deepEqual([head.status, head.text, get.status], [200, '', 200], target);
      const changing = target === '/metrics' ? ['date', 'content-length', 'etag'] : ['date'];
      const fields = ({ headers }: Answer): object =>
        Object.fromEntries(Object.entries(headers).filter(([name]) => !changing.includes(name)));
      assert.deepEqual(fields(head), fields(get), target);
      assert.ok(Number(head.headers['content-length']) > 0, target);
    }
  });

  test('answers HEAD with the problem’s status and fields, without its document', async () => {
    for (const [target, status] of [
      ['/orders/999999', 404],
      ['/nowhere', 404],
      ['/orders?x=1', 422],
      ['/api/keys?x=1', 400],
    ] as const) {
      const { headers, text, ...head } = await service().call('HEAD', target, {
        token: root.token,
        isUndescribed: true,
      });
      assert.deepEqual(
        [head.status, text, headers['content-type']],
        [status, '', 'application/problem+json'],
      );
    }
    const { status, headers } = await service().call('HEAD', '/orders');
    assert.deepEqual([status, headers['www-authenticate']], [401, 'Bearer realm="orderly"']);
  });

  test('answers OPTIONS with 204 and what it allows, to anyone', async () => {
    for (const path of paths) {
      const { status, headers, text } = await service().call('OPTIONS', path.target);
      assert.deepEqual([status, headers.allow, text], [204, allowOf(path), ''], path.path);
      assert.equal(
        headers['accept-patch'],
        path.methods.includes('PATCH') ? 'application/merge-patch+json, application/json' : undefined,
      );
      assert.match(String(headers['x-request-id']), /^[\w.-]+$/);
      assert.equal(headers['content-type'], undefined);
    }
  });

  test('answers every other method with 405 and what it allows', async () => {
    for (const path of paths) {
      for (const method of [
        'GET',
        'HEAD',
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
        'TRACE',
        'PROPFIND',
        'PURGE',
        'QUERY',
        'SEARCH',
        'LINK',
      ]) {
        if (path.methods.includes(method === 'HEAD' ? 'GET' : method)) continue;
        for (const token of [root.token, undefined]) {
          const answer = await service().call(method, path.target, { token, isUndescribed: true });
          assert.deepEqual(
            [answer.status, answer.headers.allow],
            [405, allowOf(path)],
            `${method} ${path.target}`,
          );
          if (method !== 'HEAD') assertProblem(answer, 'method-not-allowed');
        }
      }
    }
  });

  test('is 404 with anything before or behind it, whatever the method', async () => {
    for (const { target } of paths) {
      for (const wrong of [
        `${target}/`,
        `${target}/x`,
        `/${target}`,
        `/x${target}`,
        `${target}%20`,
        `${target}.json`,
      ]) {
        for (const method of wrong.startsWith('/problems/') ? ['GET'] : ['GET', 'POST', 'OPTIONS']) {
          const answer = await service().call(method, wrong, { token: root.token, isUndescribed: true });
          assertProblem(answer, 'not-found');
        }
      }
    }
  });

  for (const target of [
    '//',
    '/.',
    '/..',
    '/orders/../orders',
    '/%6frders',
    '/Orders',
    '/ORDERS',
    '/api',
    '/api/',
    '/api/user',
    '/orders;x',
    '/orders%2F1',
    '/orders\\1',
    '/health',
    '/favicon.ico',
    '/.env',
    '/api/getUsers',
    '/api/createUser',
    '/api/deleteUser/1',
    '/__proto__',
    '/constructor',
    '/orders/constructor',
    '/problems/constructor',
    '/problems/__proto__',
    '/problems/Not-Found',
    '/problems/1',
  ]) {
    test(`${target} is 404`, async () => {
      const answer = await service().get(target, { token: root.token, isUndescribed: true });
      assertProblem(answer, 'not-found');
      assert.equal(answer.body.instance, target);
    });
  }
});

describe('Accept-Encoding', () => {
  const service = sharedService();
  const ask = (path: string, coding: string, more: Record<string, string> = {}, method = 'GET') =>
    fetch(service().url + path, { method, headers: { 'accept-encoding': coding, ...more } });

  const chosen: readonly (readonly [accept: string, coding: string | null])[] = [
    ['', null],
    ['identity', null],
    ['br', 'br'],
    ['BR', 'br'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip;q=0, *', 'br'],
    ['br;q=0, *;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0.000', null],
    ['br;q=0.5, identity', null],
    ['br;q=0.5, identity;q=0.5', 'br'],
    ['deflate, zstd', null],
    ['*;q=0', null],
    ['identity;q=0', null],
    ['identity;q=0, gzip ; q=0.1', 'gzip'],
    ['br;q=2, gzip;q=x', null],
    ['br;level=1', null],
  ];
  for (const [accept, coding] of chosen) {
    test(`${JSON.stringify(accept)} is sent ${coding ?? 'plain'} documents`, async () => {
      for (const path of ['/openapi.json', '/docs', '/', '/problems', '/problems/not-found']) {
        const plain = await service().get(path, { headers: { accept: '*/*' } });
        const answer = await ask(path, accept);
        assert.equal(answer.headers.get('content-encoding'), coding, path);
        assert.equal(answer.headers.get('vary'), 'Accept, Authorization, X-API-Key, Accept-Encoding');
        assert.equal(plain.headers['content-encoding'], undefined);
        assert.equal(await answer.text(), plain.text);
        const length = Number(answer.headers.get('content-length'));
        assert.ok(
          coding === null ? length === Buffer.byteLength(plain.text) : length < plain.text.length / 2,
        );
      }
    });
  }

  test('each coding has a strong ETag of its own, which gives 304', async () => {
    const tags = new Set<string>();
    for (const coding of ['identity', 'gzip', 'br']) {
      const etag = (await ask('/openapi.json', coding)).headers.get('etag') ?? '';
      assert.match(etag, /^"[\w-]+"$/);
      tags.add(etag);
      for (const other of ['identity', 'gzip', 'br']) {
        const again = await ask('/openapi.json', other, { 'if-none-match': etag });
        assert.equal(again.status, other === coding ? 304 : 200);
        assert.equal(again.headers.get('vary'), 'Accept, Authorization, X-API-Key, Accept-Encoding');
        if (again.status === 304) assert.equal(again.headers.get('content-encoding'), null);
      }
    }
    assert.equal(tags.size, 3);
  });

  test('HEAD has the fields of GET in each coding', async () => {
    for (const coding of ['identity', 'gzip', 'br']) {
      const [get, head] = [await ask('/docs', coding), await ask('/docs', coding, {}, 'HEAD')];
      assert.equal(await head.text(), '');
      for (const name of ['etag', 'content-length', 'content-encoding', 'content-type', 'vary'])
        assert.equal(head.headers.get(name), get.headers.get(name), `${coding} ${name}`);
      await get.arrayBuffer();
    }
  });

  test('what is small or private is sent plain', async () => {
    const { token } = await service().person();
    for (const path of ['/problems/not-found', '/health/live', '/customers']) {
      const answer = await ask(path, 'br', {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
      });
      assert.equal(answer.headers.get('content-encoding'), null, path);
      await answer.text();
    }
  });
});
