// Sessions: signing in, refreshing, stepping up and ending.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createPasswordHasher, type PasswordHasher } from '../../../src/auth/password.ts';
import { assertProblem, sharedService, shownOf } from '../../support/http-support.ts';
import {
  insideOnly,
  password,
  serviceFor,
  type Person,
  type TestResponse,
  type TestService,
} from '../../support/service.ts';
import { assertIssues, newKey, rootToken } from '../../support/resource-support.ts';
import { bearerRealm, claimsOf, tokenMembers } from './session-support.ts';

const day = 86_400_000;

describe('signing in', () => {
  const running = sharedService();

  test('signing in returns tokens, and describes them', async () => {
    const service = running();
    const { id: userId, email } = await service.person();
    const { status, body, headers } = await service.post('/api/sessions', { body: { email, password } });
    assert.equal(status, 201);
    assert.deepEqual(Object.keys(body), tokenMembers);
    assert.deepEqual([body.userId, body.tokenType, body.expiresIn], [userId, 'Bearer', 900]);
    assert.match(body.refreshToken, /^[A-Za-z0-9_-]{48}$/); // a number of 4 bytes and a MAC of 256 bits
    assert.equal(Date.parse(body.expiresAt) - Date.parse(body.createdAt), 14 * day);
    assert.equal(headers.location, `/api/sessions/${body.id}`);
    assert.equal(headers['cache-control'], 'no-store');
  });

  test('signing in gives an access token with the claims of RFC 9068', async () => {
    const service = running();
    const { id: userId, email } = await service.person('staff');
    const { id, accessToken, createdAt } = (
      await service.post('/api/sessions', { body: { email, password } })
    ).body;
    const header = JSON.parse(Buffer.from(accessToken.split('.')[0], 'base64url').toString());
    assert.deepEqual([header.alg, header.typ, typeof header.kid], ['HS256', 'at+jwt', 'string']);
    const { iss, aud, jti, iat, exp, auth_time, ...rest } = claimsOf(accessToken);
    assert.deepEqual(rest, { sub: String(userId), sid: id, role: 'staff' });
    assert.deepEqual([iss, aud], [`https://localhost:${service.port}`, `https://localhost:${service.port}`]);
    assert.deepEqual(
      [
        Number(exp) - Number(iat),
        Number(iat) - Math.floor(Date.parse(createdAt) / 1000),
        Number(iat) - Number(auth_time),
      ],
      [900, 0, 0],
    );
    assert.equal(typeof jti, 'string');
  });

  const wrong: readonly (readonly [body: object, ...issues: string[]])[] = [
    [{}, '#/email required', '#/password required'],
    [{ email: 'ada@example.com', password: '' }, '#/password min-length'],
    [{ email: 'ada', password: null }, '#/email pattern', '#/password type'],
    [{ email: 'ada@example.com', password: 'x'.repeat(129) }, '#/password max-length'],
    [{ email: 'ada@example.com', password, remember: true }, '#/remember unknown-member'],
  ];
  for (const [body, ...issues] of wrong) {
    test(`signing in with ${JSON.stringify(body).slice(0, 60)} is rejected, and every issue is named`, async () => {
      assertIssues(await running().post('/api/sessions', { body }), 400, issues);
    });
  }

  test('signing in with an unknown address or a wrong password gets the same response', async () => {
    const service = running();
    const { email } = await service.person();
    const unknown = await service.post('/api/sessions', { body: { email: 'nobody@example.com', password } });
    const wrongPassword = await service.post('/api/sessions', {
      body: { email, password: 'not that password' },
    });
    assertProblem(unknown, 'invalid-credentials');
    assert.equal(unknown.headers['www-authenticate'], bearerRealm);
    assert.deepEqual(shownOf(wrongPassword), shownOf(unknown));
  });
});

const settings = { 'public-url': 'https://orders.example.com' };

