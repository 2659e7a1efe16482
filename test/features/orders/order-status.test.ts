// Orders: the steps from status to status, and what may change at each.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { statuses, type OrderStatus as Status } from '../../../src/features/orders/order-status.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { assertIssues, newOrder } from '../../support/resource-support.ts';
import type { Person, TestResponse } from '../../support/service.ts';
import { german, tea } from './order-support.ts';

/** How an order gets a status, and the steps from there: forward, and back as a correction. Written out once more. */
const steps: Readonly<
  Record<Status, { readonly way: Status[]; readonly on: Status[]; readonly back?: Status }>
> = {
  open: { way: [], on: ['paid', 'cancelled'] },
  paid: { way: ['paid'], on: ['shipped', 'refunded'], back: 'open' },
  shipped: { way: ['paid', 'shipped'], on: ['delivered', 'refunded'], back: 'paid' },
  delivered: { way: ['paid', 'shipped', 'delivered'], on: ['refunded'], back: 'shipped' },
  cancelled: { way: ['cancelled'], on: [] },
  refunded: { way: ['paid', 'refunded'], on: [] },
};

describe('the steps of an order', () => {
  let owner: Person, staff: Person, admin: Person, stranger: Person;
  const service = sharedService({}, async (started) => {
    [owner, stranger] = [await started.person(), await started.person()];
    [staff, admin] = [await started.person('staff'), await started.person('admin')];
  });
  const patch = (id: number, body: object, by = staff): Promise<TestResponse> =>
    by.patch(`/orders/${id}`, body);
  async function orderThatIs(status: Status): Promise<TestResponse['body']> {
    let order = await newOrder(service(), owner.token);
    for (const step of steps[status].way) order = (await patch(order.id, { status: step })).body;
    assert.equal(order.status, status);
    return order;
  }

  async function assertTaken(before: TestResponse, response: TestResponse, to: Status): Promise<void> {
    const { status, body, headers } = response;
    const { id, createdAt, updatedAt, status: from } = before.body;
    assert.deepEqual([status, body.status, body.createdAt], [200, to, createdAt]);
    assert.ok(body.updatedAt > updatedAt);
    assert.notEqual(headers.etag, before.headers.etag);
    const [event] = (await staff.get(`/orders/${id}/events`)).body.data;
    assert.deepEqual(event.changes, { status: [from, to] });
    if (steps[from as Status].back === to)
      assert.deepEqual([event.type, event.reason], ['order.corrected', 'A slip.']);
  }

  for (const from of statuses)
    for (const to of statuses) {
      const { on, back } = steps[from];
      const isBack = back === to;
      const isStep = isBack || on.includes(to);

      test(`the step ${from} → ${to} ${isStep ? 'is taken' : 'changes nothing'}, whoever asks for it`, async () => {
        const takers = isStep ? [staff, admin, ...(to === 'cancelled' ? [owner] : [])] : [];
        const body = { status: to, ...(isBack ? { reason: 'A slip.' } : {}) };
        let { id } = await orderThatIs(from);
        if (isBack) {
          for (const more of [{}, { reason: ' \n' }])
            assertIssues(await patch(id, { status: to, ...more }), 422, ['#/reason required']);
          assertProblem(await patch(id, { status: to }, owner), 'forbidden');
        }
        for (const caller of [stranger, owner, staff, admin]) {
          const before = await owner.get(`/orders/${id}`);
          const response = await patch(id, body, caller);
          if (takers.includes(caller)) {
            await assertTaken(before, response, to);
            ({ id } = await orderThatIs(from));
            continue;
          }
          if (caller === stranger || isStep) assertProblem(response, 'forbidden');
          else if (from === to) assert.deepEqual([response.status, response.text], [200, before.text]);
          else {
            assertProblem(response, 'invalid-transition');
            const allowed = caller === owner || back === undefined ? on : [...on, back];
            assert.partialDeepStrictEqual(response.body, { from, to });
            assert.deepEqual(response.body.allowed, allowed);
          }
          const after = await owner.get(`/orders/${id}`);
          assert.deepEqual([after.text, after.headers.etag], [before.text, before.headers.etag]);
        }
      });
    }

  test('an order taken back to open takes other items and can be paid again', async () => {
    const { id } = await orderThatIs('paid');
    const both = { status: 'open', id: id + 1 };
    assertIssues(await patch(id, both), 422, ['#/id read-only', '#/reason required']);
    assertProblem(await patch(id, { status: 'open', items: [tea], reason: 'A slip.' }), 'order-not-open');
    await patch(id, { status: 'open', reason: 'A slip.' });
    const { body } = await patch(id, { status: 'paid', items: [tea] });
    assert.deepEqual([body.status, body.items.length], ['paid', 1]);
    assertIssues(await patch(id, { status: 'lost' }), 422, ['#/status enum']);
  });

  test('of fifty requests that race for one step exactly one wins', async () => {
    const { id } = await orderThatIs('open');
    const race = Array.from({ length: 50 }, (_, index) =>
      patch(id, { status: index % 2 === 0 ? 'paid' : 'cancelled' }),
    );
    const responses = await Promise.all(race);
    const { status: winner } = (await staff.get(`/orders/${id}`)).body;
    // a repeated request for the winner's status succeeds; one for the other status is rejected
    const outcomes = responses.map(({ status, body }) => [status, status === 200 ? body.status : body.from]);
    const expected = [200, 409].map((status) => [status, winner]);
    assert.deepEqual(
      outcomes,
      Array(25)
        .fill(winner === 'paid' ? expected : expected.toReversed())
        .flat(),
    );
  });

  test('of fifty requests that race for one step with the order’s tag exactly one wins', async () => {
    const path = `/orders/${(await orderThatIs('open')).id}`;
    const tag = { 'if-match': String((await staff.get(path)).headers.etag) };
    const race = Array.from({ length: 50 }, () => staff.patch(path, { status: 'paid' }, tag));
    const counts = Object.groupBy(await Promise.all(race), ({ status }) => status);
    assert.deepEqual([counts[200]?.length, counts[412]?.length], [1, 49]);
  });

  const changes = { items: [tea], currency: 'USD', shippingAddress: german };
  for (const status of statuses)
    test(`an order that is ${status} takes a new note, and other items, currency and address as long as it may`, async () => {
      const { id, items, currency, shippingAddress } = await orderThatIs(status);
      const { body } = await patch(id, { items, currency, shippingAddress, note: 'left at the door' });
      assert.deepEqual([body.status, body.note], [status, 'left at the door']);
      for (const [name, value] of Object.entries(changes)) {
        const response = await patch(id, { [name]: value }, owner);
        if (status === 'open' || (status === 'paid' && name === 'shippingAddress'))
          assert.partialDeepStrictEqual(response.body, { status, [name]: value });
        else assertProblem(response, 'order-not-open');
      }
      if (status !== 'open') return;
      const { body: both } = await patch(id, { currency: 'JPY', status: 'paid' });
      assert.deepEqual([both.currency, both.status], ['JPY', 'paid']);
    });
});
