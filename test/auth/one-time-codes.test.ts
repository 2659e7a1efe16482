// One-time codes against the test vectors of RFC 4226, RFC 6238 and RFC 4648.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
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

describe('RFC 6238, appendix B', () => {
  /** The secrets have the length of the hash: see erratum 2866. */
  const secrets = {
    sha1: secret,
    sha256: Buffer.from('12345678901234567890123456789012'),
    sha512: Buffer.from('1234567890123456789012345678901234567890123456789012345678901234'),
  } as const;
  const vectors: readonly (readonly [seconds: number, sha1: string, sha256: string, sha512: string])[] = [
    [59, '94287082', '46119246', '90693936'],
    [1_111_111_109, '07081804', '68084774', '25091201'],
    [1_111_111_111, '14050471', '67062674', '99943326'],
    [1_234_567_890, '89005924', '91819424', '93441116'],
    [2_000_000_000, '69279037', '90698825', '38618901'],
    [20_000_000_000, '65353130', '77737706', '47863826'],
  ];
  for (const [seconds, ...codes] of vectors)
    test(`gives ${codes.join(', ')} at ${seconds} seconds`, () => {
      const made = (['sha1', 'sha256', 'sha512'] as const).map((algorithm) =>
        oneTimeCode(secrets[algorithm], stepOf(seconds * 1000), { digits: 8, algorithm }),
      );
      assert.deepEqual(made, codes);
    });
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

test('a code is taken in its own 30 seconds and those before and after', () => {
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
  assert.match(code, /^([a-z2-7]{4}-){6}[a-z2-7]{2}$/);
  for (const typed of [code.toUpperCase(), code.replaceAll('-', ''), ` ${code.replaceAll('-', ' ')}`])
    assert.deepEqual(recoveryCodeHash(typed), recoveryCodeHash(code));
  assert.notDeepEqual(recoveryCodeHash(newRecoveryCode()), recoveryCodeHash(code));
});
