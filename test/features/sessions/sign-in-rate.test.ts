// The rate of signing in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from '../../support/http-support.ts';
import { sendHalf } from '../../support/withdrawn-support.ts';
import { insideOnly, serviceFor, type TestResponse, type TestService } from '../../support/service.ts';

const attempt = (service: TestService, email: string): Promise<TestResponse> =>
  service.post('/api/sessions', { body: { email, password: 'not that password' } });

test('no rate of signing in refills by bodies that arrive long after their heads', insideOnly, async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-login-account': '5/60' } });
  const { email } = service.admin;
  const sent = {
    head: 'POST /api/sessions HTTP/1.1\r\n',
    body: JSON.stringify({ email, password: 'wrong' }),
  };
  const late = await Promise.all(Array.from({ length: 6 }, () => sendHalf(service, sent)));
  for (let index = 0; index < 5; index += 1) await attempt(service, email);
  service.clock.advance(24_000);
  const statuses: number[] = [];
  for (const { sendRest } of late)
    statuses.push((await sendRest()).status, (await attempt(service, email)).status);
  assert.deepEqual(
    statuses.filter((status) => status === 401),
    [401, 401],
    'as many as 24 seconds allow',
  );
});

test('one account’s used-up rate leaves the address’s tokens to other accounts', async (t) => {
  const settings = { 'rate-login-account': '2/3600', 'rate-login-address': '4/3600' };
  const service = await serviceFor(t, { settings });
  for (let index = 0; index < 2; index += 1)
    assertProblem(await attempt(service, 'till@example.com'), 'invalid-credentials');
  for (let index = 0; index < 10; index += 1) {
    const { body } = await attempt(service, 'till@example.com');
    assert.deepEqual(body['violated-policies'], ['login-account']);
  }
  for (const email of ['one@example.com', 'two@example.com'])
    assertProblem(await attempt(service, email), 'invalid-credentials');
  const { body } = await attempt(service, 'three@example.com'); // the fifth password would be checked
  assert.deepEqual(body['violated-policies'], ['login-address']);
});

test('the rate of signing in is in the fields of a response only once it is exceeded', async (t) => {
  const service = await serviceFor(t, {
    settings: { 'rate-login-account': '5/60', 'rate-login-address': '20/60', 'rate-anonymous': '120/60' },
  });
  for (let count = 1; count <= 5; count += 1) {
    const { headers } = await attempt(service, 'nobody@example.com');
    assert.equal(headers['ratelimit-policy'], '"anonymous";q=120;w=60');
    assert.match(String(headers.ratelimit), /^"anonymous";r=\d+;t=\d+$/);
  }
  const { headers } = await attempt(service, 'nobody@example.com');
  assert.equal(headers['ratelimit-policy'], '"anonymous";q=120;w=60, "login-account";q=5;w=60');
});
