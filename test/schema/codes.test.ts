// What codes of products are compared by.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barcodeKey, codesIn, cutGtinWarning, plainCode, skuKey } from '../../src/schema/codes.ts';

const gtin = '04006381333931';
const spellings = [
  '4006381333931',
  '04006381333931',
  ' 4006381333931\u200b',
  ']E04006381333931',
  ']C1010400638133393110LOT7',
  ']d20104006381333931\u001d21SERIAL',
  ']Q3\u001d0104006381333931',
  ']e0172712310104006381333931',
  '\u001d10LOT7\u001d0104006381333931',
  '(01)04006381333931(10)LOT7',
  '(17)271231(01)04006381333931',
  '0104006381333931',
  'https://id.gs1.org/01/04006381333931/10/LOT7?17=271231',
  'https://example.com/shop/gtin/4006381333931',
];
for (const text of spellings)
  test(`${JSON.stringify(text)} is a spelling of a GTIN`, () => assert.equal(barcodeKey(text), gtin));

for (const [one, other] of [
  ['012345678905', '0012345678905'],
  ['96385074', '00000096385074'],
  ['96385074', ']E496385074'],
  ['036000291452', ']C00036000291452'],
  ['036000291452', '(01)00036000291452(21)ABC'],
  ['036000291452', ']d20100036000291452'],
  ['036000291452', '\u001d0100036000291452\u001d21X'],
  ['036000291452', 'https://dl.example.org/01/00036000291452?15=270101'],
  ['4006381333931', 'https://id.gs1.org/01/04006381333931/21/A?x=1'],
  ['9783161484100', '978-3-16-148410-0'],
  ['9783161484100', '978 3 16 148410 0'],
  ['4006381333931', '4 006381 333931'],
  ['AB-1', 'AB-1 '],
] as const)
  test(`${one} and ${other} are one barcode`, () => assert.equal(barcodeKey(one), barcodeKey(other)));

for (const text of [
  '4006381333932',
  '12345678901',
  '0204006381333931',
  'AB01',
  '00000000',
  '(01)123',
  '400638133393',
  '978-3-16-148410-1',
  '3-16-148410-0',
  '-4006381333931',
  '9638-5074',
])
  test(`${text} is a barcode as it is`, () => assert.equal(barcodeKey(text), text));

test('a SKU is compared without blanks around it, invisible characters and case', () => {
  for (const sku of [
    'TRIM-1',
    'trim-1 ',
    '\u00a0TRIM-1',
    'TRIM\u200b-1',
    '\ufeffTrim-1\t',
    'TRIM-1\u2800',
    '\u3164TRIM-1',
  ])
    assert.equal(skuKey(sku), 'trim-1');
  for (const sku of ['TRIM\u00ad-1', 'TRIM-1\u2060', 'TRIM-1\ufe0f', 'TRIM-1\u{e0020}', 'TRIM-1\u034f'])
    assert.equal(skuKey(sku), 'trim-1', sku);
  for (const blank of ['\u2800', '\u{1d159}', '\u{13441}', '\u3164', '\uffa0', '\u115f', '\u180e', '\u3000'])
    assert.equal(skuKey(`${blank}TRIM-1${blank}`), 'trim-1', blank);
  assert.equal(plainCode('\u2066A\u00a0B\u2069 '), 'A B');
  assert.notEqual(skuKey('CAFÉ'), skuKey('CAFE'));
});

test('what is looked up is the code as it is, and without an AIM identifier', () => {
  assert.deepEqual(codesIn(' ]A0TEA-250 '), [']A0TEA-250', 'TEA-250']);
  assert.deepEqual(codesIn('TEA-250'), ['TEA-250']);
  assert.deepEqual(codesIn('４００６３８１３３３９３１'), ['４００６３８１３３３９３１', '4006381333931']);
  assert.deepEqual(codesIn('\u200b'), []);
});

test('digits that look like a GTIN which has lost some are warned of, and no others', () => {
  for (const code of ['12345678905', '12345678901', '4006381333932', '1234567']) {
    const isWarned = cutGtinWarning(code) !== undefined;
    assert.equal(isWarned, code !== '1234567', code);
  }
  for (const code of ['4006381333931', '012345678905', 'TEA-250', '123456', '123456789012345'])
    assert.equal(cutGtinWarning(code), undefined, code);
});
