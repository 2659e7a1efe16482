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

test('no secret is in a log, an error, a list, the metrics, the processes, or on the disk', async (t) => {
  const folder = newFolder(t);
  const env = {
    ORDERLY_JWT_SECRETS: planted.signing,
    ORDERLY_ADMIN_EMAIL: 'root@example.com',
    ORDERLY_ADMIN_PASSWORD: planted.adminPassword,
  };
  const service = await serving(t, ['--tls=off', '--log=debug', `--data=${folder}`], { env });
  const responses: string[] = [];

  /** Collects the text of responses, except for those that contain a secret on purpose. */
  async function ask(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: unknown,
    isHandedOut = false,
  ): Promise<Record<string, string>> {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(service.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(text === undefined ? {} : { body: text }),
    });
    const answered = await response.text();
    if (!isHandedOut)
      responses.push(
        `${method} ${path.split('?')[0]} ${response.status} ` +
          `${JSON.stringify([...response.headers])} ${answered}`,
      );
    else assert.ok(response.ok, answered);
    return answered.startsWith('{') ? JSON.parse(answered) : {};
  }

  const email = 'ada@example.com';
  await ask('POST', '/api/users', {}, { name: 'Ada', email, password: planted.password });
  await ask('POST', '/api/users', {}, { name: 'Ada', email, password: planted.password });
  await ask(
    'POST',
    '/api/users',
    {},
    { name: '', email: 'x', password: planted.password, more: planted.password },
  );
  await ask('POST', '/api/users', {}, `{"name":"Ada","password":"${planted.password}" oops`);
  await ask('POST', '/api/users', {}, `{"password":"${planted.password}","password":"${planted.password}"}`);
  await ask('POST', '/api/sessions', {}, { email, password: planted.wrongPassword });
  await ask('POST', '/api/sessions', {}, { email: planted.wrongPassword, password: planted.wrongPassword });
  const {
    accessToken: token = '',
    refreshToken = '',
    id,
    userId,
  } = await ask('POST', '/api/sessions', {}, { email, password: planted.password }, true);
  const bearer = { authorization: `Bearer ${token}` };
  const { key = '', id: keyId } = await ask(
    'POST',
    '/api/keys',
    bearer,
    { name: 'till 3', scopes: ['orders:read', 'customers:read', 'customers:write', 'orders:write'] },
    true,
  );
  const { refreshToken: nextToken = '' } = await ask(
    'POST',
    `/api/sessions/${id}/tokens`,
    {},
    { refreshToken },
    true,
  );
  await ask('PATCH', `/api/users/${userId}`, bearer, {
    password: planted.newPassword,
    currentPassword: planted.password,
  });

  const { id: customerId } = await ask(
    'POST',
    `/customers?api_key=${key}`,
    { 'idempotency-key': 'planted-once' },
    { name: 'Grace' },
  );
  for (let count = 0; count < 2; count += 1)
    await ask(
      'POST',
      '/orders',
      { 'x-api-key': key },
      { customerId, currency: 'EUR', items: [{ name: 'Tea', quantity: 1, unitPrice: 5 }] },
    );
  await ask('GET', `/orders?limit=1&api_key=${key}`);
  await ask('GET', `/orders/0?api_key=${key}`);
  await ask('GET', `/api/users?api_key=${key}`);
  await ask('GET', `/nowhere?api_key=${key}`);
  await ask('GET', `/orders?api_key=${planted.foreignKey}`);
  await ask('GET', `/orders?sort=nope&api_key=${key}&api_key=${key}`);
  await ask('GET', `/orders?api_key=${key}`, bearer);
  await ask('GET', '/orders', { 'x-api-key': planted.foreignKey });
  await ask('GET', '/orders', { authorization: `Bearer ${planted.foreignToken}` });
  await ask('GET', '/orders', { authorization: `Bearer ${token}x` });
  await ask('GET', '/orders', { authorization: `Basic ${planted.basic}` });
  for (const path of [
    '/api/keys',
    `/api/keys/${keyId}`,
    '/api/sessions',
    `/api/sessions/${id}`,
    `/api/users/${userId}`,
  ])
    await ask('GET', path, bearer);
  // The new one is used as well, so that the old one then ends the session.
  await ask('POST', `/api/sessions/${id}/tokens`, {}, { refreshToken: nextToken }, true);
  await ask('POST', `/api/sessions/${id}/tokens`, {}, { refreshToken });
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
