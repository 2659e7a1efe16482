// Requests with the same Idempotency-Key that are sent at the same time.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { items, newCustomer, newOrder } from '../../support/resource-support.ts';
import { serviceFor, type TestResponse, type Person } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { withKey, isReplay } from './idempotency-support.ts';

describe('concurrent requests with the same key', () => {
  let ada: Person, staff: Person;
  let customerId = 0;
  const service = sharedService({}, async (started) => {
    [ada, staff] = await Promise.all([started.person(), started.person('staff')]);
    customerId = (await newCustomer(started, ada.token)).id;
  });
  const order = (members: object = {}): object => ({ customerId, currency: 'EUR', items, ...members });
  const place = (key: string, body: object = order(), token = ada.token): Promise<TestResponse> =>
    service().post('/orders', { token, body, headers: withKey(key) });

  test('fifty requests with one key create one order: all get its response, or have to wait', async () => {
    const before = (await service().get('/orders?total=true&limit=1', { token: ada.token })).body.total;
    const responses = await Promise.all(Array.from({ length: 50 }, () => place('fifty')));
    const made = responses.filter((response) => response.status === 201 && !isReplay(response));
    assert.equal(made.length, 1);
    for (const response of responses) {
      if (response.status === 201) assert.equal(response.text, made[0]?.text);
      else {
        assertProblem(response, 'idempotency-key-in-progress');
        assert.equal(response.headers['retry-after'], '1');
      }
    }
    assert.equal(
      (await service().get('/orders?total=true&limit=1', { token: ada.token })).body.total,
      before + 1,
    );
    assert.equal((await place('fifty')).text, made[0]?.text);
  });

  test('fifty concurrent status changes with one key are one change', async () => {
    const { id } = await newOrder(service(), ada.token);
    const send = (): Promise<TestResponse> =>
      service().patch(`/orders/${id}`, {
        token: staff.token,
        headers: withKey('fifty-steps'),
        body: { status: 'paid', note: 'paid' },
      });
    const responses = await Promise.all(Array.from({ length: 50 }, send));
    assert.equal(responses.filter((response) => response.status === 200 && !isReplay(response)).length, 1);
    assert.ok(isReplay(await send()));
  });
});

test('while the first request waits for the disk, the second is 409; then it is replayed', async (t) => {
  let isHeld = false;
  const held: (() => void)[] = [];
  const letGo = (): void => {
    for (const end of held.splice(0)) end();
  };
  const service = await serviceFor(t, {
    fdatasync: (_descriptor, done) => {
      held.push(() => done(null));
      if (!isHeld) setImmediate(letGo);
    },
  });
  if (service.inside === undefined) return t.skip('needs to hold the disk');
  const { token } = await service.person();
  const send = (): Promise<TestResponse> =>
    service.post('/customers', { token, headers: withKey('held'), body: { name: 'Ada' } });
  isHeld = true;
  const first = send();
  await until(() => held.length > 0);
  const second = await send();
  assertProblem(second, 'idempotency-key-in-progress');
  assert.equal(second.headers['retry-after'], '1');
  isHeld = false;
  letGo();
  const { status, text } = await first;
  const third = await send();
  assert.deepEqual([status, third.status, third.text, isReplay(third)], [201, 201, text, true]);
});
