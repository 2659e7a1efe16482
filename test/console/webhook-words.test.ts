// The causes of failed deliveries in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureWords } from '../../src/console/office/webhook-words.ts';

for (const [lastErrorCode, lastError, words] of [
  ['status', 'status 503', 'it answers with status 503'],
  ['name-not-found', 'ENOTFOUND', 'its name can’t be found'],
  ['certificate', 'CERT_HAS_EXPIRED', 'its certificate is not valid'],
  ['no-secret', 'The secret can no longer be read.', 'the secret for the signatures is lost; make a new one'],
  ['other', 'Parse Error', 'deliveries fail with “Parse Error”'],
  [null, null, 'it doesn’t accept them'],
] as const)
  test(`the failure ${lastErrorCode} of a webhook is said as “${words}”`, () => {
    assert.equal(failureWords({ lastErrorCode, lastError, lastStatus: 503 }), words);
  });
