// Signing in: what it returns, what it doesn't disclose, and the passwords and credentials that it takes.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createPasswordHasher } from '../../../src/auth/password.ts';
import { deriveKey } from '../../support/cheap-hasher.ts';
import { assertProblem, sharedService, shownOf } from '../../support/http-support.ts';
import { insideOnly, password, serviceFor, type TestResponse } from '../../support/service.ts';
import { assertIssues, newKey } from '../../support/resource-support.ts';

const cost = { ln: 4, r: 1, p: 1 };
const wrongPassword = 'not that password';

function decoded(part = ''): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

describe('signing in', () => {
  const running = sharedService();
  const signIn = (body: object): Promise<TestResponse> => running().as().post('/api/sessions', body);

  test('signing in returns tokens, and describes them', async () => {
    const { id: userId, email } = await running().person();
    const long = await signIn({ email, password: 'x'.repeat(129), remember: true });
    assertIssues(long, 400, ['#/password max-length', '#/remember unknown-member']);
    const { status, body, headers } = await signIn({ email, password });
    assert.equal(status, 201);
    const { accessToken: _token, refreshToken, createdAt, expiresAt, ...rest } = body;
    assert.deepEqual(rest, { id: body.id, userId, tokenType: 'Bearer', expiresIn: 900 });
    assert.match(refreshToken, /^[A-Za-z0-9_-]{48}$/); // a number of 4 bytes and a MAC of 256 bits
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 14 * 86_400_000);
    assert.equal(headers.location, `/api/sessions/${body.id}`);
    assert.equal(headers['cache-control'], 'no-store');
  });

  test('signing in gives an access token with the claims of RFC 9068', async () => {
    const { id, email } = await running().person('staff');
    const { body } = await signIn({ email, password });
    const [header, claims] = body.accessToken.split('.').slice(0, 2).map(decoded);
    const { kid, ...form } = header;
    assert.deepEqual([form, typeof kid], [{ alg: 'HS256', typ: 'at+jwt' }, 'string']);
    const { jti, ...rest } = claims;
    const url = `https://localhost:${running().port}`;
    const iat = Math.floor(Date.parse(body.createdAt) / 1000);
    const times = { iat, exp: iat + 900, auth_time: iat };
    assert.deepEqual(rest, { sub: String(id), sid: body.id, role: 'staff', iss: url, aud: url, ...times });
    assert.equal(typeof jti, 'string');
  });

  test('signing in with Authorization takes "Bearer", blanks and the token (RFC 9110 section 11.4)', async () => {
    const { token } = await running().person();
    const ask = (authorization: string) => running().as().get('/orders', { authorization });
    for (const scheme of ['Bearer ', 'bearer ', 'BEARER ', 'Bearer  ', 'bearer    '])
      assert.equal((await ask(scheme + token)).status, 200);
    for (const sent of [`Bearer\t${token}`, `Bearer${token}`])
      assertProblem(await ask(sent), 'unauthenticated');
    for (const sent of [`Bearer \t${token}`, `Bearer ${token} x`])
      assertProblem(await ask(sent), 'invalid-token');
    const { key } = await newKey(running(), token);
    const misplaced = await ask(`Bearer ${key}`);
    assertProblem(misplaced, 'invalid-token');
    assert.match(misplaced.body.detail, /API key.*X-API-Key/);
  });
});

test('an unknown address and a wrong password cost the same, and look the same', insideOnly, async (t) => {
  const derivations: object[] = [];
  const hasher = createPasswordHasher({
    cost,
    deriveKey(input) {
      const { password: _password, salt, ...work } = input;
      derivations.push({ ...work, saltBytes: salt.length });
      return deriveKey(input);
    },
  });
  const service = await serviceFor(t, { hasher });
  const { email: known } = await service.person();
  const { stats } = service.inside?.database ?? assert.fail('it is inside');
  const outcomes: object[] = [];
  for (const email of [known, 'nobody@example.com']) {
    const { commits } = stats;
    derivations.length = 0;
    const response = await service.as().post('/api/sessions', { email, password: wrongPassword });
    assertProblem(response, 'invalid-credentials');
    assert.equal(stats.commits, commits);
    outcomes.push([shownOf(response), [...derivations]]);
  }
  assert.deepEqual(derivations, [{ ...cost, keyBytes: 32, saltBytes: 16 }]);
  assert.deepEqual(outcomes[0], outcomes[1]);
});

test('the secret that signs tokens is created once, readable only by its owner, and kept', async (t) => {
  const service = await serviceFor(t, { settings: { 'public-url': 'https://orders.example.com' } });
  const file = join(service.folder, 'secret.key');
  const { get } = await service.person();
  const before = readFileSync(file, 'utf8');
  assert.ok(Buffer.from(before.trim(), 'base64url').length >= 32);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await service.restart();
  assert.equal(readFileSync(file, 'utf8'), before);
  assert.equal((await get('/orders')).status, 200);
});

test('passwords are hashed again at sign-in if the hash has another cost', insideOnly, async (t) => {
  const before = await serviceFor(t, { hasher: createPasswordHasher({ cost, deriveKey }) });
  const { email } = await before.person();
  await before.stop();
  const strong = createPasswordHasher({ cost: { ...cost, ln: 5 }, deriveKey });
  const service = await serviceFor(t, { hasher: strong, folder: before.folder });
  const stored = (): string =>
    String(service.inside?.database.read.get('SELECT passwordHash FROM users WHERE email = ?', email));
  await service.as().post('/api/sessions', { email, password: wrongPassword });
  assert.match(stored(), /^\$scrypt\$ln=4,/);
  const { get } = await service.signIn(email, password);
  const upgraded = stored();
  assert.match(upgraded, /^\$scrypt\$ln=5,/);
  await service.signIn(email, password);
  assert.equal(stored(), upgraded);
  assert.equal((await get('/orders')).status, 200);
});

test('passwords that change while they are being checked sign nobody in', insideOnly, async (t) => {
  const [changed, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hasher = createPasswordHasher({ cost, deriveKey });
  let isSlow = false;
  const verify: typeof hasher.verify = async (...checked) => {
    if (isSlow) {
      isSlow = false; // the password of who makes the change is checked, too
      begun.resolve();
      await changed.promise;
    }
    return hasher.verify(...checked);
  };
  const service = await serviceFor(t, { hasher: { ...hasher, waiting: 0, verify } });
  const person = await service.person();
  isSlow = true;
  const signingIn = service.as().post('/api/sessions', { email: person.email, password });
  await begun.promise;
  const change = { password: 'another good password', currentPassword: password };
  assert.equal((await person.patch(`/api/users/${person.id}`, change)).status, 200);
  changed.resolve();
  assertProblem(await signingIn, 'invalid-credentials');
});
