// Idle connections end a few at a time.
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { endIdle } from '../../src/http/idle-connections.ts';

test('idle connections are ended a few in a turn of the event loop, however many there are', async () => {
  const sockets = Array.from({ length: 2_000 }, () => new Socket());
  endIdle(new Set(sockets), 1);
  const endedIn: number[] = [];
  for (let ended = 0; ended < sockets.length;) {
    await turn();
    const now = sockets.filter(({ destroyed }) => destroyed).length;
    if (now > ended) endedIn.push(now - ended);
    ended = now;
  }
  assert.deepEqual(endedIn, Array<number>(8).fill(250));
});
