// The header fields that every response has.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import { askRaw } from '../../support/raw-connection.ts';
import { newCustomer, newKey } from '../../support/resource-support.ts';
import { type Person } from '../../support/service.ts';
import { loggedLine } from '../../support/storage-support.ts';

describe('every response', () => {
  let ada: Person, root: Person;
  const service = sharedService({}, async (started) => {
    [ada, root] = [await started.person(), await started.person('admin')];
  });

  test('every response with JSON has nosniff and the strictest policy; with HTML a strict one, no referrer', async () => {
    const { body: document } = await service().get('/openapi.json');
    const targets = Object.entries<object>(document.paths)
      .filter(([, operations]) => 'get' in operations)
      .map(([path]) => path.replace(/\{name\}/, 'not-found').replace(/\{\w+\}/g, '1'));
    for (const target of targets)
      for (const accept of ['application/json', 'text/html']) {
        const { status, headers } = await service().get(target, { token: root.token, headers: { accept } });
        assert.ok([200, 404, 406].includes(status), `${target} ${status}`);
        assert.equal(headers['x-content-type-options'], 'nosniff');
        const policy = String(headers['content-security-policy']);
        if (!String(headers['content-type']).startsWith('text/html')) {
          assert.equal(policy, "default-src 'none'; frame-ancestors 'none'", target);
          continue;
        }
        assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
        assert.doesNotMatch(policy, /unsafe-|\*|https?:|blob:|(?<!img-src (?:'self' )?)data:/);
        assert.equal(headers['referrer-policy'], 'no-referrer');
      }
  });

  test('every response without a body has none of the fields that describe one', async () => {
    const path = `/customers/${(await newCustomer(service(), ada.token)).id}`;
    const etag = String((await service().get(path, ada)).headers.etag);
    for (const [status, { status: found, headers }] of [
      [304, await service().get(path, { token: ada.token, headers: { 'if-none-match': etag } })],
      [204, await service().call('OPTIONS', '/customers')],
      [204, await service().delete(path, ada)],
    ] as const) {
      assert.equal(found, status);
      for (const name of [
        'content-security-policy',
        'x-content-type-options',
        'referrer-policy',
        'content-type',
      ])
        assert.ok(!(name in headers), name);
    }
  });

  test('no response with tokens or keys is stored', async () => {
    const { email, password, token } = ada;
    const signedIn = await service().post('/api/sessions', { body: { email, password } });
    const { id, refreshToken } = signedIn.body;
    const renewed = await service().post(`/api/sessions/${id}/tokens`, { body: { refreshToken } });
    const body = { name: 'k', scopes: ['orders:read'] };
    const key = await service().post('/api/keys', { token, body });
    for (const { status, headers } of [signedIn, renewed, key])
      assert.deepEqual([status, headers['cache-control']], [201, 'no-store']);
  });

  const kept = ['a', 'A-Z_0.9', 'x'.repeat(64), '4bf92f35-77b3-4da6-a3ce-929d0e0e4736', '...'];
  const replaced: readonly (string | string[])[] = [
    ...['x'.repeat(65), '', 'a b', 'a"b', 'a/b', 'ü', 'a,b', '<script>', '${jndi:ldap}'],
    ['a', 'b c'],
  ];
  for (const sent of [...kept, ...replaced])
    test(`every response has an X-Request-Id: ${JSON.stringify(sent)} is ${kept.includes(String(sent)) ? 'kept' : 'replaced'}`, async () => {
      for (const path of ['/problems', '/orders', '/nowhere']) {
        const sending = { 'x-request-id': sent, accept: 'application/json' };
        const { headers, body } = await service().get(path, { headers: sending, isUndescribed: true });
        const id = String(headers['x-request-id']);
        if (kept.includes(String(sent))) assert.equal(id, sent);
        else assert.ok(id !== sent && /^[A-Za-z0-9._-]{8,64}$/.test(id), id);
        if (path !== '/problems') assert.equal(body.requestId, id);
      }
    });

  test('every response has a unique X-Request-Id', async () => {
    const asked = Array.from({ length: 200 }, () => service().get('/health/live'));
    const ids = (await Promise.all(asked)).map(({ headers }) => headers['x-request-id']);
    assert.equal(new Set(ids).size, 200);
  });

  const logLineOf = (requestId: string) => loggedLine(service(), `"requestId":"${requestId}"`);

  test('every response is logged: one JSON object a line, with the trace it belongs to', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const headers = { traceparent, 'x-request-id': 'trace-1' };
    await service().get('/orders?limit=5&status=open', { token: ada.token, headers });
    const { time, durationMs, requestId, address, ...line } = await logLineOf('trace-1');
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Number(durationMs) >= 0);
    const principal = `user:${ada.id}`;
    for (const [name, value] of Object.entries({
      level: 'info',
      method: 'GET',
      path: '/orders',
      status: 200,
      principal,
      traceparent,
    }))
      assert.equal(line[name], value);
    await service().get('/orders', { headers: { 'x-request-id': 'trace-2' } });
    const other = await logLineOf('trace-2');
    assert.deepEqual([other['principal'], other['status'], 'traceparent' in other], [null, 401, false]);
  });

  test('every response is logged without a secret: tokens, keys and passwords, good or bad, and queries', async () => {
    const { token, refreshToken, password, email } = ada;
    const { key } = await newKey(service(), token);
    const secret = 'Xyzzy-hunter2-plugh';
    await service().get(`/orders?api_key=${key}`);
    await service().get(`/orders?api_key=${secret}`);
    await service().get(`/nowhere?token=${secret}`, { key, isUndescribed: true });
    await service().get(`/orders;${key}`, { isUndescribed: true });
    await service().get(`/orders?name=${secret}`, { token });
    await service().get('/orders', { token: secret });
    await service().post('/api/sessions', { body: { email, password: secret } });
    await service().post('/api/sessions', { body: `{"password":"${secret}"` });
    await service().post('/api/users', { body: { name: 'Bob', email: 'bob@example.com', password: secret } });
    await service().get('/orders', { headers: { 'x-request-id': 'the-last' } });
    await logLineOf('the-last');
    const text = service().logged.join('\n');
    for (const hidden of [secret, key, key.slice(-43), token, refreshToken, password, 'api_key', '?'])
      assert.ok(!text.includes(hidden), hidden);
  });

  test('every response is logged with control and formatting characters escaped', async () => {
    const fields = 'Host: a\r\nX-Request-Id: odd\r\ntraceparent: \u009b"';
    const bytes = `GET /a%0d%0a\u2028\u0085"\\<x> HTTP/1.1\r\n${fields}\r\n\r\n`;
    const { status } = await askRaw(service().port, Buffer.from(bytes, 'utf8'));
    if (status === 404) await logLineOf('odd');
    else assert.equal(status, 400);
    for (const line of service().logged)
      assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
  });
});
