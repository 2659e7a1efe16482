// One-time codes as a second factor: turning them on and off, signing in with them, and what is stored.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { assertProblem, proxiedFrom, sharedService } from '../../support/http-support.ts';
import {
  insideOnly,
  password,
  serviceFor,
  type TestResponse,
  type TestService,
} from '../../support/service.ts';
import { assertIssues, rootToken } from '../../support/resource-support.ts';
import { bytesOf, codeOf, personWithCodes } from '../../support/totp-support.ts';

const minute = 60_000;
const step = 30_000;

function signIn(service: TestService, email: string, code?: string): Promise<TestResponse> {
  const body = code === undefined ? { email, password } : { email, password, code };
  return service.post('/api/sessions', { body });
}

function pathOf({ id }: { readonly id: number }): string {
  return `/api/users/${id}/totp`;
}

describe('one-time codes', insideOnly, () => {
  const running = sharedService();

  test('one-time codes are set up, confirmed by one of them, shown, and turned off', async () => {
    const service = running();
    const person = await service.person();
    const [path, { token, email }] = [pathOf(person), person];
    assertProblem(await service.get(path, { token }), 'not-found');
    const made = await service.post(path, { token });
    assert.deepEqual([made.status, made.headers.location], [201, path]);
    assert.equal(made.headers['cache-control'], 'no-store');
    const { secret, uri } = made.body;
    const label = encodeURIComponent(email);
    assert.equal(uri, `otpauth://totp/orderly:${label}?secret=${secret}&issuer=orderly`);
    const pending = await service.get(path, { token });
    assert.deepEqual([pending.body.isOn, pending.headers.etag], [false, made.headers.etag]);
    assert.equal((await signIn(service, email)).status, 201, 'nothing is needed yet');
    const body = { code: codeOf(bytesOf(secret), service) };
    const { status, headers, body: codes } = await service.put(path, { token, body });
    assert.deepEqual([status, headers['cache-control']], [200, 'no-store']);
    assert.equal(new Set(codes.recoveryCodes).size, 8);
    const { createdAt, ...shown } = (await service.get(path, { token })).body;
    assert.deepEqual(shown, { userId: person.id, isOn: true, recoveryCodesLeft: 8 });
    assert.equal(typeof createdAt, 'string');
    assert.equal((await service.delete(path, { token })).status, 204);
    assert.equal((await signIn(service, email)).status, 201);
  });

  test('one-time codes are needed at signing in, once the password is right', async () => {
    const service = running();
    const { person, secret } = await personWithCodes(service);
    const { email } = person;
    const code = codeOf(secret, service);
    assertProblem(await signIn(service, email), 'code-required');
    for (const body of [
      { email, password: 'not that password' },
      { email, password: 'not that password', code },
    ])
      assertProblem(await service.post('/api/sessions', { body }), 'invalid-credentials');
    assert.equal((await signIn(service, email, code)).status, 201, 'a wrong password uses no code up');
  });

  test('one-time codes work once each, also in the step before and after', async () => {
    const service = running();
    const { person, secret } = await personWithCodes(service);
    const statusOf = async (steps: number): Promise<number> =>
      (await signIn(service, person.email, codeOf(secret, service, steps))).status;
    assert.equal(await statusOf(-1), 401, 'it was used to turn them on');
    assert.deepEqual([await statusOf(-2), await statusOf(2)], [401, 401]);
    assert.deepEqual([await statusOf(0), await statusOf(0)], [201, 401]);
    assert.deepEqual([await statusOf(1), await statusOf(0)], [201, 401]);
    service.clock.advance(2 * step);
    assert.equal(await statusOf(0), 201);
  });

  test('one-time codes of the same step sent twice at the same time sign in once', async () => {
    const service = running();
    const { person, secret } = await personWithCodes(service);
    const code = codeOf(secret, service);
    const responses = await Promise.all([1, 2, 3].map(() => signIn(service, person.email, code)));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 401, 401]);
  });

  test('one-time codes are replaced by recovery codes, each once, however they are typed', async () => {
    const service = running();
    const { person, recoveryCodes } = await personWithCodes(service);
    const [first = '', second = ''] = recoveryCodes;
    const { email, token } = person;
    assert.equal((await signIn(service, email, first)).status, 201);
    assertProblem(await signIn(service, email, first), 'code-required');
    assert.equal((await signIn(service, email, second.replaceAll('-', '').toUpperCase())).status, 201);
    assert.equal((await service.get(pathOf(person), { token })).body.recoveryCodesLeft, 6);
    const other = await personWithCodes(service);
    assertProblem(await signIn(service, other.person.email, recoveryCodes[2]), 'code-required');
  });

  test('one-time codes give new recovery codes when one confirms them again, and the old ones are gone', async () => {
    const service = running();
    const { person, secret, recoveryCodes } = await personWithCodes(service);
    const { token, email } = person;
    const again = await service.put(pathOf(person), { token, body: { code: codeOf(secret, service) } });
    assert.equal(again.status, 200);
    assertProblem(await signIn(service, email, recoveryCodes[0]), 'code-required');
    assert.equal((await signIn(service, email, again.body.recoveryCodes[0])).status, 201);
  });

  test('one-time codes are not turned on if If-Match names another version', async () => {
    const service = running();
    const person = await service.person();
    const [path, { token }] = [pathOf(person), person];
    const { headers: made, body: setUp } = await service.post(path, { token });
    const body = { code: codeOf(bytesOf(setUp.secret), service) };
    const put = (tag: string): Promise<TestResponse> =>
      service.put(path, { token, body, headers: { 'if-match': tag } });
    assertProblem(await put('"stale"'), 'precondition-failed');
    assert.equal((await service.get(path, { token })).body.isOn, false);
    assert.equal((await put(String(made.etag))).status, 200);
    assertProblem(await put(String(made.etag)), 'precondition-failed');
  });

  test('one-time codes are not turned on by a wrong code, a recovery code or without being set up', async () => {
    const service = running();
    const person = await service.person();
    const { token } = person;
    const put = (code: unknown): Promise<TestResponse> =>
      service.put(pathOf(person), { token, body: { code } });
    assertProblem(await put('123456'), 'not-found');
    const { body } = await service.post(pathOf(person), { token });
    assertIssues(await put(codeOf(bytesOf(body.secret), service, 2)), 400, ['#/code mismatch']);
    assertIssues(await put('k5qj-7m2c-xw4d-ta3n'), 400, ['#/code mismatch']);
    assertIssues(await put('12345'), 400, ['#/code min-length']);
    assertIssues(await put(123456), 400, ['#/code type']);
    assert.equal((await service.get(pathOf(person), { token })).body.isOn, false);
  });

  test('one-time codes that are on can’t be set up again, unlike a set-up that was never confirmed', async () => {
    const service = running();
    const { person } = await personWithCodes(service);
    assertIssues(await service.post(pathOf(person), { token: person.token }), 400, ['# already-on']);
    const other = await service.person();
    const [first, second] = [
      await service.post(pathOf(other), { token: other.token }),
      await service.post(pathOf(other), { token: other.token }),
    ];
    const put = ({ body }: TestResponse): Promise<TestResponse> =>
      service.put(pathOf(other), {
        token: other.token,
        body: { code: codeOf(bytesOf(body.secret), service) },
      });
    assertIssues(await put(first), 400, ['#/code mismatch']);
    assert.equal((await put(second)).status, 200);
  });

  test('one-time codes of another user are turned off by an administrator, and set up by nobody else', async () => {
    const service = running();
    const { person } = await personWithCodes(service);
    const token = await rootToken(service);
    assertProblem(await service.post(pathOf(person), { token }), 'forbidden');
    assertProblem(await service.put(pathOf(person), { token, body: { code: '123456' } }), 'forbidden');
    assert.equal((await service.delete(pathOf(person), { token })).status, 204);
    assert.equal((await signIn(service, person.email)).status, 201);
  });

  test('one-time codes do not change how one’s own password is changed', async () => {
    const service = running();
    const { person } = await personWithCodes(service);
    const body = { password: 'another good password', currentPassword: password };
    assert.equal((await service.patch(`/api/users/${person.id}`, { token: person.token, body })).status, 200);
    assert.equal((await service.get(pathOf(person), { token: person.token })).body.isOn, true);
  });
});

