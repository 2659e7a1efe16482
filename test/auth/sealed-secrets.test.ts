// Secrets encrypted at rest: what opens them, and what doesn't.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SealedSecrets } from '../../src/auth/sealed-secrets.ts';

const [old, renewed] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const secret = Buffer.from('12345678901234567890');

test('a sealed secret opens with the same secret of the service, purpose and context, and no other', () => {
  const sealed = new SealedSecrets([old], 'totp').seal(secret, 'user 7');
  assert.deepEqual(new SealedSecrets([old], 'totp').open(sealed, 'user 7'), secret);
  assert.deepEqual(new SealedSecrets([renewed, old], 'totp').open(sealed, 'user 7'), secret);
  assert.equal(new SealedSecrets([old], 'totp').open(sealed, 'user 8'), undefined);
  assert.equal(new SealedSecrets([old], 'other').open(sealed, 'user 7'), undefined);
  assert.equal(new SealedSecrets([renewed], 'totp').open(sealed, 'user 7'), undefined);
});

test('a sealed secret that was changed or truncated doesn’t open', () => {
  const seals = new SealedSecrets([old], 'totp');
  const { sealedUnder, bytes } = seals.seal(secret, 'user 7');
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Uint8Array.from(bytes, (byte, at) => (at === index ? byte ^ 1 : byte));
    assert.equal(seals.open({ sealedUnder, bytes: changed }, 'user 7'), undefined);
    assert.equal(seals.open({ sealedUnder, bytes: bytes.slice(0, index) }, 'user 7'), undefined);
  }
});

test('the same secret sealed twice looks different, and contains no part of it', () => {
  const seals = new SealedSecrets([old], 'totp');
  const [first, second] = [seals.seal(secret, ''), seals.seal(secret, '')];
  assert.notDeepEqual(first.bytes, second.bytes);
  assert.equal(Buffer.from(first.bytes).indexOf(secret.subarray(0, 4)), -1);
});
