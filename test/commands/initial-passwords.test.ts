// Passwords that the service generates: how long they work, what a start reports about them, and their file.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { logStart } from '../../src/commands/welcome.ts';
import { readCommandLine } from '../../src/service/command-line.ts';
import { orderly } from '../support/command-support.ts';
import { assertProblem, assertStatus, shownOf } from '../support/http-support.ts';
import { assertIssues } from '../support/resource-support.ts';
import { reasons } from '../support/security-line-support.ts';
import { admin, executable, serviceFor, type Person, type TestService } from '../support/service.ts';

const dayMilliseconds = 24 * 3_600_000;
const skip = executable !== undefined && 'needs a clock that a test can set';
const chosen = 'a password that somebody chose';
type Credentials = { readonly email: string; readonly password: string };

const fileIn = ({ folder }: TestService): string => join(folder, 'initial-admin.json');
const credentialsIn = (service: TestService): Credentials =>
  JSON.parse(readFileSync(fileIn(service), 'utf8'));

/** A service with the administrator whom it has created. */
async function firstStart(t: TestContext) {
  const service = await serviceFor(t, { firstAdmin: 'initial-admin.json' });
  const credentials = credentialsIn(service);
  const signIn = (): Promise<Person> => service.signIn(credentials.email, credentials.password);
  return { service, clock: service.clock, credentials, signIn };
}

/** What a start at this time would log about passwords. */
function saidAtStart({ folder, inside, clock }: TestService): string[] {
  assert.ok(inside);
  const said: string[] = [];
  const log = { write: (_: string, message: string) => said.push(message), request() {}, flush() {} };
  const { config } = readCommandLine([`--data=${folder}`, '--tls=off'], {});
  logStart(log, { config, service: inside, machine: { hostname: 'till', addresses: [] }, now: clock.now });
  return said.filter((message) => message.startsWith('The password of'));
}

describe('a password that the service generated', { concurrency: 4, skip }, () => {
  test('a generated password works for 7 days, whatever else changes, and then gets the response of a wrong one', async (t) => {
    const { service, clock, credentials, signIn } = await firstStart(t);
    clock.advance(7 * dayMilliseconds - 1);
    const { id, patch } = await signIn();
    await assertStatus(patch(`/api/users/${id}`, { name: 'Root' }), 200);
    clock.advance(1);
    const change = { password: chosen, currentPassword: credentials.password };
    assertIssues(await patch(`/api/users/${id}`, change), 400, ['#/currentPassword mismatch']);
    const expired = await service.post('/api/sessions', { body: credentials });
    const wrong = await service.post('/api/sessions', { body: { ...credentials, password: chosen } });
    assert.equal(expired.status, 401);
    assert.deepEqual(shownOf(expired), shownOf(wrong));
    const expiry = [id, 'password-expired'];
    assert.deepEqual(reasons(service), [expiry, expiry, [id, undefined]]);
  });

  test('a generated password that has expired leaves no administrator: the other one can’t go', async (t) => {
    const { service, clock, signIn } = await firstStart(t);
    const root = await signIn();
    const body = { name: 'Ada', email: 'ada@example.com', password: chosen, role: 'admin' };
    const path = `/api/users/${(await root.post('/api/users', body)).body.id}`;
    clock.advance(7 * dayMilliseconds);
    const ada = await service.signIn(body.email, chosen);
    assertProblem(await ada.patch(path, { role: 'user' }), 'last-admin');
    assertProblem(await ada.delete(path), 'last-admin');
    await assertStatus(ada.delete(`/api/users/${root.id}`), 204);
  });

  test('a generated password no longer expires once it is changed, and its file is removed', async (t) => {
    const { service, clock, credentials, signIn } = await firstStart(t);
    const { id, patch } = await signIn();
    const { id: other } = await service.person('user');
    await assertStatus(patch(`/api/users/${id}`, { name: 'Root' }), 200);
    await assertStatus(patch(`/api/users/${other}`, { password: chosen }), 200);
    assert.deepEqual(credentialsIn(service), credentials, 'that was no change of it');
    const change = { password: chosen, currentPassword: credentials.password, email: 'root@example.com' };
    await patch(`/api/users/${id}`, change);
    assert.equal(existsSync(fileIn(service)), false);
    clock.advance(8 * dayMilliseconds);
    await service.signIn(change.email, chosen);
    assert.deepEqual(saidAtStart(service), []);
  });

  test('each start names a generated password: how long it works, and what to do when it has expired', async (t) => {
    const { service, clock } = await firstStart(t);
    await service.restart();
    const origin = 'The password of admin@localhost was generated';
    assert.deepEqual(saidAtStart(service), [`${origin} and works until 2026-03-08: sign in and change it.`]);
    clock.advance(7 * dayMilliseconds);
    const advice = '"orderly admin reset --email admin@localhost" prints a new one.';
    assert.deepEqual(saidAtStart(service), [`${origin} and has expired: ${advice}`]);
  });

  test('a password of the environment never expires, unlike one that the service generated', async (t) => {
    const service = await serviceFor(t);
    assert.deepEqual(saidAtStart(service), []);
    service.clock.advance(365 * dayMilliseconds);
    await service.signIn(admin.email, admin.password);
  });

  for (const command of ['create', 'reset'])
    test(`a password that the service generated by admin ${command} works for 7 days`, async (t) => {
      const service = await serviceFor(t);
      const email = command === 'create' ? 'ops@example.com' : (await service.person()).email;
      const { stdout } = await orderly(['admin', command, `--email=${email}`, `--data=${service.folder}`]);
      assert.match(stdout, /^The password works for 7 days: sign in and change it\.$/m);
      const password = /^password: (.*)$/m.exec(stdout)?.[1] ?? '';
      service.clock.now = Date.now() + 6.9 * dayMilliseconds;
      await service.signIn(email, password);
      service.clock.now = Date.now() + 7 * dayMilliseconds;
      await assertStatus(service.post('/api/sessions', { body: { email, password } }), 401);
    });

  test('a password generated by admin reset replaces the one in the file, which is removed', async (t) => {
    const { service, credentials } = await firstStart(t);
    const args = ['admin', 'reset', `--email=${credentials.email}`, `--data=${service.folder}`];
    assert.equal((await orderly(args)).status, 0);
    assert.equal(existsSync(fileIn(service)), false);
    await assertStatus(service.post('/api/sessions', { body: credentials }), 401);
  });
});
