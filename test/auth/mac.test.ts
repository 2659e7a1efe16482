// Message authentication codes: the vectors of RFC 4231, and separate keys for each purpose.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMac, createMacs } from '../../src/auth/mac.ts';

test('a MAC is HMAC-SHA-256 (RFC 4231, test cases 1 and 2)', () => {
  assert.equal(
    createMac(Buffer.alloc(20, 0x0b))('Hi There').toString('hex'),
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  );
  assert.equal(
    createMac(Buffer.from('Jefe'))('what do ya want for nothing?').toString('hex'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

test('a MAC for one purpose is invalid for any other, and as a token', () => {
  const secret = Buffer.alloc(32, 'a');
  const macs = [
    createMac(secret),
    ...['cursors', 'fingerprints'].flatMap((use) => createMacs([secret], use)),
  ];
  const digests = macs.map((mac) => mac('the same text').toString('hex'));
  assert.equal(new Set(digests).size, 3);
});
