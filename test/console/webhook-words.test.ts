// The causes of failed deliveries in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureWords } from '../../src/console/office/webhook-words.ts';

for (const [cause, words] of [
  ['status 503', 'it answers with status 503'],
  ['ENOTFOUND', 'its name can’t be found'],
  ['ECONNREFUSED', 'nothing can be reached at its address'],
  ['no response in 15 seconds', 'it doesn’t answer in time'],
  ['the connection was closed', 'it breaks the connection'],
  ['CERT_HAS_EXPIRED', 'its certificate is not valid'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is not valid'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'its certificate is not valid'],
  ['hooks.example may not be connected to', 'its address is not a public one'],
  ['something else', 'something else'],
] as const)
  test(`the failure of a webhook with “${cause}” is said as “${words}”`, () => {
    assert.equal(failureWords(cause), words);
  });
