// Barcodes and QR codes, read by decoders of others.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { barcodeWidths } from '../../src/console/parts/barcode.ts';
import { qrModules } from '../../src/console/office/qr-code.ts';
import { folderWith } from '../tools/check-api/outside-tools.ts';

/** What is used of @zxing/library; a picture is one byte for each pixel. */
type Zxing = {
  readonly RGBLuminanceSource: new (pixels: Uint8ClampedArray, width: number, height: number) => object;
  readonly HybridBinarizer: new (source: object) => object;
  readonly BinaryBitmap: new (binarizer: object) => object;
  readonly Code128Reader: new () => { decode(bitmap: object): { getText(): string } };
};
/** What is used of jsqr; a picture is four bytes for each pixel. */
type ReadQr = (pixels: Uint8ClampedArray, width: number, height: number) => { readonly data: string } | null;

const scale = 4;

test('decoders read all codes', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-codes-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const require = createRequire(join(folderWith('codes', folder), 'here.js'));
  const zxing: Zxing = require('@zxing/library');
  const readQr: ReadQr = require('jsqr');

  for (const number of [1, 7, 12, 123, 1_234, 99_999, 100_000, 1_234_567, Number.MAX_SAFE_INTEGER]) {
    const bars = barcodeWidths(number).flatMap((width, index) => modulesOf(width, index % 2 === 0));
    const line = [...modulesOf(10, false), ...bars, ...modulesOf(10, false)];
    const rows = Array.from({ length: 20 }, () => line);
    const source = new zxing.RGBLuminanceSource(pixelsOf(rows), line.length * scale, rows.length * scale);
    const bitmap = new zxing.BinaryBitmap(new zxing.HybridBinarizer(source));
    assert.equal(new zxing.Code128Reader().decode(bitmap).getText(), String(number));
  }

  for (let length = 1; length <= 134; length += 7) {
    const text = 'otpauth://totp/orderly:ada%40example.com?'.padEnd(length, 'GEZDGNBV').slice(0, length);
    const modules = qrModules(text) ?? [];
    const width = modules.length + 8;
    const margin = Array.from({ length: 4 }, () => modulesOf(width, false));
    const rows = modules.map((row) => [...modulesOf(4, false), ...row, ...modulesOf(4, false)]);
    const bytes = pixelsOf([...margin, ...rows, ...margin]);
    const pixels = new Uint8ClampedArray(bytes.length * 4).map((_, index) => bytes[index >> 2] ?? 0);
    assert.equal(readQr(pixels, width * scale, width * scale)?.data, text);
  }
});

function modulesOf(length: number, isDark: boolean): boolean[] {
  return Array.from({ length }, () => isDark);
}

/** A byte for each pixel, 0 for a dark one. */
function pixelsOf(rows: readonly (readonly boolean[])[]): Uint8ClampedArray {
  const lines = rows.map((row) =>
    row.flatMap((isDark) => Array.from({ length: scale }, () => (isDark ? 0 : 255))),
  );
  return new Uint8ClampedArray(lines.flatMap((line) => Array.from({ length: scale }, () => line).flat()));
}
