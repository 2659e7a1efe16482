// Signatures according to Standard Webhooks, with the test vector of its reference libraries.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedFields } from '../../../src/features/webhooks/signature.ts';

test('a delivery is signed like by the reference libraries of Standard Webhooks', () => {
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' };
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  assert.equal(signedFields(message, [secret])['webhook-signature'], signature);
  const both = signedFields(message, [Buffer.from('another secret of 24 bytes'), secret]);
  assert.match(both['webhook-signature'] ?? '', /^v1,[\w+/]{43}= v1,g0hM9SsE/);
});
