import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { UnsentResponses } from '../../../src/http/responses/unsent-responses.ts';

test('a connection that alternates between responses and streams has one listener for its end', () => {
  const unsent = new UnsentResponses(1_000, () => {});
  const socket = new Socket();
  Object.defineProperty(socket, 'writableLength', { value: 10 });
  const before = socket.listenerCount('close');
  for (let times = 0; times < 3; times++) {
    unsent.add(socket);
    unsent.add(socket);
    assert.equal(socket.listenerCount('close'), before + 1);
    unsent.forget(socket);
    assert.equal(socket.listenerCount('close'), before);
  }
});
