// The router alone: what a path costs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Router } from '../../../src/http/routing/router.ts';

test('long paths are found nowhere at once', () => {
  const router = new Router();
  const start = process.cpuUsage();
  for (let count = 0; count < 20; count += 1)
    for (const part of ['a', '1', '1/', 'a/']) {
      const path = `/${part.repeat(8190 / part.length)}`;
      assert.equal(router.find(path), undefined);
      assert.equal(router.find(`${path}/`), undefined);
    }
  assert.ok(process.cpuUsage(start).user < 2_000_000); // in microseconds; by a pattern that tries each place, 22 s
});
