// `admin create`, `admin reset` and `keys create`, beside a running service.
import assert from 'node:assert/strict';
import { fdatasync } from 'node:fs';
import { test } from 'node:test';
import { orderly } from '../support/command-support.ts';
import { assertProblem, assertStatus } from '../support/http-support.ts';
import { newCustomer, newKey, rootService } from '../support/resource-support.ts';
import { serviceFor, type TestService } from '../support/service.ts';
import { personWithCodes } from '../support/totp-support.ts';

/** Runs a command on the folder of a service; `more` are arguments with blanks. */
function ran({ folder }: TestService, command: string, ...more: readonly string[]) {
  return orderly([...command.split(' '), ...more, `--data=${folder}`]);
}

/** The output of a command, and its `name: value` lines. */
async function printed(...command: Parameters<typeof ran>) {
  const { status, stdout, stderr } = await ran(...command);
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /is shown only once\.\n$/);
  const lines = [...stdout.matchAll(/^(\w+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value]);
  const values: Readonly<Record<string, string>> = Object.fromEntries(lines);
  return { stdout, values, password: values['password'] ?? '' };
}

async function assertRejected(message: string, ...command: Parameters<typeof ran>): Promise<void> {
  assert.deepEqual(await ran(...command), { status: 1, stdout: '', stderr: `orderly: ${message}\n` });
}

test('admin create makes an administrator who can sign in; the address is then taken', async (t) => {
  const service = await serviceFor(t);
  const made = await printed(service, 'admin create --email=Ops@example.com --name=Operations');
  const { get, id } = await service.signIn('ops@example.com', made.password);
  assert.equal(String(id), made.values['id']);
  const { name, email, role } = (await get(`/api/users/${id}`)).body;
  assert.deepEqual([name, email, role], ['Operations', 'Ops@example.com', 'admin']);
  const taken = 'Another user has the e-mail address ops@EXAMPLE.com.';
  await assertRejected(taken, service, 'admin create --email=ops@EXAMPLE.com');
});

test('admin reset sets a new password, ends sessions and keys, and changes the ETag', async (t) => {
  const service = await serviceFor(t);
  const person = await service.person('staff');
  const path = `/api/users/${person.id}`;
  const before = await person.get(path);
  const { key } = await newKey(service, person.token);
  assert.equal((await person.post(`${path}/totp`)).status, 201);
  const reset = await printed(service, `admin reset --email=${person.email.toUpperCase()}`);
  assert.match(reset.stdout, /^All sessions and API keys of this user have ended\.$/m);
  assert.doesNotMatch(reset.stdout, /One-time codes/);
  const { email, password } = person;
  assertProblem(await person.get(path), 'invalid-token');
  assertProblem(await service.post('/api/sessions', { body: { email, password } }), 'invalid-credentials');
  assertProblem(await service.get('/orders', { key }), 'invalid-token');
  const { get } = await service.signIn(email, reset.password);
  const after = await get(path);
  assert.deepEqual(after.body, before.body);
  assert.notEqual(after.headers.etag, before.headers.etag);
  assert.equal((await get(`${path}/totp`)).status, 404, 'they were never confirmed');
  await service.root(); // nobody else changes
});

test('no token works once admin reset has ended, however slow the disk and busy the service', async (t) => {
  let syncMilliseconds = 0;
  const { service, token } = await rootService(t, {
    fdatasync: (descriptor, done) => setTimeout(fdatasync, syncMilliseconds, descriptor, done),
  });
  const { email, get } = await service.person('staff');
  syncMilliseconds = 150;
  let goesOn = true;
  const writing = Array.from({ length: 3 }, async () => {
    while (goesOn) await newCustomer(service, token);
  });
  const reading = (async () => {
    while (goesOn) {
      await get('/orders');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  await printed(service, `admin reset --email=${email}`);
  const { status } = await get('/orders');
  goesOn = false;
  await Promise.all([...writing, reading]);
  assert.equal(status, 401);
});

test('admin reset turns one-time codes off, and says so', async (t) => {
  const service = await serviceFor(t);
  if (service.inside === undefined) return t.skip('needs the clock');
  const { person } = await personWithCodes(service, 'admin');
  const reset = await printed(service, `admin reset --email=${person.email}`);
  assert.match(reset.stdout, /^One-time codes are off: signing in needs the password alone\.$/m);
  await service.signIn(person.email, reset.password);
});

test('a suspended user stays suspended after admin reset, and gets no key', async (t) => {
  const { service, root } = await rootService(t);
  const { id, email } = await service.person();
  await root.put(`/api/users/${id}/suspension`, {});
  const { stdout, password } = await printed(service, `admin reset --email=${email}`);
  assert.match(stdout, /^The user stays suspended until an administrator lifts that\.$/m);
  await assertStatus(service.post('/api/sessions', { body: { email, password } }), 401);
  const suspended = `${email} is suspended; an administrator lifts that.`;
  await assertRejected(suspended, service, `keys create --email=${email} --name=till --scopes=orders:read`);
});

test('keys create makes a key that works immediately, with its scopes only', async (t) => {
  const service = await serviceFor(t);
  const person = await service.person();
  const command = `keys create --email=${person.email} --name=till`;
  const { values } = await printed(service, command, '--scopes=orders:read, customers:read');
  const { key = '', id = '' } = values;
  assert.match(key, new RegExp(`^ord_${id}_[A-Za-z0-9_-]{43}$`));
  await assertStatus(service.get('/orders', { key }), 200);
  await assertStatus(service.post('/customers', { key, body: { name: 'Grace' } }), 403);
  const { name, scopes, expiresAt } = (await person.get(`/api/keys/${id}`)).body;
  assert.deepEqual([name, scopes, expiresAt], ['till', ['orders:read', 'customers:read'], values['expires']]);
  const unknown = 'There is no user with the e-mail address nobody@example.com.';
  await assertRejected(
    unknown,
    service,
    'keys create --email=nobody@example.com --name=x --scopes=orders:read',
  );
});
