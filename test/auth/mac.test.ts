// Message authentication codes: separate keys for each purpose.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMac, createMacs } from '../../src/auth/mac.ts';

test('a MAC for one purpose is invalid for any other, and as a token', () => {
  const secret = Buffer.alloc(32, 'a');
  const macs = [
    createMac(secret),
    ...['cursors', 'fingerprints'].flatMap((use) => createMacs([secret], use)),
  ];
  const digests = macs.map((mac) => mac('the same text').toString('hex'));
  assert.equal(new Set(digests).size, 3);
});
