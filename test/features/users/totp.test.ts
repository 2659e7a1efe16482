// One-time codes as a second factor: turning them on and off, signing in with them, and what is stored.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, proxiedFrom, sharedService } from '../../support/http-support.ts';
import { assertInNoFile, assertIssues, valuesIn } from '../../support/resource-support.ts';
import { linesAbout } from '../../support/security-line-support.ts';
import {
  insideOnly,
  password,
  serviceFor,
  type Person,
  type TestResponse,
  type TestService,
} from '../../support/service.ts';
import { bytesOf, codeOf, personWithCodes } from '../../support/totp-support.ts';

const minute = 60_000;
const step = 30_000;
const stale = { 'if-match': '"stale"' };
const [old, renewed] = ['an old secret of at least 32 bytes', 'a new secret of at least 32 bytes'];

const pathOf = ({ id }: { readonly id: number }): string => `/api/users/${id}/totp`;

function signIn({ as }: TestService, email: string, code?: string, from = {}): Promise<TestResponse> {
  return as().post('/api/sessions', { email, password, ...(code === undefined ? {} : { code }) }, from);
}

const confirm = (person: Person, code: unknown, headers = {}): Promise<TestResponse> =>
  person.put(pathOf(person), { code }, headers);

describe('one-time codes', insideOnly, () => {
  const running = sharedService();
  /** The code of the present step, by the response to setting codes up. */
  const codeIn = ({ body }: TestResponse): string => codeOf(bytesOf(body.secret), running());

  test('the URI of a secret stays as short as the document says, however long the e-mail address is', async () => {
    for (const character of ['字', '😀']) {
      const name = character.repeat(240 / character.length);
      const person = await running().person();
      const renamed = await person.patch(`/api/users/${person.id}`, { email: `${name}@example.com` });
      assert.equal(renamed.status, 200);
      const { uri } = (await person.post(pathOf(person))).body;
      assert.equal(decodeURIComponent(new URL(uri).pathname), `/orderly:${character.repeat(75)}`);
    }
  });

  test('one-time codes are set up, confirmed by one of them, shown, and turned off', async () => {
    const person = await running().person();
    const [path, { get, post, email }] = [pathOf(person), person];
    assertProblem(await get(path), 'not-found');
    const made = await post(path);
    assert.deepEqual([made.status, made.headers.location], [201, path]);
    assert.equal(made.headers['cache-control'], 'no-store');
    const { secret, uri } = made.body;
    const label = encodeURIComponent(email);
    assert.equal(uri, `otpauth://totp/orderly:${label}?secret=${secret}&issuer=orderly`);
    const pending = await get(path);
    assert.deepEqual([pending.body.isOn, pending.headers.etag], [false, made.headers.etag]);
    assert.equal((await signIn(running(), email)).status, 201, 'nothing is needed yet');
    assertProblem(await confirm(person, codeIn(made), stale), 'precondition-failed');
    assert.equal((await get(path)).body.isOn, false);
    const current = { 'if-match': String(made.headers.etag) };
    const confirmed = await confirm(person, codeIn(made), current);
    assert.deepEqual([confirmed.status, confirmed.headers['cache-control']], [200, 'no-store']);
    assert.equal(new Set(confirmed.body.recoveryCodes).size, 8);
    assertProblem(await confirm(person, codeIn(made), current), 'precondition-failed');
    const { createdAt, ...shown } = (await get(path)).body;
    assert.deepEqual(shown, { userId: person.id, isOn: true, recoveryCodesLeft: 8 });
    assert.equal(typeof createdAt, 'string');
    assertProblem(await person.delete(path, stale), 'precondition-failed');
    assert.equal((await person.delete(path)).status, 204);
    assert.deepEqual(linesAbout(running(), person.id).at(-1), ['user_updated', 'totp-off']);
    assert.equal((await signIn(running(), email)).status, 201);
    const events = valuesIn(await get(`/api/users/${person.id}/events`), 'type', 'changes');
    const change = ['user.changed', { totp: null }];
    assert.deepEqual(
      events.filter((each) => String(each).startsWith('user.changed')),
      [change, change],
    );
  });

  test('one-time codes are needed at signing in, once the password is right', async () => {
    const { person, secret } = await personWithCodes(running());
    const { email } = person;
    const code = codeOf(secret, running());
    assertProblem(await signIn(running(), email), 'code-required');
    for (const more of [{}, { code }]) {
      const body = { email, password: 'not that password', ...more };
      assertProblem(await running().post('/api/sessions', { body }), 'invalid-credentials');
    }
    assert.equal((await signIn(running(), email, code)).status, 201, 'a wrong password uses no code up');
  });

  test('one-time codes work once each, also in the step before and after', async () => {
    const { person, secret } = await personWithCodes(running());
    const statusOf = async (steps: number): Promise<number> =>
      (await signIn(running(), person.email, codeOf(secret, running(), steps))).status;
    assert.equal(await statusOf(-1), 401, 'it was used to turn them on');
    assert.deepEqual([await statusOf(-2), await statusOf(2)], [401, 401]);
    assert.deepEqual([await statusOf(0), await statusOf(0)], [201, 401]);
    assert.deepEqual([await statusOf(1), await statusOf(0)], [201, 401]);
    running().clock.advance(2 * step);
    const statuses = await Promise.all([statusOf(0), statusOf(0)]);
    assert.deepEqual(statuses.toSorted(), [201, 401]);
  });

  test('one-time codes are replaced by recovery codes, each once, however they are typed', async () => {
    const { person, secret, recoveryCodes } = await personWithCodes(running());
    const [first = '', second = '', third] = recoveryCodes;
    const { email } = person;
    assert.equal((await signIn(running(), email, first)).status, 201);
    assertProblem(await signIn(running(), email, first), 'code-required');
    assert.equal((await signIn(running(), email, second.replaceAll('-', '').toUpperCase())).status, 201);
    assert.equal((await person.get(pathOf(person))).body.recoveryCodesLeft, 6);
    const other = await personWithCodes(running());
    assertProblem(await signIn(running(), other.person.email, third), 'code-required');
    const again = await confirm(person, codeOf(secret, running()));
    assertProblem(await signIn(running(), email, third), 'code-required');
    assert.equal((await signIn(running(), email, again.body.recoveryCodes[0])).status, 201);
  });

  test('one-time codes are not turned on by a wrong code, a recovery code or without being set up', async () => {
    const person = await running().person();
    assertProblem(await confirm(person, '123456'), 'not-found');
    const former = codeIn(await person.post(pathOf(person)));
    const { secret } = (await person.post(pathOf(person))).body;
    for (const [code, issue] of [
      [former, 'mismatch'],
      [codeOf(bytesOf(secret), running(), 2), 'mismatch'],
      ['k5qj-7m2c-xw4d-ta3n', 'mismatch'],
      ['12345', 'min-length'],
      [123456, 'type'],
    ] as const)
      assertIssues(await confirm(person, code), 400, [`#/code ${issue}`]);
    assert.equal((await person.get(pathOf(person))).body.isOn, false);
    assert.equal((await confirm(person, codeOf(bytesOf(secret), running()))).status, 200);
    assertIssues(await person.post(pathOf(person)), 400, ['# already-on']);
  });

  test('one-time codes of another user are turned off by an administrator, and set up by nobody else', async () => {
    const { person } = await personWithCodes(running());
    const changed = { password: 'another good password', currentPassword: password };
    assert.equal((await person.patch(`/api/users/${person.id}`, changed)).status, 200);
    assert.equal((await person.get(pathOf(person))).body.isOn, true);
    const root = await running().root();
    assertProblem(await root.post(pathOf(person)), 'forbidden');
    assertProblem(await root.put(pathOf(person), { code: '123456' }), 'forbidden');
    assert.equal((await root.delete(pathOf(person))).status, 204);
    await running().signIn(person.email, changed.password);
  });
});

