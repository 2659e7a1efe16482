// What the service may use of small machines and of large ones.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import module from 'node:module';
import { test } from 'node:test';
import { capacityOf, freeDiskBytes, freeMemoryBytes } from '../../src/base/capacity.ts';
import { pageBytesMax } from '../../src/http/lists/list.ts';
import { connectionBytesMax } from '../../src/http/connections/http-connection.ts';

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

test('a file system that reports no size is not full', (t) => {
  const { mock } = t.mock.method(fs, 'statfsSync', () => ({ blocks: 0, bavail: 0, bsize: 4096 }));
  module.syncBuiltinESMExports();
  assert.equal(freeDiskBytes('.'), Infinity);
  mock.restore();
  module.syncBuiltinESMExports();
});

test('where the system reports no available memory, it is not used up', (t) => {
  t.mock.method(process, 'availableMemory', () => 0);
  assert(freeMemoryBytes() > 0);
});