test('the secret that signs tokens is created once, readable only by its owner, and kept', async (t) => {
  const service = await serviceFor(t, { settings });
  const file = join(service.folder, 'secret.key');
  const { token } = await service.person();
  const before = readFileSync(file, 'utf8');
  assert.ok(Buffer.from(before.trim(), 'base64url').length >= 32);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await service.restart();
  assert.equal(readFileSync(file, 'utf8'), before);
  assert.equal((await service.get('/orders', { token })).status, 200);
});

test('Authorization is "Bearer", blanks and the token (RFC 9110 section 11.4)', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  const ask = (authorization: string): Promise<TestResponse> =>
    service.get('/orders', { headers: { authorization } });
  for (const scheme of ['Bearer ', 'bearer ', 'BEARER ', 'Bearer  ', 'bearer    '])
    assert.equal((await ask(scheme + token)).status, 200);
  for (const sent of [`Bearer\t${token}`, `Bearer${token}`])
    assertProblem(await ask(sent), 'unauthenticated');
  for (const sent of [`Bearer \t${token}`, `Bearer ${token} x`])
    assertProblem(await ask(sent), 'invalid-token');
});

test('an API key sent as a token is rejected with a hint where to send it', async (t) => {
  const service = await serviceFor(t);
  const { key } = await newKey(service, (await service.person()).token);
  const response = await service.get('/orders', { token: key });
  assertProblem(response, 'invalid-token');
  assert.match(response.body.detail, /API key.*X-API-Key/);
});

test('passwords are hashed again at sign-in if the hash has another cost', insideOnly, async (t) => {
  const [weak, strong] = [
    createPasswordHasher({ cost: { ln: 4, r: 1, p: 1 } }),
    createPasswordHasher({ cost: { ln: 5, r: 1, p: 1 } }),
  ];
  t.after(() => Promise.all([weak.close(), strong.close()]));
  const before = await serviceFor(t, { hasher: weak });
  const { email } = await before.person();
  await before.stop();
  const service = await serviceFor(t, { hasher: strong, folder: before.folder });
  const stored = (): string =>
    String(service.inside?.database.read.get('SELECT passwordHash FROM users WHERE email = ?', email));
  assert.match(stored(), /^\$scrypt\$ln=4,/);
  assertProblem(
    await service.post('/api/sessions', { body: { email, password: 'not that password' } }),
    'invalid-credentials',
  );
  assert.match(stored(), /^\$scrypt\$ln=4,/);
  const { token } = await service.signIn(email, password);
  const upgraded = stored();
  assert.match(upgraded, /^\$scrypt\$ln=5,/);
  await service.signIn(email, password);
  assert.equal(stored(), upgraded);
  assert.equal((await service.get('/orders', { token })).status, 200);
});

const changes: readonly (readonly [
  what: string,
  change: (service: TestService, person: Person) => Promise<TestResponse>,
])[] = [
  [
    'that change',
    (service, { id, token }) =>
      service.patch(`/api/users/${id}`, {
        token,
        body: { password: 'another good password', currentPassword: password },
      }),
  ],
  [
    'of who is suspended',
    async (service, { id }) =>
      service.put(`/api/users/${id}/suspension`, { token: await rootToken(service), body: {} }),
  ],
];
for (const [what, change] of changes)
  test(`passwords ${what} while they are being checked sign nobody in`, insideOnly, async (t) => {
    const { promise: changed, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const hasher = createPasswordHasher({ cost: { ln: 4, r: 1, p: 1 } });
    t.after(() => hasher.close());
    let isSlow = false;
    const slow: PasswordHasher = {
      ...hasher,
      waiting: 0,
      async verify(text, phc) {
        if (isSlow) {
          isSlow = false; // the password of who makes the change is checked, too
          begin();
          await changed;
        }
        return hasher.verify(text, phc);
      },
    };
    const service = await serviceFor(t, { hasher: slow });
    const person = await service.person();
    isSlow = true;
    const signingIn = service.post('/api/sessions', { body: { email: person.email, password } });
    await begun;
    assert.ok((await change(service, person)).status < 300);
    goOn();
    assertProblem(await signingIn, 'invalid-credentials');
  });
