// Barcodes and QR codes against fixed vectors, which other programs have made.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { barcodeWidths } from '../../src/console/browser/barcode.ts';
import { qrModules } from '../../src/console/office/qr-code.ts';

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
