// Requests that arrive together are spread over turns of the event loop.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { TurnScheduler, turnMillisecondsMax } from '../../src/http/turn-scheduler.ts';
import { serviceFor } from '../service.ts';
import { issuesMax } from '../../src/schema/schema-check.ts';

/** Blocks the event loop for so long. */
function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe('work that arrives in one turn', () => {
  test('runs immediately as far as it fits, and the rest in later turns, in order', async () => {
    const scheduler = new TurnScheduler((client: string) => client);
    const ran: number[] = [];
    for (let index = 0; index < 9; index += 1) {
      scheduler.run('a client', () => {
        ran.push(index);
        spin(turnMillisecondsMax / 2);
      });
    }
    assert.ok(ran.length >= 1 && ran.length <= 2, `${ran.length} ran in the first turn`);
    const counts: number[] = [];
    while (ran.length < 9) {
      const before = ran.length;
      await turn();
      counts.push(ran.length - before);
    }
    assert.deepEqual(ran, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert.ok(
      counts.every((count) => count <= 2),
      `${counts.join(', ')} in the later turns`,
    );
  });

  test('counts with what a task leaves to the next tick', async () => {
    const scheduler = new TurnScheduler((client: string) => client);
    const ran: number[] = [];
    for (let index = 0; index < 4; index += 1)
      scheduler.addFollowing('a client', () => {
        ran.push(index);
        process.nextTick(spin, turnMillisecondsMax);
      });
    const counts: number[] = [];
    for (let turns = 0; turns < 4; turns += 1) {
      await turn();
      counts.push(ran.length);
    }
    assert.deepEqual(counts, [1, 2, 3, 4]);
  });

  test('has its time again in the next turn', async () => {
    const scheduler = new TurnScheduler((client: string) => client);
    scheduler.run('a client', () => spin(turnMillisecondsMax));
    await turn();
    await turn();
    let hasRun = false;
    scheduler.run('a client', () => {
      hasRun = true;
    });
    assert.ok(hasRun);
  });

  test('that takes far too long even to arrive is reported, once a turn', async () => {
    let reports = 0;
    const scheduler = new TurnScheduler(
      (client: string) => client,
      () => (reports += 1),
    );
    for (const expected of [1, 2]) {
      scheduler.noteArrival();
      spin(3 * turnMillisecondsMax);
      assert.equal(reports, expected - 1);
      scheduler.noteArrival();
      scheduler.noteArrival();
      assert.equal(reports, expected);
      await turn();
    }
  });

  test('waits, except for one task a turn, while connections are accepted', async () => {
    const scheduler = new TurnScheduler((client: string) => client);
    const ran: number[] = [];
    const counts: number[] = [];
    scheduler.yieldToConnections();
    for (let index = 0; index < 20; index += 1) scheduler.run('a client', () => ran.push(index));
    for (let turns = 0; turns < 3; turns += 1) {
      await turn();
      counts.push(ran.length);
      scheduler.yieldToConnections();
    }
    assert.deepEqual(counts, [1, 2, 3]);
    await turn();
    await turn();
    assert.equal(ran.length, 20);
  });
});

test('a body with very many issues is reported with as many as a response holds', async (t) => {
  const service = await serviceFor(t);
  const members = Array.from({ length: 5_000 }, (_, index) => [`m${index}`, 0]);
  const { status, body } = await service.post('/api/users', { body: Object.fromEntries(members) });
  assert.equal(status, 400);
  assert.equal(body.errors.length, issuesMax);
});
