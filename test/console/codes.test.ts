// Barcodes and QR codes against fixed vectors, which other programs have made.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { barcodeWidths } from '../../src/console/browser/barcode.ts';
import { qrModules } from '../../src/console/office/qr-code.ts';
import { otherNumbers } from '../../src/console/words/gtin.ts';

/** Made by bwip-js 4.11 from npm; the longest is read by @zxing/library 0.23. */
describe('a barcode', () => {
  for (const [number, expected] of [
    [7, '211214312131311222'],
    ['C7', '211214131321312131121241'],
    ['C123', '211214131321123221223211221132411113'],
    [
      Number.MAX_SAFE_INTEGER,
      '211214321122123122123122312131123221321122321122223211213212221231312131221231123122321122' +
        '321122123221312311',
    ],
  ] as const)
    test(`a barcode of ${number} has the symbols of Code 128`, () => {
      assert.equal(barcodeWidths(number).join(''), `${expected}2331112`);
    });
});

/** Made by qrcode 1.5.4 from npm, as bytes, version 6, level L, mask 0; the digest is of lines of 0 and 1. */
const digests: Readonly<Record<number, string>> = {
  1: '75mM6cqgZWk_nGqsAxqGn0nu1rpHbDqV-_CIBHVaCwo',
  95: 'KHyfXacTj43RnyVwEczzS8YYW9Bcna0ktwBYtIkmZ9U',
  117: 'eKFo75LUexv69LGIANPZxoWug4WhcSwETIKHdlUG9bU',
  134: 'BvXOVI9o6BQ5TIVYVn3BC6T8S2HOdcWP0b0ASWwDOUU',
};
const uri = 'otpauth://totp/orderly:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=orderly';

describe('a QR code of a text', () => {
  for (const [length, digest] of Object.entries(digests))
    test(`a QR code of a text of ${length} bytes has each module as it should be`, () => {
      const modules = qrModules(uri.padEnd(134, 'x').slice(0, Number(length))) ?? [];
      const text = modules.map((row) => row.map(Number).join('')).join('\n');
      assert.equal(hash('sha256', text, 'base64url'), digest);
    });

  test('a text that is too long for a QR code has none', () =>
    assert.equal(qrModules('x'.repeat(135)), undefined));
});

/** The numbers of articles that are sold, and the examples of ZXing's tests and of the ISBN Users' Manual. */
describe('other numbers of an article', () => {
  for (const [code, other] of [
    ['04904403', '049000000443'],
    ['04252614', '042100005264'],
    ['01234565', '012345000065'],
    ['00123457', '001234000057'],
    ['0306406152', '9780306406157'],
    ['9780306406157', '0306406152'],
    ['080442957X', '9780804429573'],
    ['3-16-148410-X', '9783161484100'],
    ['978-3-16-148410-0', '316148410X'],
  ] as const)
    test(`${code} is also ${other}`, () => assert.deepEqual(otherNumbers(code), [other]));
  for (const code of ['96385074', '04904404', '9791090636071', '3161484100', '4006381333931', 'TEA-250', ''])
    test(`${code} has no other number`, () => assert.deepEqual(otherNumbers(code), []));
});
