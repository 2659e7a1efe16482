// Orders: the steps from status to status.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { statuses, type OrderStatus as Status } from '../../../src/features/orders/order-status.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import type { Person, TestResponse } from '../../support/service.ts';
import { assertIssues, newOrder } from '../../support/resource-support.ts';
import { tea, german } from './order-support.ts';

describe('the steps of an order', () => {
  let owner: Person, staff: Person, admin: Person, stranger: Person;
  const service = sharedService({}, async (started) => {
    [owner, stranger] = [await started.person(), await started.person()];
    [staff, admin] = [await started.person('staff'), await started.person('admin')];
  });
  const patch = (id: number, body: object, { patch } = staff): Promise<TestResponse> =>
    patch(`/orders/${id}`, body);

  const ways: Readonly<Record<Status, readonly Status[]>> = {
    open: [],
    paid: ['paid'],
    shipped: ['paid', 'shipped'],
    delivered: ['paid', 'shipped', 'delivered'],
    cancelled: ['cancelled'],
    refunded: ['paid', 'refunded'],
  };
  async function orderThatIs(status: Status): Promise<TestResponse['body']> {
    let order = await newOrder(service(), owner.token);
    for (const step of ways[status]) order = (await patch(order.id, { status: step })).body;
    assert.equal(order.status, status);
    return order;
  }

  // The transitions of an order, written out once more.
  const allowed: Readonly<Record<Status, readonly Status[]>> = {
    open: ['paid', 'cancelled'],
    paid: ['shipped', 'refunded'],
    shipped: ['delivered', 'refunded'],
    delivered: ['refunded'],
    cancelled: [],
    refunded: [],
  };
  const back: Readonly<Partial<Record<Status, Status>>> = {
    paid: 'open',
    shipped: 'paid',
    delivered: 'shipped',
  };
  for (const from of statuses) {
    for (const to of statuses) {
      const isBack = back[from] === to;
      const isStep = isBack || allowed[from].includes(to);

      test(`the step ${from} → ${to} is rejected, or changes nothing, for whoever may not take it`, async () => {
        const { id } = await orderThatIs(from);
        const before = await owner.get(`/orders/${id}`);
        assertProblem(await patch(id, { status: to }, stranger), 'forbidden');
        for (const caller of isStep ? [owner] : [owner, staff, admin]) {
          if (caller === owner && to === 'cancelled' && isStep) continue;
          const response = await patch(id, { status: to }, caller);
          if (from === to) {
            assert.deepEqual([response.status, response.text], [200, before.text]);
            continue;
          }
          assertProblem(response, isStep ? 'forbidden' : 'invalid-transition');
          if (isStep) continue;
          const { from: told, to: asked, allowed: could } = response.body;
          const correction = caller === owner ? undefined : back[from];
          const possible = [...allowed[from], ...(correction === undefined ? [] : [correction])];
          assert.deepEqual([told, asked, could], [from, to, possible]);
        }
        const after = await owner.get(`/orders/${id}`);
        assert.deepEqual([after.text, after.headers.etag], [before.text, before.headers.etag]);
      });

      if (isStep)
        test(`the step ${from} → ${to} is taken by staff and administrators, and by the owner who cancels`, async () => {
          for (const caller of to === 'cancelled' ? [owner, staff, admin] : [staff, admin]) {
            const order = await orderThatIs(from);
            if (isBack)
              for (const more of [{}, { reason: ' \n' }])
                assertIssues(await patch(order.id, { status: to, ...more }), 422, ['#/reason required']);
            const { headers } = await owner.get(`/orders/${order.id}`);
            const reason = isBack ? { reason: 'A slip.' } : {};
            const {
              status,
              body,
              headers: changed,
            } = await patch(order.id, { status: to, ...reason }, caller);
            assert.deepEqual([status, body.status, body.createdAt], [200, to, order.createdAt]);
            assert.ok(body.updatedAt > order.updatedAt);
            assert.notEqual(changed.etag, headers.etag);
            const [event] = (await staff.get(`/orders/${order.id}/events`)).body.data;
            assert.deepEqual(event.changes, { status: [from, to] });
            if (isBack) assert.deepEqual([event.type, event.reason], ['order.corrected', 'A slip.']);
          }
        });
    }
  }

  test('an order taken back to open takes other items and can be paid again', async () => {
    const { id } = await orderThatIs('paid');
    const both = { status: 'open', id: id + 1 };
    assertIssues(await patch(id, both), 422, ['#/id read-only', '#/reason required']);
    assertProblem(await patch(id, { status: 'open', items: [tea], reason: 'A slip.' }), 'order-not-open');
    await patch(id, { status: 'open', reason: 'A slip.' });
    const { status, body } = await patch(id, { status: 'paid', items: [tea] });
    assert.deepEqual([status, body.status, body.items.length], [200, 'paid', 1]);
    assertIssues(await patch(id, { status: 'lost' }), 422, ['#/status enum']);
  });

  test('of fifty requests that race for one step exactly one wins', async () => {
    const { id } = await orderThatIs('open');
    const targets = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? 'paid' : 'cancelled'));
    const responses = await Promise.all(targets.map((status) => patch(id, { status })));
    const { body } = await staff.get(`/orders/${id}`);
    // A repeated request for the winner's status succeeds; one for the other status is rejected.
    for (const [index, response] of responses.entries()) {
      const isOfWinner = targets[index] === body.status;
      assert.equal(response.status, isOfWinner ? 200 : 409);
      assert.equal(isOfWinner ? response.body.status : response.body.from, body.status);
    }
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
      const same = { items, currency, shippingAddress, note: 'left at the door' };
      const { body } = await patch(id, same);
      assert.deepEqual([body.status, body.note], [status, 'left at the door']);
      for (const [name, value] of Object.entries(changes)) {
        const mayChange = status === 'open' || (status === 'paid' && name === 'shippingAddress');
        const response = await patch(id, { [name]: value }, owner);
        if (mayChange) assert.partialDeepStrictEqual(response.body, { status, [name]: value });
        else assertProblem(response, 'order-not-open');
      }
      if (status !== 'open') return;
      const both = await patch(id, { currency: 'JPY', status: 'paid' });
      assert.deepEqual([both.body.currency, both.body.status], ['JPY', 'paid']);
    });
});
