// Credentials that expire while a body is arriving: the time of the check after the body counts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RawResponse } from '../../support/raw-connection.ts';
import { items, newCustomer } from '../../support/resource-support.ts';
import { insideOnly, serviceFor, type TestService } from '../../support/service.ts';
import { codeOf, personWithCodes } from '../../support/totp-support.ts';
import { sendHalf } from '../../support/withdrawn-support.ts';

const aSecond = 1_000;
const aDay = 86_400 * aSecond;
const grace = { name: 'Grace Hopper' };

type Late = { readonly token?: string; readonly fields?: string; readonly milliseconds?: number };

/** `milliseconds`, 1 by default, pass between the head and the end of the body. */
async function sendLate(
  service: TestService,
  target: string,
  body: object,
  late: Late = {},
): Promise<RawResponse> {
  const { token, fields = '', milliseconds = 1 } = late;
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  const head = `POST ${target} HTTP/1.1\r\n${authorization}${fields}`;
  const half = await sendHalf(service, { head, body: JSON.stringify(body) });
  service.clock.advance(milliseconds);
  return half.sendRest();
}

describe('while its body arrives', insideOnly, () => {
  test('while the body of a request arrives, an access token expires', async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    service.clock.advance(899 * aSecond);
    const inTime = await sendLate(service, '/customers', grace, { token, milliseconds: aSecond - 1 });
    const late = await sendLate(service, '/customers', grace, { token });
    assert.deepEqual([inTime.status, late.status, late.body.code], [201, 401, 'invalid-token']);
    assert.match(late.body.detail, /access token has expired/);
  });

  test('while the body of a request arrives, a sign-in becomes too old for what needs a recent one', async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    service.clock.advance(600 * aSecond);
    const key = { name: 'till 3', scopes: ['orders:read'] };
    assert.equal((await sendLate(service, '/api/keys', key, { token })).body.code, 'step-up-required');
  });

  test('while the body of a request arrives, a one-time code expires', async (t) => {
    const service = await serviceFor(t);
    const { person, secret } = await personWithCodes(service);
    const { email, password } = person;
    const signIn = { email, password, code: codeOf(secret, service) };
    const late = await sendLate(service, '/api/sessions', signIn, { milliseconds: 60 * aSecond });
    assert.equal(late.body.code, 'code-required');
  });

  test('while the body of a request arrives, a password that the service generated expires', async (t) => {
    const service = await serviceFor(t, { firstAdmin: 'initial-admin.json' });
    const signIn = JSON.parse(readFileSync(join(service.folder, 'initial-admin.json'), 'utf8'));
    service.clock.advance(7 * aDay - 1);
    assert.equal((await sendLate(service, '/api/sessions', signIn)).body.code, 'invalid-credentials');
  });

  test('while the body of a request arrives, the response that is stored for an Idempotency-Key expires', async (t) => {
    const service = await serviceFor(t);
    const person = await service.person();
    const headers = { 'idempotency-key': 'once' };
    const first = await service.post('/customers', { token: person.token, headers, body: grace });
    service.clock.advance(aDay - 1);
    const { token } = await service.signIn(person.email, person.password);
    const fields = 'Idempotency-Key: once\r\n';
    const repeated = await sendLate(service, '/customers', grace, { token, fields });
    assert.equal(repeated.status, 201);
    assert.notEqual(repeated.body.id, first.body.id);
  });

  test('while the body of a request arrives, time passes: object and event have the time of the change', async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    const { id: customerId } = await newCustomer(service, token);
    const order = { customerId, currency: 'EUR', items };
    const { body } = await sendLate(service, '/orders', order, { token, milliseconds: aSecond });
    const { data } = (await service.get(`/orders/${body.id}/events`, { token })).body;
    const now = new Date(service.clock.now).toISOString();
    assert.deepEqual([body.createdAt, data[0].createdAt], [now, now]);
  });
});
