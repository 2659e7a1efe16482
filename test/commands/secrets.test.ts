// Sends secrets in valid and invalid requests, and looks for them in all output.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newFolder, orderly, serving } from '../support/command-support.ts';

const planted = {
  signing: 'planted-signing-secret-rJ8xT2mQ5vW9',
  adminPassword: 'planted-admin-Hk3nB7sD1fG6',
  password: 'planted-user-pY4cV8zX2aL5',
  newPassword: 'planted-new-uM9eR3tN7wQ1',
  wrongPassword: 'planted-wrong-iO6kJ2hF8bS4',
  foreignToken: 'planted.foreign.gC5vD9xZ3mA7',
  foreignKey: 'ord_7_plantedForeignKeyBn4Lq8Ws2Er6Ty1Ui5Op9Hg3Df',
  basic: 'cGxhbnRlZDpiYXNpYw==',
};

type Fields = Record<string, string>;

test('no secret is in a log, an error, a list, the metrics, the processes, or on the disk', async (t) => {
  const folder = newFolder(t);
  const env = {
    ORDERLY_JWT_SECRETS: planted.signing,
    ORDERLY_ADMIN_EMAIL: 'root@example.com',
    ORDERLY_ADMIN_PASSWORD: planted.adminPassword,
  };
  const service = await serving(t, ['--tls=off', '--log=debug', `--data=${folder}`], { env });
  const responses: string[] = [];

  async function ask(method: string, path: string, headers: Fields = {}, body?: unknown): Promise<string> {
    const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
    const sent = { method, headers: { 'content-type': 'application/json', ...headers }, body: text };
    const response = await fetch(service.url + path, sent);
    const answered = await response.text();
    const fields = JSON.stringify([...response.headers]);
    responses.push(`${method} ${path.split('?')[0]} ${response.status} ${fields} ${answered}`);
    return answered;
  }

  /** For a response that contains a secret on purpose. */
  async function post(path: string, headers: Fields, body: object): Promise<Fields> {
    const answered = await ask('POST', path, headers, body);
    assert.match(responses.pop() ?? '', /^POST \S+ 20[01] /, answered);
    return JSON.parse(answered);
  }

  const email = 'ada@example.com';
  const { password, wrongPassword, newPassword, foreignKey } = planted;
  for (const body of [
    { name: 'Ada', email, password },
    { name: 'Ada', email, password },
    { name: '', email: 'x', password, more: password },
    `{"name":"Ada","password":"${password}" oops`,
    `{"password":"${password}","password":"${password}"}`,
  ])
    await ask('POST', '/api/users', {}, body);
  for (const address of [email, wrongPassword])
    await ask('POST', '/api/sessions', {}, { email: address, password: wrongPassword });
  const session = await post('/api/sessions', {}, { email, password });
  const { accessToken: token = '', refreshToken = '', id, userId } = session;
  const bearer = { authorization: `Bearer ${token}` };
  const scopes = ['orders:read', 'customers:read', 'customers:write', 'orders:write'];
  const { key = '', id: keyId } = await post('/api/keys', bearer, { name: 'till 3', scopes });
  const renewal = `/api/sessions/${id}/tokens`;
  const { refreshToken: nextToken = '' } = await post(renewal, {}, { refreshToken });
  const change = { password: newPassword, currentPassword: password };
  await ask('PATCH', `/api/users/${userId}`, bearer, change);

  const repeatable = { 'idempotency-key': 'planted-once' };
  const customer = await ask('POST', `/customers?api_key=${key}`, repeatable, { name: 'Grace' });
  const items = [{ name: 'Tea', quantity: 1, unitPrice: 5 }];
  const order = { customerId: JSON.parse(customer).id, currency: 'EUR', items };
  for (let count = 0; count < 2; count += 1) await ask('POST', '/orders', { 'x-api-key': key }, order);
  for (const path of [
    '/orders?limit=1',
    '/orders/0',
    '/api/users',
    '/nowhere',
    `/orders?sort=nope&api_key=${key}`,
  ])
    await ask('GET', `${path}${path.includes('?') ? '&' : '?'}api_key=${key}`);
  await ask('GET', `/orders?api_key=${foreignKey}`);
  await ask('GET', `/orders?api_key=${key}`, bearer);
  for (const headers of [
    { 'x-api-key': foreignKey },
    { authorization: `Bearer ${planted.foreignToken}` },
    { authorization: `Bearer ${token}x` },
    { authorization: `Basic ${planted.basic}` },
  ])
    await ask('GET', '/orders', headers);
  const own = [
    '/api/keys',
    `/api/keys/${keyId}`,
    '/api/sessions',
    `/api/sessions/${id}`,
    `/api/users/${userId}`,
  ];
  for (const path of own) await ask('GET', path, bearer);
  // The new one is used as well, so that the old one then ends the session.
  await post(renewal, {}, { refreshToken: nextToken });
  await ask('POST', renewal, {}, { refreshToken });
  await ask('GET', '/metrics');
  await ask('GET', '/health/ready');
  const argv = readIfThere(`/proc/${service.pid}/cmdline`);
  const { stdout: reset } = await orderly(['admin', 'reset', `--email=${email}`, `--data=${folder}`]);
  const disk = readdirSync(folder)
    .filter((name) => name.startsWith('orderly.db'))
    .map((name) => readFileSync(join(folder, name)).toString('latin1'))
    .join('');
  const { stdout, stderr } = await service.end();

  const secrets = {
    ...planted,
    token,
    signature: token.split('.')[2] ?? '',
    refreshToken,
    nextToken,
    key,
    keySecret: key.slice(-43),
    resetPassword: /^password: (.+)$/m.exec(reset)?.[1] ?? '',
  };
  for (const [name, secret] of Object.entries(secrets)) {
    assert.ok(secret.length >= 16, `${name} was not planted`);
    for (const [place, text] of Object.entries({
      stdout,
      stderr,
      argv,
      disk,
      responses: responses.join('\n'),
    })) {
      assert.equal(text.indexOf(secret), -1, `${name} is in ${place}: …${excerpt(text, secret)}…`);
    }
  }
  assert.equal(stderr, '');
  assert.match(stdout, /"path":"\/orders","status":200/);
  for (const status of [200, 201, 400, 401, 403, 404, 409])
    assert.match(responses.join('\n'), new RegExp(`^[A-Z]+ \\S+ ${status} `, 'm'));
});

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function excerpt(text: string, secret: string): string {
  return text.slice(Math.max(text.indexOf(secret) - 200, 0), text.indexOf(secret) + secret.length);
}

const skip = process.platform === 'win32' && 'its modes say nothing';

test('keys in the data folder are made private, and so is the folder', { skip }, async (t) => {
  const folder = newFolder(t);
  const args = [`--data=${folder}`];
  const keys = ['secret.key', 'tls/key.pem', 'tls/ca-key.pem'].map((name) => join(folder, name));
  assert.equal((await (await serving(t, args)).end()).status, 0);
  for (const key of keys) chmodSync(key, 0o644);
  assert.equal((await (await serving(t, args)).end()).status, 0);
  for (const key of keys) assert.equal(statSync(key).mode & 0o777, 0o600, key);
  chmodSync(folder, 0o1777);
  assert.equal((await (await serving(t, args)).end()).status, 0);
  assert.equal(statSync(folder).mode & 0o7777, 0o700);
});
