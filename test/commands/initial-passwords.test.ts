// Passwords that the service generates: how long they work, what a start reports about them, and their file.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { logStart } from '../../src/commands/welcome.ts';
import { readCommandLine } from '../../src/service/command-line.ts';
import { shownOf } from '../support/http-support.ts';
import { admin, executable, serviceFor, type TestService } from '../support/service.ts';
import { orderly } from '../support/command-support.ts';

const dayMilliseconds = 24 * 3_600_000;
const skip = executable !== undefined && 'needs a clock that a test can set';
const chosen = 'a password that somebody chose';

describe('a password that the service generated', { concurrency: 4, skip }, () => {
  test('a generated password works for 7 days, whatever else changes, and then gets the response of a wrong one', async (t) => {
    const service = await firstStart(t);
    const { email, password } = credentialsIn(service.folder);
    service.clock.advance(7 * dayMilliseconds - 1);
    const { id, token } = await service.signIn(email, password);
    assert.equal((await service.patch(`/api/users/${id}`, { token, body: { name: 'Root' } })).status, 200);
    service.clock.advance(1);
    const expired = await service.post('/api/sessions', { body: { email, password } });
    const wrong = await service.post('/api/sessions', { body: { email, password: 'something else' } });
    assert.equal(expired.status, 401);
    assert.deepEqual(shownOf(expired), shownOf(wrong));
    const failures = service.logged
      .map((line): Record<string, unknown> => JSON.parse(line))
      .filter(({ message }) => message === 'authn_login_fail');
    assert.deepEqual(
      failures.map(({ userId, reason }) => [userId, reason]),
      [
        [1, 'password-expired'],
        [1, undefined],
      ],
    );
  });

  test('a generated password that has expired leaves no administrator: the other one can’t go', async (t) => {
    const service = await firstStart(t);
    const initial = credentialsIn(service.folder);
    const root = await service.signIn(initial.email, initial.password);
    const body = { name: 'Ada', email: 'ada@example.com', password: chosen, role: 'admin' };
    const { id } = (await service.post('/api/users', { token: root.token, body })).body;
    service.clock.advance(7 * dayMilliseconds);
    const { token } = await service.signIn(body.email, chosen);
    const path = `/api/users/${id}`;
    for (const response of [
      await service.patch(path, { token, body: { role: 'user' } }),
      await service.delete(path, { token }),
    ])
      assert.deepEqual([response.status, response.body?.code], [409, 'last-admin']);
    assert.equal((await service.delete(`/api/users/${root.id}`, { token })).status, 204);
  });

  test('a generated password is no current password after 7 days, even in a recent session', async (t) => {
    const service = await firstStart(t);
    const { email, password } = credentialsIn(service.folder);
    service.clock.advance(7 * dayMilliseconds - 1);
    const { id, token } = await service.signIn(email, password);
    service.clock.advance(1);
    const { status, body } = await service.patch(`/api/users/${id}`, {
      token,
      body: { password: chosen, currentPassword: password },
    });
    assert.deepEqual([status, body.errors[0].pointer], [400, '#/currentPassword']);
  });

  test('a generated password no longer expires once it is changed, and its file is removed', async (t) => {
    const service = await firstStart(t);
    const { email, password } = credentialsIn(service.folder);
    const { id, token } = await service.signIn(email, password);
    const renamed = await service.patch(`/api/users/${id}`, { token, body: { name: 'Root' } });
    assert.equal(renamed.status, 200);
    assert.deepEqual(credentialsIn(service.folder), { email, password });
    await service.patch(`/api/users/${id}`, {
      token,
      body: { password: chosen, currentPassword: password, email: 'root@example.com' },
    });
    assert.equal(existsSync(fileIn(service.folder)), false);
    service.clock.advance(8 * dayMilliseconds);
    await service.signIn('root@example.com', chosen);
    assert.deepEqual(saidAtStart(service), []);
  });

  test('a generated password of somebody else can be replaced without a change of the file', async (t) => {
    const service = await firstStart(t);
    const { email, password } = credentialsIn(service.folder);
    const { token } = await service.signIn(email, password);
    const { id } = await service.person('user');
    await service.patch(`/api/users/${id}`, { token, body: { password: chosen } });
    assert.deepEqual(credentialsIn(service.folder), { email, password });
  });

  test('each start names a generated password: how long it works, and what to do when it has expired', async (t) => {
    const service = await firstStart(t);
    await service.restart();
    const origin = 'The password of admin@localhost was generated';
    assert.deepEqual(saidAtStart(service), [`${origin} and works until 2026-03-08: sign in and change it.`]);
    service.clock.advance(7 * dayMilliseconds);
    assert.deepEqual(saidAtStart(service), [
      `${origin} and has expired: "orderly admin reset --email admin@localhost" prints a new one.`,
    ]);
  });

  test('a password of the environment never expires, unlike one that the service generated', async (t) => {
    const service = await serviceFor(t);
    assert.deepEqual(saidAtStart(service), []);
    service.clock.advance(365 * dayMilliseconds);
    await service.signIn(admin.email, admin.password);
  });

  for (const command of ['create', 'reset']) {
    test(`a password that the service generated by admin ${command} works for 7 days`, async (t) => {
      const service = await serviceFor(t);
      const email = command === 'create' ? 'ops@example.com' : (await service.person()).email;
      const { stdout } = await orderly(['admin', command, `--email=${email}`, `--data=${service.folder}`]);
      assert.match(stdout, /^The password works for 7 days: sign in and change it\.$/m);
      const password = /^password: (.*)$/m.exec(stdout)?.[1] ?? '';
      service.clock.now = Date.now() + 6.9 * dayMilliseconds;
      await service.signIn(email, password);
      service.clock.now = Date.now() + 7 * dayMilliseconds;
      assert.equal((await service.post('/api/sessions', { body: { email, password } })).status, 401);
    });
  }

  test('a password generated by admin reset replaces the one in the file, which is removed', async (t) => {
    const service = await firstStart(t);
    const { email, password } = credentialsIn(service.folder);
    assert.equal(
      (await orderly(['admin', 'reset', `--email=${email}`, `--data=${service.folder}`])).status,
      0,
    );
    assert.equal(existsSync(fileIn(service.folder)), false);
    assert.equal((await service.post('/api/sessions', { body: { email, password } })).status, 401);
  });
});

/** With the administrator whom the service creates. */
function firstStart(t: TestContext, settings: Record<string, string> = {}): Promise<TestService> {
  return serviceFor(t, { firstAdmin: 'initial-admin.json', settings });
}

function fileIn(folder: string): string {
  return join(folder, 'initial-admin.json');
}

function credentialsIn(folder: string): { email: string; password: string } {
  return JSON.parse(readFileSync(fileIn(folder), 'utf8'));
}

/** What a start at this time would log about passwords. */
function saidAtStart({ folder, inside, clock }: TestService): string[] {
  assert.ok(inside);
  const said: string[] = [];
  const log = { write: (_: string, message: string) => said.push(message), request() {}, flush() {} };
  const { config } = readCommandLine([`--data=${folder}`, '--tls=off'], {});
  const machine = { hostname: 'till', addresses: [] };
  logStart(log, { config, service: inside, machine, now: clock.now });
  return said.filter((message) => message.startsWith('The password of'));
}
