// Responses that are sent a few at a time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ResponseBatch } from '../../src/http/responses/response-batch.ts';

test('responses are sent in order, four at a time, and the rest at the end of the turn', async () => {
  const sent: string[] = [];
  const batch = new ResponseBatch<string>((response) => sent.push(response));
  for (const response of ['a', 'b', 'c']) batch.add(response);
  assert.deepEqual(sent, []);
  batch.add('d');
  assert.deepEqual(sent, ['a', 'b', 'c', 'd']);
  batch.add('e');
  await setImmediate();
  assert.deepEqual(sent, ['a', 'b', 'c', 'd', 'e']);
  batch.add('f');
  await setImmediate();
  assert.equal(sent.at(-1), 'f');
});
