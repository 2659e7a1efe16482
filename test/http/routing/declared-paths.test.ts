// HEAD, OPTIONS and other methods on every path that the OpenAPI document declares.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { problemCodes } from '../../../src/problem.ts';
import { request } from '../../support/connection-support.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { askRaw } from '../../support/raw-connection.ts';
import { newKey, newOrder, newProduct, newWebhook, targetOf } from '../../support/resource-support.ts';
import { insideOnly, type Person, type TestResponse, type TestService } from '../../support/service.ts';

/** A path that is declared, with something at it; and its methods, HEAD and OPTIONS included. */
type Path = { readonly path: string; readonly target: string; readonly methods: readonly string[] };

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

async function declaredPaths(service: TestService, root: Person): Promise<Path[]> {
  const { token } = root;
  const order = await newOrder(service, token);
  const { id: suspended } = await service.person();
  await service.put(`/api/users/${suspended}/suspension`, { token, body: {} });
  await service.post(`/api/users/${root.id}/totp`, { token });
  const ids = {
    users: root.id,
    customers: order.customerId,
    orders: order.id,
    products: (await newProduct(service, token)).id,
    sessions: root.sessionId,
    keys: (await newKey(service, token)).id,
    webhooks: (await newWebhook(service, token)).id,
    problems: 'not-found',
    console: 'console.css',
  };
  const { body: document } = await service.get('/openapi.json');
  return Object.entries<object>(document.paths).map(([path, operations]) => {
    const target = targetOf(path, path.endsWith('/suspension') ? { users: suspended } : ids);
    const declared = Object.keys(operations).map((method) =>
      method === 'get' ? 'GET HEAD' : method.toUpperCase(),
    );
    const all = methods.filter((method) => declared.join(' ').split(' ').includes(method));
    return { path, target, methods: [...all, 'OPTIONS'] };
  });
}

