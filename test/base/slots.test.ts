// Jobs that wait for a slot: their order, their bounds, and what happens when they fail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Slots, type SlotClaim } from '../../src/base/slots.ts';

/** Jobs that run until they are told to end, in the order in which they began. */
class Jobs {
  readonly begun: string[] = [];
  readonly #ends: (() => void)[] = [];
  readonly #slots: Slots;

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  begin(name: string, place: SlotClaim = {}): Promise<void> {
    return this.#slots.run(place, () => {
      this.begun.push(name);
      return new Promise((resolve) => this.#ends.push(resolve));
    });
  }

  /** Ends the job that has run for longest. */
  async endOne(): Promise<void> {
    this.#ends.shift()?.();
    await turn();
  }
}

type Bounds = { readonly running?: number; readonly waiting?: number; readonly waitingUrgent?: number };

function slotsWith(bounds: Bounds & { readonly perClient?: number } = {}): Slots {
  return new Slots({ running: 1, waiting: 100, refuse: (bound) => new Error(bound), ...bounds });
}

test('slots run as many jobs at once as there are slots, and the others when one is free', async () => {
  const slots = slotsWith({ running: 2 });
  const jobs = new Jobs(slots);
  const all = ['a', 'b', 'c'].map((name) => jobs.begin(name));
  assert.deepEqual(jobs.begun, ['a', 'b']);
  assert.deepEqual([slots.running, slots.waiting], [2, 1]);
  await jobs.endOne();
  assert.deepEqual(jobs.begun, ['a', 'b', 'c']);
  await jobs.endOne();
  await jobs.endOne();
  await Promise.all(all);
  assert.deepEqual([slots.running, slots.waiting], [0, 0]);
});

test('slots go to clients in turn, and first to urgent jobs', async () => {
  const jobs = new Jobs(slotsWith());
  for (const client of ['a', 'a', 'a', 'b']) void jobs.begin(client, { clients: [client] });
  void jobs.begin('urgent', { clients: ['a'], isUrgent: true });
  for (let count = 0; count < 4; count += 1) await jobs.endOne();
  assert.deepEqual(jobs.begun, ['a', 'urgent', 'a', 'b', 'a']);
});

test('slots go to another job after three urgent ones', async () => {
  const jobs = new Jobs(slotsWith());
  void jobs.begin('first');
  for (let count = 0; count < 5; count += 1) void jobs.begin('urgent', { isUrgent: true });
  for (const other of ['a', 'b']) void jobs.begin(other, { clients: [other] });
  for (let count = 0; count < 7; count += 1) await jobs.endOne();
  const urgent = ['urgent', 'urgent', 'urgent'];
  assert.deepEqual(jobs.begun, ['first', ...urgent, 'a', 'urgent', 'urgent', 'b']);
});

test('slots refuse a job if too many of its kind are waiting', async () => {
  const slots = slotsWith({ waiting: 1, waitingUrgent: 2 });
  const jobs = new Jobs(slots);
  const accepted = [{}, {}, { isUrgent: true }, { isUrgent: true }].map((place) => jobs.begin('job', place));
  for (const place of [{}, { isUrgent: true }]) {
    assert.throws(() => slots.checkRoom(place), new Error('waiting'));
    await assert.rejects(jobs.begin('refused', place), new Error('waiting'));
  }
  for (const _ of accepted) await jobs.endOne();
  await Promise.all(accepted);
  slots.checkRoom();
});

test('slots refuse a job if one of its clients has its share, running or waiting', async () => {
  const slots = slotsWith({ running: 2, perClient: 2 });
  const jobs = new Jobs(slots);
  const accepted = ['b', 'c', 'd'].map((client) => jobs.begin(client, { clients: ['a', client] }));
  await assert.rejects(accepted[2] ?? Promise.resolve(), new Error('perClient'));
  void jobs.begin('d', { clients: ['d'] });
  await jobs.endOne();
  await jobs.endOne();
  slots.checkRoom({ clients: ['a', 'd'] });
  assert.deepEqual(jobs.begun, ['b', 'c', 'd']);
});

test('slots run a job at once while one is free, even if no job may wait', async () => {
  const slots = slotsWith({ waiting: 0 });
  const jobs = new Jobs(slots);
  const first = jobs.begin('first');
  await assert.rejects(jobs.begin('second'), new Error('waiting'));
  await jobs.endOne();
  await first;
  assert.deepEqual(jobs.begun, ['first']);
});

test('slots are free again after a job that fails', async () => {
  const slots = slotsWith({ perClient: 1 });
  const place = { clients: ['a'] };
  await assert.rejects(
    slots.run(place, () => Promise.reject(new Error('failed'))),
    /failed/,
  );
  await assert.rejects(
    slots.run(place, () => {
      throw new Error('failed at once');
    }),
    /failed at once/,
  );
  assert.equal(await slots.run(place, () => 7), 7);
});

test('slots are idle when no job is left', async () => {
  const slots = slotsWith();
  await slots.whenIdle();
  const jobs = new Jobs(slots);
  void jobs.begin('a');
  void jobs.begin('b');
  let isIdle = false;
  void slots.whenIdle().then(() => (isIdle = true));
  await jobs.endOne();
  assert.equal(isIdle, false);
  await jobs.endOne();
  assert.equal(isIdle, true);
});
