// The passwords that a user may choose.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import { password } from '../../support/service.ts';
import { assertIssues } from '../../support/resource-support.ts';

describe('a password', () => {
  const running = sharedService();

  test('a password is never in a response', async () => {
    const service = running();
    const secret = 'never to be seen again';
    const body = { name: 'Ada', email: 'secret@example.com', password: secret };
    const { post } = service.as();
    const path = `/api/users/${(await post('/api/users', body)).body.id}`;
    const { get, put, patch } = await service.signIn(body.email, secret);
    for (const [status, response] of [
      [200, await get(path)],
      [200, await patch(path, { password: secret, currentPassword: secret })],
      [200, await put(path, { ...body, currentPassword: secret })],
      [200, await (await service.root()).get('/api/users')],
      [400, await post('/api/users', { ...body, name: 7 })],
      [400, await post('/api/users', `{"password":"${secret}"`)],
    ] as const) {
      assert.equal(response.status, status);
      assert.ok(!response.text.includes(secret) && !/passwordHash|scrypt/.test(response.text));
    }
    assert.ok(!service.logged.join('\n').includes(secret));
  });

  test('a password signs in, however its characters are composed', async () => {
    const body = { name: 'Ada', email: 'nfkc@example.com', password: '\u00c5ngstr\u00f6m \ufb01nds 12' };
    await running().as().post('/api/users', body);
    await running().signIn(body.email, 'A\u030angstro\u0308m finds 1\u00b2');
  });

  test('a password is checked against the e-mail address that the same change sets, or leaves as it is', async () => {
    const { id, email, put, patch } = await running().person();
    const moved = { name: 'Grace', email: 'hopper.grace@example.com', password: 'hopper.grace' };
    for (const sent of [moved, { password: email }])
      for (const send of 'name' in sent ? [patch, put] : [patch]) {
        const response = await send(`/api/users/${id}`, { ...sent, currentPassword: password });
        assertIssues(response, 400, ['#/password password']);
      }
  });
});

describe('if passwords need at least 15 characters', () => {
  const running = sharedService({ settings: { 'password-min': '15' } });

  test('with a minimum of 15 characters, passwords of 14 are rejected, and of 15 accepted', async () => {
    const { as, signIn } = running();
    const [short, enough, email] = ['fourteen chars', 'fifteen chars !', 'ada@example.com'];
    const signUp = (secret: string) => as().post('/api/users', { name: 'Ada', email, password: secret });
    assertIssues(await signUp(short), 400, ['#/password password']);
    const { id } = (await signUp(enough)).body;
    const { patch } = await signIn(email, enough);
    const changed = await patch(`/api/users/${id}`, { password: short, currentPassword: enough });
    assertIssues(changed, 400, ['#/password password']);
  });
});