describe('every declared path', () => {
  let root: Person;
  let paths: Path[] = [];
  const service = sharedService({}, async (started) => {
    root = await started.person('admin');
    paths = await declaredPaths(started, root);
  });
  const ask = (
    method: string,
    target: string,
    token: string | undefined = root.token,
  ): Promise<TestResponse> =>
    service().call(method, target, { token, headers: { 'x-request-id': 'same' }, isUndescribed: true });

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
      const fits = (name: string): boolean =>
        new RegExp(schema.pattern).test(name) && name.length <= schema.maxLength;
      assert.deepEqual(
        names.filter((name) => !fits(name)),
        [],
        path,
      );
    }
  });

  test('every declared path responds to HEAD as to GET, without the body', async () => {
    for (const { target, methods } of paths.filter(({ methods }) => methods.includes('GET'))) {
      const [head, get] = [await service().call('HEAD', target, root), await service().get(target, root)];
      const status = target.startsWith('/certificate') ? 404 : 200; // without TLS there is no authority
      assert.deepEqual([head.status, head.text, get.status], [status, '', status], `${target} ${methods}`);
      const changing = ['date', 'x-request-id', ...(target === '/metrics' ? ['content-length', 'etag'] : [])];
      const fields = ({ headers }: TestResponse): object =>
        Object.fromEntries(Object.entries(headers).filter(([name]) => !changing.includes(name)));
      assert.deepEqual(fields(head), fields(get), target);
      assert.ok(Number(head.headers['content-length']) > 0, target);
    }
  });

  for (const [target, status, isKnown] of [
    ['/orders/999999', 404, true],
    ['/nowhere', 404, true],
    ['/orders?x=1', 422, true],
    ['/api/keys?x=1', 400, true],
    ['/orders', 401, false],
  ] as const)
    test(`HEAD ${target} is ${status} with the problem’s fields, without its document`, async () => {
      const call = { token: isKnown ? root.token : undefined, isUndescribed: true };
      const head = await service().call('HEAD', target, call);
      const type = head.headers['content-type'];
      assert.deepEqual([head.status, head.text, type], [status, '', 'application/problem+json']);
      assert.equal(head.headers['www-authenticate'], isKnown ? undefined : 'Bearer realm="orderly"');
    });

  test('every declared path responds to OPTIONS with 204 and the allowed methods, to anyone', async () => {
    for (const { path, target, methods } of paths) {
      const { status, headers, text } = await service().call('OPTIONS', target);
      assert.deepEqual([status, headers.allow, text], [204, methods.join(', '), ''], path);
      const patches = methods.includes('PATCH')
        ? 'application/merge-patch+json, application/json'
        : undefined;
      assert.equal(headers['accept-patch'], patches);
      assert.equal(headers['content-type'], undefined);
    }
  });

  test('every declared path responds to every other method with 405 and the allowed methods', async () => {
    const others = ['TRACE', 'PROPFIND', 'PURGE', 'QUERY', 'SEARCH', 'LINK'];
    for (const { target, methods: allowed } of paths)
      for (const method of [...methods, ...others].filter((each) => !allowed.includes(each)))
        for (const isKnown of [true, false]) {
          const call = { token: isKnown ? root.token : undefined, isUndescribed: true };
          const response = await service().call(method, target, call);
          const { status, headers, text } = response;
          assert.deepEqual([status, headers.allow], [405, allowed.join(', ')], `${method} ${target}`);
          if (method === 'HEAD') assert.equal(text, '');
          else assertProblem(response, 'method-not-allowed');
        }
  });

  test('every declared path is 404 with anything before or after it, whatever the method', async () => {
    for (const { target } of paths)
      for (const wrong of [
        `${target}/`,
        `${target}/x`,
        `/${target}`,
        `/x${target}`,
        `${target}%20`,
        `${target}.json`,
      ])
        for (const method of /^\/(problems|console)\//.test(wrong) ? ['GET'] : ['GET', 'POST', 'OPTIONS'])
          assertProblem(await ask(method, wrong), 'not-found');
  });

  const unknown =
    '// /. /.. /orders/../orders /%256frders /orders%2f /Orders /ORDERS /api /api/ /api/user /orders;x /orders%2F1 ' +
    '/orders\\1 /health /favicon.ico /.env /api/getUsers /api/createUser /api/deleteUser/1 /__proto__ /constructor ' +
    '/orders/constructor /problems/constructor /problems/__proto__ /problems/Not-Found /problems/1';
  for (const target of unknown.split(' '))
    test(`the path ${target} is 404`, async () => {
      const response = await ask('GET', target);
      assertProblem(response, 'not-found');
      assert.equal(response.body.instance, target.replace(/^\/\//, '/.//').replace('\\', '%5C'));
    });

  test('an id of a path is an integer from 1 to 2^53−1', insideOnly, async () => {
    const { router } = service().inside ?? assert.fail('it is skipped otherwise');
    const idIn = (text: string): unknown => router.find(`/orders/${text}`)?.params;
    assert.deepEqual(idIn('9007199254740991'), { id: 2 ** 53 - 1 });
    for (const other of ['9007199254740992', '10000000000000000', '0', '01', ''])
      assert.equal(idIn(other), undefined);
  });

  for (const [target, instance] of [
    ['/nope', '/nope'],
    ["/a~b!$&'()*+,;=:@%2F", "/a~b!$&'()*+,;=:@%2F"],
    ['//evil.example/x', '/.//evil.example/x'],
    ['///x', '/.///x'],
    ['http://localhost//x', '/.//x'],
    ['/a"b<c>\\d', '/a%22b%3Cc%3E%5Cd'],
    ['/{a}|^`[]', '/%7Ba%7D%7C%5E%60%5B%5D'],
    ['/%zz%', '/%25zz%25'],
  ] as const)
    test(`the instance of a problem at ${target} is the reference ${instance}`, async () => {
      const { body } = await askRaw(service().port, Buffer.from(request(`GET ${target}`)));
      assert.equal(body.instance, instance);
      assert.equal(new URL(body.instance, service().url).origin, service().url);
    });

  test('the instance of a problem of 8 KiB at most fits the schema, whatever had to be encoded', async () => {
    const response = await askRaw(service().port, request(`GET /${'"'.repeat(9_000)}`));
    assertProblem(response, 'uri-too-long');
    assert.equal(response.body.instance, `/${'%22'.repeat(8_191)}`);
  });
});
