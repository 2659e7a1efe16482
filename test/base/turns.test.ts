// Requests that arrive together are spread over turns of the event loop.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import { Turns, turnMillisecondsMax } from '../../src/base/turns.ts';

/** Blocks the event loop for so long. */
function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('work runs at the end of its turn as far as it fits, and the rest in later turns, in order', async () => {
  const turns = new Turns();
  const ran: number[] = [];
  for (let index = 0; index < 9; index += 1) {
    turns.runLater(() => {
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
  const sums = await Promise.all([turns.runSteps(count('a')), turns.runSteps(count('b'))]);
  assert.deepEqual(ran, [...'ababab']);
  assert.deepEqual(sums, [6, 6]);
  function* fail(): Generator<void, number> {
    yield;
    throw new Error('in a step');
  }
  await assert.rejects(turns.runSteps(fail()), /in a step/);
});

test('work that a task begins runs after the work that waits already', async () => {
  const turns = new Turns();
  const ran: string[] = [];
  turns.runLater(() => {
    ran.push('first');
    turns.runLater(() => ran.push('begun by the first'));
  });
  turns.runLater(() => ran.push('second'));
  while (ran.length < 3) await turn();
  assert.deepEqual(ran, ['first', 'second', 'begun by the first']);
});
