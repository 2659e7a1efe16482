// Credentials that expire while a body is arriving: the time of the check after the body counts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { newCustomer } from '../../support/resource-support.ts';
import { codeOf, personWithCodes } from '../../support/totp-support.ts';
import { insideOnly, serviceFor, type TestService } from '../../support/service.ts';
import { sendHalf } from '../../support/withdrawn-support.ts';
import type { RawResponse } from '../../support/raw-connection.ts';

const aSecond = 1_000;
const aDay = 86_400 * aSecond;
const body = { name: 'Grace Hopper' };

type Late = {
  readonly target: string;
  readonly token?: string;
  readonly fields?: string;
  readonly body: object;
  /** Between the head and the end of the body. */
  readonly milliseconds: number;
};

async function sendLate(service: TestService, late: Late): Promise<RawResponse> {
  const authorization = late.token === undefined ? '' : `Authorization: Bearer ${late.token}\r\n`;
  const head = `POST ${late.target} HTTP/1.1\r\n${authorization}${late.fields ?? ''}`;
  const half = await sendHalf(service, { head, body: JSON.stringify(late.body) });
  service.clock.advance(late.milliseconds);
  return half.sendRest();
}

describe('while its body arrives', insideOnly, () => {
  test('while the body of a request arrives, an access token expires', async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    service.clock.advance(899 * aSecond);
    const [inTime, late] = [
      await sendLate(service, { target: '/customers', token, body, milliseconds: aSecond - 1 }),
      await sendLate(service, { target: '/customers', token, body, milliseconds: 1 }),
    ];
    assert.equal(inTime.status, 201);
    assert.deepEqual([late.status, late.body.code], [401, 'invalid-token']);
    assert.match(late.body.detail, /access token has expired/);
  });

  test('while the body of a request arrives, a sign-in becomes too old for what needs a recent one', async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    service.clock.advance(600 * aSecond);
    const key = { name: 'till 3', scopes: ['orders:read'] };
    const late = await sendLate(service, { target: '/api/keys', token, body: key, milliseconds: 1 });
    assert.deepEqual([late.status, late.body.code], [401, 'step-up-required']);
  });

  test('while the body of a request arrives, a one-time code expires', async (t) => {
    const service = await serviceFor(t);
    const { person, secret } = await personWithCodes(service);
    const { email, password } = person;
    const signIn = { email, password, code: codeOf(secret, service) };
    const late = await sendLate(service, {
      target: '/api/sessions',
      body: signIn,
      milliseconds: 60 * aSecond,
    });
    assert.deepEqual([late.status, late.body.code], [401, 'code-required']);
  });

  test('while the body of a request arrives, a password that the service generated expires', async (t) => {
    const service = await serviceFor(t, { firstAdmin: 'initial-admin.json' });
    const signIn = JSON.parse(readFileSync(join(service.folder, 'initial-admin.json'), 'utf8'));
    service.clock.advance(7 * aDay - 1);
    const late = await sendLate(service, { target: '/api/sessions', body: signIn, milliseconds: 1 });
    assert.deepEqual([late.status, late.body.code], [401, 'invalid-credentials']);
  });

  test('while the body of a request arrives, the response that is stored for an Idempotency-Key expires', async (t) => {
    const service = await serviceFor(t);
    const { token, email, password } = await service.person();
    const headers = { 'idempotency-key': 'once' };
    const first = await service.post('/customers', { token, headers, body });
    service.clock.advance(aDay - 1);
    const later = await service.signIn(email, password);
    const repeated = await sendLate(service, {
      target: '/customers',
      token: later.token,
      fields: 'Idempotency-Key: once\r\n',
      body,
      milliseconds: 1,
    });
    assert.equal(repeated.status, 201);
    assert.notEqual(repeated.body.id, first.body.id);
  });

  test('while the body of a request arrives, time passes: object and event have the time of the change', async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    const { id: customerId } = await newCustomer(service, token);
    const items = [{ name: 'Tea', quantity: 1, unitPrice: 749 }];
    const order = { customerId, currency: 'EUR', items };
    const late = await sendLate(service, { target: '/orders', token, body: order, milliseconds: aSecond });
    const { body: history } = await service.get(`/orders/${late.body.id}/events`, { token });
    const now = new Date(service.clock.now).toISOString();
    assert.deepEqual([late.body.createdAt, history.data[0].createdAt], [now, now]);
  });
});
