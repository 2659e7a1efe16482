// Requests that arrive together are spread over turns of the event loop.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { Turns, turnMillisecondsMax } from '../../src/base/turns.ts';

/** Blocks the event loop for so long. */
function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe('work that arrives in one turn', () => {
  test('work runs at the end of its turn as far as it fits, and the rest in later turns, in order', async () => {
    const turns = new Turns();
    const ran: number[] = [];
    for (let index = 0; index < 9; index += 1) {
      turns.run('a client', () => {
        ran.push(index);
        spin(turnMillisecondsMax / 2);
      });
    }
    assert.deepEqual(ran, [], 'where work arrives it only waits');
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

  test('the work that a task leaves to the next tick counts as the task’s', async () => {
    const turns = new Turns();
    const ran: number[] = [];
    for (let index = 0; index < 4; index += 1)
      turns.runLater('a client', () => {
        ran.push(index);
        process.nextTick(spin, turnMillisecondsMax);
      });
    const counts: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      await turn();
      counts.push(ran.length);
    }
    assert.deepEqual(counts, [1, 2, 3, 4]);
  });

  test('longer work runs in steps, with the tasks of others in between', async () => {
    const turns = new Turns();
    const ran: string[] = [];
    function* count(client: string): Generator<void, number> {
      for (let step = 1; step <= 3; step += 1) {
        ran.push(client);
        yield;
      }
      return ran.length;
    }
    const sums = await Promise.all([turns.runSteps('a', count('a')), turns.runSteps('b', count('b'))]);
    assert.deepEqual(ran, [...'ababab']);
    assert.deepEqual(sums, [6, 6]);
    function* fail(): Generator<void, number> {
      yield;
      throw new Error('in a step');
    }
    await assert.rejects(turns.runSteps('a', fail()), /in a step/);
  });

  test('work that a task begins runs after the work that waits already', async () => {
    const turns = new Turns();
    const ran: string[] = [];
    turns.run('a client', () => {
      ran.push('first');
      turns.run('a client', () => ran.push('begun by the first'));
    });
    turns.run('a client', () => ran.push('second'));
    while (ran.length < 3) await turn();
    assert.deepEqual(ran, ['first', 'second', 'begun by the first']);
  });

  test('work that begins something runs before work that continues something, three times of four', async () => {
    const turns = new Turns();
    const ran: string[] = [];
    for (let count = 0; count < 4; count += 1) turns.runLater('a client', () => ran.push('continued'));
    for (let count = 0; count < 4; count += 1) turns.run('a client', () => ran.push('begun'));
    while (ran.length < 8) await turn();
    assert.equal(ran.indexOf('continued'), 3);
    assert.equal(ran.lastIndexOf('begun'), 4);
  });

  test('a turn whose arrivals alone take far too long is reported once', async () => {
    let reports = 0;
    const turns = new Turns();
    turns.onOverrun = () => (reports += 1);
    for (const expected of [1, 2]) {
      turns.noteArrival();
      spin(3 * turnMillisecondsMax);
      assert.equal(reports, expected - 1);
      turns.noteArrival();
      turns.noteArrival();
      assert.equal(reports, expected);
      await turn();
    }
  });

  test('work waits while connections are accepted, except for one task a turn', async () => {
    const turns = new Turns();
    const ran: number[] = [];
    const counts: number[] = [];
    turns.yieldToConnections();
    for (let index = 0; index < 1000; index += 1) turns.run('a client', () => ran.push(index));
    for (let count = 0; count < 3; count += 1) {
      await turn();
      counts.push(ran.length);
      turns.yieldToConnections();
    }
    assert.deepEqual(counts, [1, 2, 3]);
    await turn();
    await turn();
    assert(ran.length > 5); // more than one a turn
  });
});