describe('one-time codes', insideOnly, () => {
  test('one-time codes are set up, turned on and turned off only with a recent sign-in', async (t) => {
    const service = await serviceFor(t);
    const { person, secret } = await personWithCodes(service);
    service.clock.advance(10 * minute + 1);
    for (const refused of [
      await person.post(pathOf(person)),
      await confirm(person, codeOf(secret, service)),
      await person.delete(pathOf(person)),
    ])
      assertProblem(refused, 'step-up-required');
  });

  test('one-time codes may be guessed ten times an hour, wherever the guesses come from', async (t) => {
    const service = await serviceFor(t, { settings: { 'trusted-proxy': '127.0.0.1' } });
    const { person, secret } = await personWithCodes(service);
    const from = (host: number, code: string): Promise<TestResponse> =>
      signIn(service, person.email, code, proxiedFrom(`198.51.100.${host}`));
    for (let host = 1; host <= 10; host += 1)
      assertProblem(await from(host, codeOf(secret, service, 2)), 'code-required');
    const { status, body } = await from(11, codeOf(secret, service));
    assert.deepEqual([status, body['violated-policies']], [429, ['login-code']]);
    assert.equal((await signIn(service, person.email, codeOf(secret, service))).status, 201, 'known address');
  });

  test('one-time codes may be guessed ten times an hour at confirming, too; each guess is logged', async (t) => {
    const service = await serviceFor(t);
    const { person, secret, recoveryCodes } = await personWithCodes(service);
    const [recoveryCode = ''] = recoveryCodes;
    // each request with a code counts: the one that turned codes on, and this one, whose code is not tried
    assertProblem(await confirm(person, codeOf(secret, service), stale), 'precondition-failed');
    assertIssues(await confirm(person, recoveryCode), 400, ['#/code mismatch']);
    for (let guess = 2; guess <= 8; guess += 1)
      assertIssues(await confirm(person, codeOf(secret, service, 2)), 400, ['#/code mismatch']);
    const { status, body } = await confirm(person, codeOf(secret, service));
    assert.deepEqual([status, body['violated-policies']], [429, ['login-code']]);
    assert.equal((await signIn(service, person.email, recoveryCode)).status, 429, 'the same bucket');
    service.clock.advance(60 * minute);
    assert.equal((await signIn(service, person.email, recoveryCode)).status, 201, 'it was not used up');
    const failures = linesAbout(service, person.id).filter(([name]) =>
      /^authn_login_fail/.test(String(name)),
    );
    assert.deepEqual(failures, [
      ...Array(8).fill(['authn_login_fail', 'wrong-code']),
      ...Array(2).fill(['authn_login_fail_max', undefined]),
    ]);
  });

  for (const [what, secrets, status] of [
    ['stay valid when the secret that sealed them is replaced', `${renewed},${old}`, 201],
    ['with a lost secret leave recovery codes valid, and don’t block the cleanup', renewed, 401],
  ] as const)
    test(`one-time codes ${what}`, async (t) => {
      const before = await serviceFor(t, { settings: { 'jwt-secrets': old } });
      const { person, secret, recoveryCodes } = await personWithCodes(before);
      await before.stop();
      const { folder } = before;
      const settings = { 'jwt-secrets': `${secrets},another secret of at least 32 bytes` };
      const during = await serviceFor(t, { folder, settings });
      await during.inside?.cleanup.run();
      await during.stop();
      const after = await serviceFor(t, { folder, settings: { 'jwt-secrets': renewed } });
      assert.equal((await signIn(after, person.email, codeOf(secret, after))).status, status);
      assert.equal((await signIn(after, person.email, recoveryCodes[0])).status, 201);
    });

  test('one-time codes and recovery codes are useless at rest, and in the log as lines of their use', async (t) => {
    const service = await serviceFor(t, { settings: { log: 'debug' } });
    const { person, secret, recoveryCodes } = await personWithCodes(service);
    await signIn(service, person.email, codeOf(secret, service, 2));
    await signIn(service, person.email, recoveryCodes[0]);
    await service.stop();
    assert.deepEqual(linesAbout(service, person.id).slice(-3), [
      ['user_updated', 'totp-on'],
      ['authn_login_fail', 'wrong-code'],
      ['authn_login_success', 'recovery code'],
    ]);
    const logged = service.logged.join('\n');
    for (const code of recoveryCodes) assert.ok(!logged.includes(code));
    const plain = recoveryCodes.map((code) => code.replaceAll('-', ''));
    assertInNoFile(service.folder, [secret, ...recoveryCodes, ...plain], 'orderly.db');
  });
});
