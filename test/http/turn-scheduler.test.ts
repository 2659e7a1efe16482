// Requests that arrive together are spread over turns of the event loop.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { TurnScheduler } from '../../src/http/turn-scheduler.ts';
import { issuesMax, turnMillisecondsMax } from '../../src/limits.ts';
import { serviceFor } from '../service.ts';

/** Keeps the event loop for so long. */
function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe('work that arrives in one turn', () => {
  test('runs at once while it fits, and the rest in later turns, in order', async () => {
    const scheduler = new TurnScheduler();
    const ran: number[] = [];
    for (let index = 0; index < 9; index += 1) {
      scheduler.run(() => {
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

  test('has its time again in the next turn', async () => {
    const scheduler = new TurnScheduler();
    scheduler.run(() => spin(turnMillisecondsMax));
    await turn();
    await turn();
    let hasRun = false;
    scheduler.run(() => {
      hasRun = true;
    });
    assert.ok(hasRun);
  });
});

test('a body with very many issues is reported with as many as an answer holds', async (t) => {
  const service = await serviceFor(t);
  const members = Array.from({ length: 5_000 }, (_, index) => [`m${index}`, 0]);
  const { status, body } = await service.post('/api/users', { body: Object.fromEntries(members) });
  assert.equal(status, 400);
  assert.equal(body.errors.length, issuesMax);
});
