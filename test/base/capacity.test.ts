// What the service may use of small machines and of large ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capacityOf } from '../../src/base/capacity.ts';
import { pageBytesMax } from '../../src/http/lists/list.ts';
import { bodyBytesMax } from '../../src/http/connections/request-fields.ts';

const mebibyte = 1024 ** 2;

for (const [megabytes, cache, hashes, transfers] of [
  [64, 4, 1, 8],
  [96, 6, 1, 12],
  [128, 8, 1, 16],
  [256, 16, 2, 32],
  [512, 16, 2, 64],
  [24_000, 16, 2, 64],
] as const)
  test(`with ${megabytes} MB, ${cache} are for the cache, and ${transfers} for what transfers hold`, () => {
    const memoryBytes = megabytes * mebibyte;
    const expected = {
      memoryBytes,
      cacheBytes: cache * mebibyte,
      pageCacheKibibytes: (cache * 1024) / 2,
      hashesAtOnce: hashes,
      transferBytes: transfers * mebibyte,
    };
    assert.deepEqual(capacityOf(memoryBytes), expected);
    assert(pageBytesMax < expected.transferBytes, 'a page fits');
    assert(bodyBytesMax <= expected.transferBytes / 8, 'a body fits into the share of one client');
  });