describe('one-time codes', insideOnly, () => {
  test('one-time codes are set up, turned on and turned off only with a recent sign-in', async (t) => {
    const service = await serviceFor(t);
    const { person, secret } = await personWithCodes(service);
    const { token } = person;
    service.clock.advance(10 * minute + 1);
    const body = { code: codeOf(secret, service) };
    for (const rejected of [
      await service.post(pathOf(person), { token }),
      await service.put(pathOf(person), { token, body }),
      await service.delete(pathOf(person), { token }),
    ])
      assertProblem(rejected, 'step-up-required');
  });

  test('one-time codes may be guessed ten times an hour, wherever the guesses come from', async (t) => {
    const service = await serviceFor(t, { settings: { 'trusted-proxy': '127.0.0.1' } });
    const { person, secret } = await personWithCodes(service);
    const from = (address: string, code: string): Promise<TestResponse> =>
      service.post('/api/sessions', {
        headers: proxiedFrom(address),
        body: { email: person.email, password, code },
      });
    for (let host = 1; host <= 10; host += 1)
      assertProblem(await from(`198.51.100.${host}`, codeOf(secret, service, 2)), 'code-required');
    const { status, body } = await from('198.51.100.11', codeOf(secret, service));
    assert.deepEqual([status, body['violated-policies']], [429, ['login-code']]);
    assert.equal((await signIn(service, person.email, codeOf(secret, service))).status, 201, 'known address');
  });

  test('one-time codes may be guessed ten times an hour at confirming, too; each guess is logged', async (t) => {
    const service = await serviceFor(t);
    const { person, secret, recoveryCodes } = await personWithCodes(service);
    const [recoveryCode = ''] = recoveryCodes;
    const put = (code: string, headers = {}): Promise<TestResponse> =>
      service.put(pathOf(person), { token: person.token, body: { code }, headers });
    const stale = { 'if-match': '"stale"' };
    // each request with a code counts: the one that turned codes on, and this one, whose code is not tried
    assertProblem(await put(codeOf(secret, service), stale), 'precondition-failed');
    assertIssues(await put(recoveryCode), 400, ['#/code mismatch']);
    for (let guess = 2; guess <= 8; guess += 1)
      assertIssues(await put(codeOf(secret, service, 2)), 400, ['#/code mismatch']);
    const { status, body } = await put(codeOf(secret, service));
    assert.deepEqual([status, body['violated-policies']], [429, ['login-code']]);
    assert.equal((await signIn(service, person.email, recoveryCode)).status, 429, 'the same bucket');
    service.clock.advance(60 * minute);
    assert.equal((await signIn(service, person.email, recoveryCode)).status, 201, 'it was not used up');
    const lines = service.logged
      .map((line) => JSON.parse(line))
      .filter(
        ({ message, userId }) => String(message).startsWith('authn_login_fail') && userId === person.id,
      );
    const wrong = Array.from({ length: 8 }, () => ['authn_login_fail', 'wrong-code']);
    const most = Array.from({ length: 2 }, () => ['authn_login_fail_max', undefined]);
    assert.deepEqual(
      lines.map(({ message, reason }) => [message, reason]),
      [...wrong, ...most],
    );
  });

  test('one-time codes stay valid when the secret that sealed them is replaced', async (t) => {
    const [old, renewed] = ['an old secret of at least 32 bytes', 'a new secret of at least 32 bytes'];
    const before = await serviceFor(t, { settings: { 'jwt-secrets': old } });
    const { person, secret } = await personWithCodes(before);
    await before.stop();
    const { folder } = before;
    const during = await serviceFor(t, { folder, settings: { 'jwt-secrets': `${renewed},${old}` } });
    await during.inside?.app.cleanup.run();
    await during.stop();
    const after = await serviceFor(t, { folder, settings: { 'jwt-secrets': renewed } });
    assert.equal((await signIn(after, person.email, codeOf(secret, after))).status, 201);
  });

  test('one-time codes with a lost secret leave recovery codes valid, and don’t block the cleanup', async (t) => {
    const before = await serviceFor(t, { settings: { 'jwt-secrets': 'an old secret of at least 32 bytes' } });
    const { person, secret, recoveryCodes } = await personWithCodes(before);
    await before.stop();
    const jwtSecrets = 'a new secret of at least 32 bytes,another secret of at least 32 bytes';
    const after = await serviceFor(t, { folder: before.folder, settings: { 'jwt-secrets': jwtSecrets } });
    await after.inside?.app.cleanup.run();
    assertProblem(await signIn(after, person.email, codeOf(secret, after)), 'code-required');
    assert.equal((await signIn(after, person.email, recoveryCodes[0])).status, 201);
  });

  test('one-time codes and recovery codes are useless at rest, and in no log', async (t) => {
    const service = await serviceFor(t, { settings: { log: 'debug' } });
    const { person, secret, recoveryCodes } = await personWithCodes(service);
    await signIn(service, person.email, recoveryCodes[0]);
    await service.stop();
    const logged = service.logged.join('\n');
    for (const code of recoveryCodes) assert.ok(!logged.includes(code));
    const files = readdirSync(service.folder).filter((name) => name.startsWith('orderly.db'));
    for (const name of files) {
      const bytes = readFileSync(join(service.folder, name));
      for (const text of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))])
        assert.equal(bytes.indexOf(text), -1);
    }
  });

  test('one-time codes leave events in the user’s history when they are turned on and off', async (t) => {
    const service = await serviceFor(t);
    const { person } = await personWithCodes(service);
    const { token } = person;
    await service.delete(pathOf(person), { token });
    const { data } = (await service.get(`/api/users/${person.id}/events`, { token })).body;
    const changed = data.filter(({ type }: { type: string }) => type === 'user.changed');
    assert.deepEqual(
      changed.map(({ changes }: { changes: object }) => changes),
      [{ totp: null }, { totp: null }],
    );
  });

  test('one-time codes leave lines in the log: on, off, wrong, and a recovery code used', async (t) => {
    const service = await serviceFor(t);
    const { person, secret, recoveryCodes } = await personWithCodes(service);
    await signIn(service, person.email, codeOf(secret, service, 2));
    await signIn(service, person.email, recoveryCodes[0]);
    await service.delete(pathOf(person), { token: person.token });
    const lines = service.logged
      .map((line) => JSON.parse(line))
      .filter(({ userId }) => userId === person.id)
      .map(({ message, reason, change, factor }) => [message, reason ?? change ?? factor]);
    assert.deepEqual(lines.slice(-4), [
      ['user_updated', 'totp-on'],
      ['authn_login_fail', 'wrong-code'],
      ['authn_login_success', 'recovery code'],
      ['user_updated', 'totp-off'],
    ]);
  });
});
