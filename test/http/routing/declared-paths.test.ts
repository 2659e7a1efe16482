// HEAD, OPTIONS and other methods on every path that the OpenAPI document declares.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { problemCodes } from '../../../src/problem.ts';
import { newKey, newOrder, newProduct, newWebhook, targetOf } from '../../support/resource-support.ts';
import { serviceFor, type TestResponse, type Person, type TestService } from '../../support/service.ts';
import { request } from '../../support/connection-support.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { askRaw } from '../../support/raw-connection.ts';

type Path = { readonly path: string; readonly target: string; readonly methods: readonly string[] };

/** Every path that is declared, with something at it; and its methods. */
async function declaredPaths(service: TestService, root: Person): Promise<Path[]> {
  const order = await newOrder(service, root.token);
  const { id: suspended } = await service.person();
  await service.put(`/api/users/${suspended}/suspension`, { token: root.token, body: {} });
  await service.post(`/api/users/${root.id}/totp`, { token: root.token });
  const ids = {
    users: root.id,
    customers: order.customerId,
    orders: order.id,
    products: (await newProduct(service, root.token)).id,
    sessions: root.sessionId,
    keys: (await newKey(service, root.token)).id,
    webhooks: (await newWebhook(service, root.token)).id,
    problems: 'not-found',
    console: 'console.css',
  };
  const { paths } = (await service.get('/openapi.json')).body as {
    paths: Record<string, Record<string, object>>;
  };
  return Object.entries(paths).map(([path, operations]) => {
    const target = targetOf(path, path.endsWith('/suspension') ? { users: suspended } : ids);
    return { path, target, methods: Object.keys(operations).map((method) => method.toUpperCase()) };
  });
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

describe('every declared path', () => {
  let root: Person;
  let paths: Path[] = [];
  const service = sharedService({}, async (started) => {
    root = await started.person('admin');
    paths = await declaredPaths(started, root);
  });
  const allowOf = ({ methods: declared }: Path): string =>
    [...methods.filter((method) => declared.includes(method === 'HEAD' ? 'GET' : method)), 'OPTIONS'].join(
      ', ',
    );

  test('every declared path describes the names that it may have, and all existing ones fit', async () => {
    const { body: document } = await service().get('/openapi.json');
    const { text } = await service().get('/console');
    const files = [...text.matchAll(/"\/console\/([^"]+)"/g)].map(([, name = '']) => name);
    assert.ok(files.length > 1);
    for (const [path, names] of [
      ['/console/{name}', files],
      ['/problems/{name}', problemCodes],
    ] as const) {
      const [{ schema }] = document.paths[path].get.parameters;
      const [pattern, { maxLength }] = [new RegExp(schema.pattern), schema];
      const misfits = names.filter((name) => !pattern.test(name) || name.length > maxLength);
      assert.deepEqual(misfits, [], path);
    }
  });

  test('every declared path responds to HEAD as to GET, without the body', async () => {
    for (const { target, methods } of paths) {
      const call = { token: root.token, headers: { 'x-request-id': 'same' } };
      const [head, get] = [await service().call('HEAD', target, call), await service().get(target, call)];
      if (!methods.includes('GET')) {
        assert.deepEqual([head.status, head.text], [405, ''], target);
        continue;
      }
      const status = target.startsWith('/certificate') ? 404 : 200; // without TLS there is no authority
      assert.deepEqual([head.status, head.text, get.status], [status, '', status], target);
      const changing = target === '/metrics' ? ['date', 'content-length', 'etag'] : ['date'];
      const fields = ({ headers }: TestResponse): object =>
        Object.fromEntries(Object.entries(headers).filter(([name]) => !changing.includes(name)));
      assert.deepEqual(fields(head), fields(get), target);
      assert.ok(Number(head.headers['content-length']) > 0, target);
    }
  });

  test('every declared path responds to HEAD with the problem’s status and fields, without its document', async () => {
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

  test('every declared path responds to OPTIONS with 204 and the allowed methods, to anyone', async () => {
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

  test('every declared path responds to every other method with 405 and the allowed methods', async () => {
    for (const path of paths) {
      for (const method of [...methods, 'TRACE', 'PROPFIND', 'PURGE', 'QUERY', 'SEARCH', 'LINK']) {
        if (path.methods.includes(method === 'HEAD' ? 'GET' : method)) continue;
        for (const token of [root.token, undefined]) {
          const response = await service().call(method, path.target, { token, isUndescribed: true });
          assert.deepEqual(
            [response.status, response.headers.allow],
            [405, allowOf(path)],
            `${method} ${path.target}`,
          );
          if (method !== 'HEAD') assertProblem(response, 'method-not-allowed');
        }
      }
    }
  });

  test('every declared path is 404 with anything before or after it, whatever the method', async () => {
    for (const { target } of paths) {
      for (const wrong of [
        `${target}/`,
        `${target}/x`,
        `/${target}`,
        `/x${target}`,
        `${target}%20`,
        `${target}.json`,
      ]) {
        for (const method of /^\/(problems|console)\//.test(wrong) ? ['GET'] : ['GET', 'POST', 'OPTIONS']) {
          const response = await service().call(method, wrong, { token: root.token, isUndescribed: true });
          assertProblem(response, 'not-found');
        }
      }
    }
  });

  const unknown =
    '// /. /.. /orders/../orders /%256frders /orders%2f /Orders /ORDERS /api /api/ /api/user /orders;x /orders%2F1 ' +
    '/orders\\1 /health /favicon.ico /.env /api/getUsers /api/createUser /api/deleteUser/1 /__proto__ /constructor ' +
    '/orders/constructor /problems/constructor /problems/__proto__ /problems/Not-Found /problems/1';
  for (const target of unknown.split(' ')) {
    test(`the path ${target} is 404`, async () => {
      const response = await service().get(target, { token: root.token, isUndescribed: true });
      assertProblem(response, 'not-found');
      assert.equal(response.body.instance, target.replace(/^\/\//, '/.//').replace('\\', '%5C'));
    });
  }
});

describe('the instance of a problem is a reference that begins with a path', () => {
  const service = sharedService();
  const targets: readonly (readonly [target: string, instance: string])[] = [
    ['/nope', '/nope'],
    ["/a~b!$&'()*+,;=:@%2F", "/a~b!$&'()*+,;=:@%2F"],
    ['//evil.example/x', '/.//evil.example/x'],
    ['///x', '/.///x'],
    ['http://localhost//x', '/.//x'],
    ['/a"b<c>\\d', '/a%22b%3Cc%3E%5Cd'],
    ['/{a}|^`[]', '/%7Ba%7D%7C%5E%60%5B%5D'],
    ['/%zz%', '/%25zz%25'],
  ];
  for (const [target, instance] of targets) {
    test(`the instance of a problem at ${target} is ${instance}`, async () => {
      const { body } = await askRaw(service().port, Buffer.from(request(`GET ${target}`)));
      assert.equal(body.instance, instance);
      assert.equal(new URL(body.instance, service().url).origin, service().url);
    });
  }

  test('the instance of a problem of 8 KiB at most fits the schema, whatever had to be encoded', async () => {
    const response = await askRaw(service().port, request(`GET /${'"'.repeat(9_000)}`));
    assertProblem(response, 'uri-too-long');
    assert.equal(response.body.instance, `/${'%22'.repeat(8_191)}`);
  });
});

test('an id of a path is an integer from 1 to 2^53−1', async (t) => {
  const { inside } = await serviceFor(t);
  if (inside === undefined) return t.skip('needs the router');
  const idIn = (text: string): unknown => inside.app.router.find(`/orders/${text}`)?.params;
  assert.deepEqual(idIn('9007199254740991'), { id: 2 ** 53 - 1 });
  for (const other of ['9007199254740992', '10000000000000000', '0', '01', ''])
    assert.equal(idIn(other), undefined);
});
