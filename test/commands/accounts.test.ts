// `admin create`, `admin reset` and `keys create`, beside a running service.
import assert from 'node:assert/strict';
import { fdatasync } from 'node:fs';
import { test } from 'node:test';
import { newCustomer, newKey } from '../support/resource-support.ts';
import { personWithCodes } from '../support/totp-support.ts';
import { admin, serviceFor, type TestService } from '../support/service.ts';
import { orderly } from '../support/command-support.ts';

test('admin create makes an administrator who can sign in; the address is then taken', async (t) => {
  const service = await serviceFor(t);
  const made = printed(await ran(service, 'admin create --email=Ops@example.com --name=Operations'));
  const { token, id } = await service.signIn('ops@example.com', made['password'] ?? '');
  assert.equal(String(id), made['id']);
  const { body } = await service.get(`/api/users/${id}`, { token });
  assert.deepEqual([body.name, body.email, body.role], ['Operations', 'Ops@example.com', 'admin']);
  const again = await ran(service, 'admin create --email=ops@EXAMPLE.com');
  assert.deepEqual(
    [again.status, again.stderr, again.stdout],
    [1, 'orderly: Another user has the e-mail address ops@EXAMPLE.com.\n', ''],
  );
});

test('admin reset sets a new password, ends sessions and keys, and changes the ETag', async (t) => {
  const service = await serviceFor(t);
  const person = await service.person('staff');
  const before = await service.get(`/api/users/${person.id}`, { token: person.token });
  const { key } = await newKey(service, person.token);
  const codes = `/api/users/${person.id}/totp`;
  assert.equal((await service.post(codes, { token: person.token })).status, 201);
  const reset = await ran(service, `admin reset --email=${person.email.toUpperCase()}`);
  const made = printed(reset);
  assert.match(reset.stdout, /^All sessions and API keys of this user have ended\.$/m);
  assert.doesNotMatch(reset.stdout, /One-time codes/);
  assert.equal((await service.get(`/api/users/${person.id}`, { token: person.token })).status, 401);
  assert.equal(
    (await service.post('/api/sessions', { body: { email: person.email, password: person.password } }))
      .status,
    401,
  );
  assert.equal((await service.get('/orders', { key })).status, 401);
  const { token } = await service.signIn(person.email, made['password'] ?? '');
  const after = await service.get(`/api/users/${person.id}`, { token });
  assert.deepEqual(after.body, before.body);
  assert.notEqual(after.headers.etag, before.headers.etag);
  assert.equal((await service.get(codes, { token })).status, 404, 'they were never confirmed');
  // nobody else changes
  assert.equal((await service.signIn(admin.email, admin.password)).email, admin.email);
});

test('no token works once admin reset has ended, however slow the disk and busy the service', async (t) => {
  let syncMilliseconds = 0;
  const service = await serviceFor(t, {
    fdatasync: (descriptor, done) => setTimeout(fdatasync, syncMilliseconds, descriptor, done),
  });
  const person = await service.person('staff');
  const { token } = await service.signIn(admin.email, admin.password);
  syncMilliseconds = 150;
  let goesOn = true;
  const writing = Array.from({ length: 3 }, async () => {
    while (goesOn) await newCustomer(service, token);
  });
  const reading = (async () => {
    while (goesOn) {
      await service.get('/orders', { token: person.token });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  const reset = await ran(service, `admin reset --email=${person.email}`);
  const { status } = await service.get('/orders', { token: person.token });
  goesOn = false;
  await Promise.all([...writing, reading]);
  assert.match(reset.stdout, /^All sessions and API keys of this user have ended\.$/m);
  assert.equal(status, 401);
});

test('admin reset turns one-time codes off, and says so', async (t) => {
  const service = await serviceFor(t);
  if (service.inside === undefined) return t.skip('needs the clock');
  const { person } = await personWithCodes(service, 'admin');
  const reset = await ran(service, `admin reset --email=${person.email}`);
  assert.match(reset.stdout, /^One-time codes are off: signing in needs the password alone\.$/m);
  await service.signIn(person.email, printed(reset)['password'] ?? '');
});

test('a suspended user stays suspended after admin reset, and gets no key', async (t) => {
  const service = await serviceFor(t);
  const { id, email } = await service.person();
  const { token } = await service.signIn(admin.email, admin.password);
  await service.put(`/api/users/${id}/suspension`, { token, body: {} });
  const reset = await ran(service, `admin reset --email=${email}`);
  assert.match(reset.stdout, /^The user stays suspended until an administrator lifts that\.$/m);
  const secret = printed(reset)['password'];
  assert.equal((await service.post('/api/sessions', { body: { email, password: secret } })).status, 401);
  const made = await ran(service, `keys create --email=${email} --name=till --scopes=orders:read`);
  assert.deepEqual(
    [made.status, made.stdout, made.stderr],
    [1, '', `orderly: ${email} is suspended; an administrator lifts that.\n`],
  );
});

test('keys create makes a key that works immediately, with its scopes only', async (t) => {
  const service = await serviceFor(t);
  const person = await service.person();
  const command = `keys create --email=${person.email}`;
  const made = printed(await ran(service, command, '--name=till 3', '--scopes=orders:read, customers:read'));
  const { key = '', id = '' } = made;
  assert.match(key, new RegExp(`^ord_${id}_[A-Za-z0-9_-]{43}$`));
  assert.equal((await service.get('/orders', { key })).status, 200);
  assert.equal((await service.post('/customers', { key, body: { name: 'Grace' } })).status, 403);
  const { body } = await service.get(`/api/keys/${id}`, { token: person.token });
  assert.deepEqual(
    [body.name, body.scopes, body.expiresAt],
    ['till 3', ['orders:read', 'customers:read'], made['expires']],
  );
  const unknown = await ran(service, 'keys create --email=nobody@example.com --name=x --scopes=orders:read');
  assert.deepEqual(
    [unknown.status, unknown.stderr],
    [1, 'orderly: There is no user with the e-mail address nobody@example.com.\n'],
  );
});

/** Runs a command on the folder of a service; `more` are arguments with blanks. */
function ran({ folder }: TestService, command: string, ...more: readonly string[]) {
  return orderly([...command.split(' '), ...more, `--data=${folder}`]);
}

/** `name: value` lines. */
function printed({
  status,
  stdout,
  stderr,
}: Awaited<ReturnType<typeof ran>>): Readonly<Record<string, string>> {
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /is shown only once\.\n$/);
  return Object.fromEntries(
    [...stdout.matchAll(/^(\w+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}
