// Orders: the steps from status to status.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { statuses, type OrderStatus as Status } from '../../../src/features/orders/order-status.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import type { TestResponse } from '../../support/service.ts';
import { assertIssues, newOrder } from '../../support/resource-support.ts';
import { tea, german } from './order-support.ts';

describe('the steps of an order', () => {
  const tokens = new Map<string, string>();
  const service = sharedService({}, async (started) => {
    for (const role of ['user', 'staff', 'admin'] as const)
      tokens.set(role, (await started.person(role)).token);
    tokens.set('stranger', (await started.person()).token);
  });
  const who = (name: string): string => tokens.get(name) ?? '';
  const patch = (id: number, body: object, name = 'staff'): Promise<TestResponse> =>
    service().patch(`/orders/${id}`, { token: who(name), body });

  const ways: Record<Status, readonly Status[]> = {
    open: [],
    paid: ['paid'],
    shipped: ['paid', 'shipped'],
    delivered: ['paid', 'shipped', 'delivered'],
    cancelled: ['cancelled'],
    refunded: ['paid', 'refunded'],
  };
  async function orderThatIs(status: Status): Promise<TestResponse['body']> {
    let order = await newOrder(service(), who('user'));
    for (const step of ways[status]) order = (await patch(order.id, { status: step })).body;
    assert.equal(order.status, status);
    return order;
  }

  // The transitions of an order, written out once more.
  const allowed: Record<Status, readonly Status[]> = {
    open: ['paid', 'cancelled'],
    paid: ['shipped', 'refunded'],
    shipped: ['delivered', 'refunded'],
    delivered: ['refunded'],
    cancelled: [],
    refunded: [],
  };
  const back: Partial<Record<Status, Status>> = { paid: 'open', shipped: 'paid', delivered: 'shipped' };
  for (const from of statuses) {
    for (const to of statuses) {
      for (const role of ['user', 'staff', 'admin', 'stranger']) {
        const isBack = back[from] === to;
        const isStep = allowed[from].includes(to) || isBack;
        const outcome =
          role === 'stranger'
            ? 'forbidden'
            : from === to
              ? 'the same'
              : !isStep
                ? 'invalid-transition'
                : role === 'user' && to !== 'cancelled'
                  ? 'forbidden'
                  : 'taken';
        test(`the step ${from} → ${to} by ${role === 'user' ? 'its owner' : role}: ${outcome}`, async () => {
          const order = await orderThatIs(from);
          const before = await service().get(`/orders/${order.id}`, { token: who('staff') });
          if (service().inside !== undefined) service().clock.advance(10);
          const reason = isBack && role !== 'user' ? { reason: 'A slip.' } : {};
          const response = await patch(order.id, { status: to, ...reason }, role);
          const after = await service().get(`/orders/${order.id}`, { token: who('staff') });
          if (outcome === 'taken') {
            assert.deepEqual(
              [response.status, response.body.status, after.body.status],
              [200, to, to],
              response.text,
            );
            assert.notEqual(response.headers.etag, before.headers.etag);
            assert.ok(
              response.body.updatedAt >= before.body.updatedAt &&
                response.body.createdAt === before.body.createdAt,
            );
            return;
          }
          assert.deepEqual([after.text, after.headers.etag], [before.text, before.headers.etag]);
          if (outcome === 'the same')
            return assert.deepEqual(
              [response.status, response.text, response.headers.etag],
              [200, before.text, before.headers.etag],
            );
          assertProblem(response, outcome);
          const { from: told, to: asked, allowed: could } = response.body;
          const backward = role === 'user' || back[from] === undefined ? [] : [back[from]];
          const forward = allowed[from];
          if (outcome === 'invalid-transition')
            assert.deepEqual(
              { told, asked, could },
              { told: from, asked: to, could: [...forward, ...backward] },
            );
        });
      }
    }
  }

  for (const [from, to] of Object.entries(back) as [Status, Status][]) {
    test(`the step ${from} → ${to} needs a reason, which its event has`, async () => {
      const { id } = await orderThatIs(from);
      assertIssues(await patch(id, { status: to }), 422, ['#/reason required']);
      assertIssues(await patch(id, { status: to, reason: ' \n' }), 422, ['#/reason required']);
      const both = { status: to, id: id + 1 };
      assertIssues(await patch(id, both), 422, ['#/id read-only', '#/reason required']);
      assert.equal((await patch(id, { status: to, reason: 'A slip.' })).status, 200);
      const { body } = await service().get(`/orders/${id}/events`, { token: who('staff') });
      const [{ type, reason, changes }] = body.data;
      assert.deepEqual([type, reason, changes], ['order.corrected', 'A slip.', { status: [from, to] }]);
    });
  }

  test('an order taken back to open takes other items and can be paid again', async () => {
    const { id } = await orderThatIs('paid');
    assertProblem(await patch(id, { status: 'open', items: [tea], reason: 'A slip.' }), 'order-not-open');
    await patch(id, { status: 'open', reason: 'A slip.' });
    const { status, body } = await patch(id, { status: 'paid', items: [tea] });
    assert.deepEqual([status, body.status, body.items.length], [200, 'paid', 1]);
  });

  test('an unknown status is an issue of the data', async () => {
    assertIssues(await patch((await orderThatIs('open')).id, { status: 'lost' }), 422, ['#/status enum']);
  });

  test('of fifty requests that race for one step exactly one wins', async () => {
    const order = await orderThatIs('open');
    const targets = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? 'paid' : 'cancelled'));
    const responses = await Promise.all(targets.map((status) => patch(order.id, { status })));
    const { body } = await service().get(`/orders/${order.id}`, { token: who('staff') });
    // A repeated request for the winner's status succeeds; one for the other status is rejected.
    for (const [index, response] of responses.entries()) {
      if (targets[index] === body.status)
        assert.deepEqual([response.status, response.body.status], [200, body.status]);
      else assert.ok(response.status === 409 && response.body.from === body.status, response.text);
    }
    assert.equal(responses.filter(({ status }) => status === 409).length, 25);
  });

  test('of fifty requests that race for one step with the order’s tag exactly one wins', async () => {
    const order = await orderThatIs('open');
    const { headers } = await service().get(`/orders/${order.id}`, { token: who('staff') });
    const race = Array.from({ length: 50 }, () =>
      service().patch(`/orders/${order.id}`, {
        token: who('staff'),
        body: { status: 'paid' },
        headers: { 'if-match': String(headers.etag) },
      }),
    );
    const counts = Object.groupBy(await Promise.all(race), ({ status }) => status);
    assert.deepEqual([counts[200]?.length, counts[412]?.length], [1, 49]);
  });

  const changes: readonly (readonly [what: string, body: object])[] = [
    ['items', { items: [tea] }],
    ['currency', { currency: 'USD' }],
    ['shipping address', { shippingAddress: german }],
  ];
  test('an order that is paid takes another shipping address, since nothing has been shipped', async () => {
    const { body } = await patch((await orderThatIs('paid')).id, { shippingAddress: german });
    assert.deepEqual([body.shippingAddress.city, body.status], [german.city, 'paid']);
  });

  for (const status of statuses.slice(1)) {
    for (const [what, body] of changes) {
      if (status === 'paid' && what === 'shipping address') continue;
      test(`an order that is ${status} takes no other ${what}: order-not-open`, async () => {
        const order = await orderThatIs(status);
        assertProblem(await patch(order.id, body), 'order-not-open');
      });
    }
    test(`an order that is ${status} takes equal items, currency and address, and a new note`, async () => {
      const { id, items: same, currency, shippingAddress } = await orderThatIs(status);
      const response = await patch(id, { items: same, currency, shippingAddress, note: 'left at the door' });
      assert.deepEqual(
        [response.status, response.body.note, response.body.status],
        [200, 'left at the door', status],
      );
    });
  }

  for (const [what, body] of changes) {
    test(`an open order takes other ${what}, even together with the step to another status`, async () => {
      const order = await orderThatIs('open');
      const response = await patch(order.id, body, 'user');
      assert.equal(response.status, 200, response.text);
      const both = await patch(order.id, { currency: 'JPY', status: 'paid' });
      assert.deepEqual([both.status, both.body.currency, both.body.status], [200, 'JPY', 'paid']);
    });
  }
});
