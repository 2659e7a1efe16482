// What the service may use of small machines and of large ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capacityOf } from '../../src/base/capacity.ts';
import { pageBytesMax } from '../../src/http/lists/list.ts';
import { connectionBytesMax } from '../../src/http/connections/connection.ts';

const mebibyte = 1024 ** 2;

for (const [megabytes, cache, hashes, transfers] of [
  [64, 4, 1, 8],
  [96, 6, 1, 12],
  [128, 8, 1, 16],
  [256, 16, 2, 32],
  [512, 16, 2, 64],
  [24_000, 16, 2, 64],
] as const)
  test(`with ${megabytes} MB, ${cache} are for the cache, and ${transfers} for unread responses`, () => {
    const memoryBytes = megabytes * mebibyte;
    const expected = {
      memoryBytes,
      cacheBytes: cache * mebibyte,
      pageCacheKibibytes: (cache * 1024) / 2,
      hashesAtOnce: hashes,
      unsentBytes: transfers * mebibyte,
      connectionBytes: memoryBytes / 4,
    };
    assert.deepEqual(capacityOf(memoryBytes), expected);
    assert(pageBytesMax < expected.unsentBytes, 'a page fits');
    assert(32 * connectionBytesMax <= expected.connectionBytes, 'several connections fit');
  });
