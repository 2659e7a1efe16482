// One-time codes against the test vectors of RFC 4226, RFC 6238 and RFC 4648.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  base32,
  newRecoveryCode,
  oneTimeCode,
  otpauthUri,
  recoveryCodeHash,
  stepOf,
  stepOfCode,
} from '../../src/auth/one-time-codes.ts';

const secret = Buffer.from('12345678901234567890');

const vectors: readonly (readonly [seconds: number, code: string])[] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
];
for (const [seconds, code] of vectors)
  test(`the code of RFC 6238, appendix B, is ${code.slice(2)} at ${seconds} seconds`, () => {
    assert.equal(oneTimeCode(secret, stepOf(seconds * 1000)), code.slice(2));
  });

test('RFC 4226, appendix D: the codes of the first ten counts', () => {
  const codes = Array.from({ length: 10 }, (_, count) => oneTimeCode(secret, count));
  assert.deepEqual(codes, [
    '755224',
    '287082',
    '359152',
    '969429',
    '338314',
    '254676',
    '287922',
    '162583',
    '399871',
    '520489',
  ]);
});

test('a code is accepted in its own 30 seconds and in those before and after', () => {
  const code = oneTimeCode(secret, 100);
  const taken = [2_969, 2_970, 3_000, 3_029, 3_059, 3_060].map((seconds) =>
    stepOfCode(secret, code, seconds * 1000),
  );
  assert.deepEqual(taken, [undefined, 100, 100, 100, 100, undefined]);
  for (const wrong of ['', '000000', `${code}0`, code.slice(1)])
    assert.equal(stepOfCode(secret, wrong, 3_000_000), undefined);
});

test('RFC 4648, section 10: base32, without its padding', () => {
  const vectors = { '': '', f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB' };
  for (const [text, encoded] of Object.entries(vectors)) assert.equal(base32(Buffer.from(text)), encoded);
  assert.equal(base32(secret), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
});

test('the otpauth URI has label, secret and issuer, escaped', () => {
  assert.equal(
    otpauthUri(secret, 'orderly', 'ada+till@example.com'),
    'otpauth://totp/orderly:ada%2Btill%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=orderly',
  );
});

test('a recovery code is found however it is typed', () => {
  const code = newRecoveryCode();
  assert.match(code, /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
  for (const typed of [code.toUpperCase(), code.replaceAll('-', ''), ` ${code.replaceAll('-', ' ')}`])
    assert.deepEqual(recoveryCodeHash(typed), recoveryCodeHash(code));
  assert.notDeepEqual(recoveryCodeHash(newRecoveryCode()), recoveryCodeHash(code));
});
