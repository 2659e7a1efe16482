// The passwords that a user may choose.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import { password } from '../../support/service.ts';
import { assertIssues, rootToken } from '../../support/resource-support.ts';

describe('a password', () => {
  const running = sharedService();

  test('a password is never in a response', async () => {
    const service = running();
    const secret = 'never to be seen again';
    const body = { name: 'Ada', email: 'secret@example.com', password: secret };
    const { id } = (await service.post('/api/users', { body })).body;
    const { token } = await service.signIn(body.email, secret);
    const path = `/api/users/${id}`;
    const responses = [
      await service.get(path, { token }),
      await service.patch(path, { token, body: { password: secret, currentPassword: secret } }),
      await service.put(path, { token, body: { ...body, currentPassword: secret } }),
      await service.get('/api/users', { token: await rootToken(service) }),
      await service.post('/api/users', { body: { ...body, name: 7 } }),
      await service.post('/api/users', { body: `{"password":"${secret}"` }),
    ];
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 200, 200, 400, 400],
    );
    for (const { text } of responses)
      assert.ok(!text.includes(secret) && !/passwordHash|scrypt/.test(text), text);
    assert.ok(!service.logged.join('\n').includes(secret));
  });

  test('a password signs in, however its characters are composed', async () => {
    const service = running();
    await service.post('/api/users', {
      body: { name: 'Ada', email: 'nfkc@example.com', password: '\u00c5ngstr\u00f6m \ufb01nds 12' },
    });
    await service.signIn('nfkc@example.com', 'A\u030angstro\u0308m finds 1\u00b2');
  });

  test('a password is checked against the e-mail address that the same change sets', async () => {
    const service = running();
    const { id, token } = await service.person();
    const body = { email: 'hopper.grace@example.com', password: 'hopper.grace', currentPassword: password };
    assertIssues(await service.patch(`/api/users/${id}`, { token, body }), 400, ['#/password password']);
    assertIssues(await service.put(`/api/users/${id}`, { token, body: { name: 'Grace', ...body } }), 400, [
      '#/password password',
    ]);
  });

  test('a password is checked against the e-mail address that the same change leaves as it is', async () => {
    const service = running();
    const { id, token, email } = await service.person();
    const body = { password: email, currentPassword: password };
    assertIssues(await service.patch(`/api/users/${id}`, { token, body }), 400, ['#/password password']);
  });
});

describe('if passwords need at least 15 characters', () => {
  const running = sharedService({ settings: { 'password-min': '15' } });

  test('with a minimum of 15 characters, passwords of 14 are rejected, and of 15 accepted', async () => {
    const service = running();
    const body = { name: 'Ada', email: 'ada@example.com', password: 'fourteen chars' };
    assertIssues(await service.post('/api/users', { body }), 400, ['#/password password']);
    const { id } = (await service.post('/api/users', { body: { ...body, password: 'fifteen chars !' } }))
      .body;
    const { token } = await service.signIn(body.email, 'fifteen chars !');
    assertIssues(
      await service.patch(`/api/users/${id}`, {
        token,
        body: { password: 'fourteen chars', currentPassword: 'fifteen chars !' },
      }),
      400,
      ['#/password password'],
    );
  });
});
