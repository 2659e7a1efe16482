// The router alone: what a path costs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { performance } from 'node:perf_hooks';
import { Router } from '../../../src/http/routing/router.ts';

test('long paths are found nowhere at once', () => {
  const router = new Router();
  const start = performance.now();
  for (let count = 0; count < 20; count += 1)
    for (const part of ['a', '1', '1/', 'a/']) {
      const path = `/${part.repeat(8190 / part.length)}`;
      assert.equal(router.find(path), undefined);
      assert.equal(router.find(`${path}/`), undefined);
    }
  assert.ok(performance.now() - start < 500); // by a pattern that tries each place, 22 s
});
