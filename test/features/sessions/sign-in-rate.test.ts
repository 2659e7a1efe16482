// The rate of signing in.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem } from '../../support/http-support.ts';
import { sendHalf } from '../../support/withdrawn-support.ts';
import {
  executable,
  password,
  serviceFor,
  type TestResponse,
  type TestService,
} from '../../support/service.ts';
import { needsClock, shownOf } from './session-support.ts';

describe('the rate of signing in', () => {
  const attempt = (
    service: TestService,
    email: string,
    headers: Record<string, string> = {},
  ): Promise<TestResponse> =>
    service.post('/api/sessions', { body: { email, password: 'not that password' }, headers });

  test('the rate of signing in is 5 for each account, known or not, in upper or lower case', async (t) => {
    const service = await serviceFor(t, { settings: { 'rate-login-account': '5/3600' } });
    const { email } = await service.person(); // has signed in once
    const responses = {
      known: [await attempt(service, email)],
      unknown: [await attempt(service, 'nobody@example.com'), await attempt(service, 'nobody@example.com')],
    };
    for (let index = 0; index < 3; index += 1) {
      responses.known.push(await attempt(service, email.toUpperCase()));
      responses.unknown.push(await attempt(service, 'Nobody@Example.com'));
    }
    for (const each of [...responses.known, ...responses.unknown])
      assertProblem(each, 'invalid-credentials', 401);
    const [known, unknown] = [
      await service.post('/api/sessions', { body: { email, password } }),
      await attempt(service, 'nobody@example.com'),
    ];
    for (const each of [known, unknown]) {
      assertProblem(each, 'quota-exceeded', 429);
      assert.deepEqual(each.body['violated-policies'], ['login-account']);
      assert.ok(Number(each.headers['retry-after']) > 0 && Number(each.headers['retry-after']) <= 720);
    }
    if (executable === undefined) assert.deepEqual(shownOf(known), shownOf(unknown)); // or it takes seconds
    assertProblem(await attempt(service, 'somebody.else@example.com'), 'invalid-credentials', 401);
  });

  test('the rate of signing in refills with time', needsClock, async (t) => {
    const service = await serviceFor(t, { settings: { 'rate-login-account': '5/60' } });
    for (let index = 0; index < 5; index += 1) await attempt(service, service.admin.email);
    assertProblem(await attempt(service, service.admin.email), 'quota-exceeded', 429);
    service.clock.advance(12_000);
    await service.signIn(service.admin.email, service.admin.password);
    assertProblem(await attempt(service, service.admin.email), 'quota-exceeded', 429);
  });

  test(
    'no rate of signing in refills by bodies that arrive long after their heads',
    needsClock,
    async (t) => {
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
    },
  );

  test('the rate of signing in is 20 for each address, whatever the accounts', async (t) => {
    const service = await serviceFor(t, {
      settings: { 'rate-login-address': '20/3600', 'trusted-proxy': '127.0.0.1' },
    });
    const from = (address: string): Record<string, string> => ({
      'x-forwarded-for': address,
      'x-forwarded-proto': 'https',
    });
    for (let index = 0; index < 20; index += 1)
      assertProblem(
        await attempt(service, `nobody${index}@example.com`, from('192.0.2.1')),
        'invalid-credentials',
        401,
      );
    const rejected = await attempt(service, 'nobody@example.com', from('192.0.2.1'));
    assertProblem(rejected, 'quota-exceeded', 429);
    assert.deepEqual(rejected.body['violated-policies'], ['login-address']);
    assertProblem(
      await attempt(service, 'nobody@example.com', from('192.0.2.2')),
      'invalid-credentials',
      401,
    );
  });

  test('one account’s used-up rate leaves the address’s tokens to other accounts', async (t) => {
    const settings = { 'rate-login-account': '2/3600', 'rate-login-address': '4/3600' };
    const service = await serviceFor(t, { settings });
    for (let index = 0; index < 2; index += 1)
      assertProblem(await attempt(service, 'till@example.com'), 'invalid-credentials', 401);
    for (let index = 0; index < 10; index += 1) {
      const { body } = await attempt(service, 'till@example.com');
      assert.deepEqual(body['violated-policies'], ['login-account']);
    }
    for (const email of ['one@example.com', 'two@example.com'])
      assertProblem(await attempt(service, email), 'invalid-credentials', 401);
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
});
