// Parsing of typed prices, and formatting of amounts.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decimalText, moneyText, priceOf, quantityOf, readingsOf } from '../../src/console/words/amounts.ts';

suite('a price is parsed', () => {
  for (const [text, fraction, minorUnits] of [
    ['7,49', 2, 749],
    ['7.49', 2, 749],
    ['7', 2, 700],
    ['7,5', 2, 750],
    [',50', 2, 50],
    ['0,05', 2, 5],
    ['1234', 2, 123_400],
    ['1.234,50', 2, 123_450],
    ['1,234.50', 2, 123_450],
    ['1 234,50', 2, 123_450],
    ['1\u202f234,50', 2, 123_450],
    ['1’234.50', 2, 123_450],
    ['12,345,678.90', 2, 1_234_567_890],
    ['1.234.567', 2, 123_456_700],
    ['1,23,456.50', 2, 12_345_650],
    ['12,34,567', 2, 123_456_700],
    ['500', 0, 500],
    ['1.500', 0, 1_500],
    ['1,500', 0, 1_500],
    ['1.234', 3, 1_234],
    ['1.234', 4, 12_340],
    ['1,234.5', 3, 1_234_500],
    ['1.5', 3, 1_500],
    ['10000000000', 2, 1_000_000_000_000],
    ['-7', 2, -700],
    ['-2,50', 2, -250],
    ['- 2,50', 2, -250],
    ['−2.50', 2, -250],
    ['–2.50', 2, -250],
    ['-1.234,50', 2, -123_450],
    ['-1.234', 3, -1_234],
    ['-500', 0, -500],
    ['-0', 2, 0],
    ['٧٫٤٩', 2, 749],
    ['۱۲۳٬۴۵۶٫۷۸', 2, 12_345_678],
    ['７４９', 0, 749],
    ['\u200f749.00', 2, 74_900],
    ['१२३', 2, 12_300],
    ['5,-', 2, 500],
    ['5.–', 2, 500],
    ['20,--', 2, 2_000],
  ] as const)
    test(`a price is parsed: ${JSON.stringify(text)} with ${fraction} digits`, () =>
      assert.equal(priceOf(text, { fraction, decimalSign: '.' }), minorUnits));
});

suite('a text that could mean two prices, or none, is not parsed', () => {
  for (const [text, fraction] of [
    ['', 2],
    [' ', 2],
    [',', 2],
    ['.', 2],
    ['0,749', 2],
    ['1.23.45', 2],
    ['1,234,5', 2],
    ['1234.567', 2],
    ['1.2345,00', 2],
    ['7.5', 0],
    ['-', 2],
    ['--7', 2],
    ['7-', 2],
    ['-1,234,5', 2],
    ['-0,749', 2],
    ['7e3', 2],
    ['seven', 2],
    ['7,49 €', 2],
    ['99999999999999999', 2],
  ] as const)
    test(`no price is parsed: ${JSON.stringify(text)} with ${fraction} digits`, () =>
      assert.equal(priceOf(text, { fraction, decimalSign: '.' }), undefined));
});

suite('a text that could be two prices is rejected with a question', () => {
  for (const [text, fraction, decimalSign, readings] of [
    ['1.234', 2, '.', ['1234', '1.23']],
    ['1,234', 2, '.', ['1234', '1.23']],
    ['-1,234', 2, '.', ['-1234', '-1.23']],
    ['1.234', 2, ',', ['1234', '1,23']],
    ['12.000', 2, ',', ['12000', '12,00']],
    ['999,999', 2, '.', ['999999', '999.99']],
    [' 1.234 ', 2, '.', ['1234', '1.23']],
    ['1,234', 3, '.', ['1234', '1.234']],
    ['1.234', 3, ',', ['1234', '1,234']],
    ['1,234', 4, '.', ['1234', '1.234']],
  ] as const)
    test(`the text ${JSON.stringify(text)} with ${fraction} digits after ${decimalSign} is a question`, () => {
      assert.equal(priceOf(text, { fraction, decimalSign }), undefined);
      assert.deepEqual(readingsOf(text, { fraction, decimalSign }), readings);
      for (const reading of readings)
        assert.notEqual(priceOf(reading, { fraction, decimalSign }), undefined, reading);
    });

  for (const [text, fraction, decimalSign] of [
    ['1.234', 0, '.'],
    ['1,234', 3, ','],
    ['1234', 2, '.'],
    ['1.23', 2, ','],
    ['0.749', 2, '.'],
    ['1.234,50', 2, '.'],
    ['1.234.567', 2, '.'],
    ['1 234', 2, '.'],
  ] as const)
    test(`the text ${JSON.stringify(text)} with ${fraction} digits after ${decimalSign} is no question`, () =>
      assert.equal(readingsOf(text, { fraction, decimalSign }), undefined));
});

suite('a price is parsed with the code or a sign of its currency', () => {
  for (const [text, minorUnits] of [
    ['7,49 €', 749],
    ['€7.49', 749],
    ['EUR 1.234,50', 123_450],
    ['7,49EUR', 749],
    ['-7,49 €', -749],
    ['€ -7,49', -749],
    ['-€7.49', -749],
    ['EUR −1.234,50', -123_450],
    ['-€-7,49', undefined],
    ['7,49 $', undefined],
    ['€', undefined],
    ['€ 7,49 €', undefined],
    ['1.234 €', undefined],
  ] as const)
    test(`a price is parsed with its currency: ${JSON.stringify(text)}`, () =>
      assert.equal(priceOf(text, { fraction: 2, decimalSign: ',', signs: ['EUR', '€'] }), minorUnits));
});

suite('a quantity is a whole number of 1 or more', () => {
  for (const [text, quantity] of [
    ['1', 1],
    [' 12 ', 12],
    ['1000001', 1_000_001],
    ['1234567890', undefined],
    ['0', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1,5', undefined],
    ['1.000', undefined],
    ['1e3', undefined],
    ['', undefined],
  ] as const)
    test(`a quantity is a whole number of 1 or more: ${JSON.stringify(text)}`, () =>
      assert.equal(quantityOf(text), quantity));
});

suite('an amount is shown', () => {
  const digits = { JPY: 0, IQD: 3 };

  for (const [minorUnits, currency, locale, shown] of [
    [749, 'EUR', 'en-GB', '€7.49'],
    [749, 'EUR', 'de-DE', '7,49 €'],
    [5, 'USD', 'en-US', '$0.05'],
    [123_450, 'JPY', 'en-GB', 'JP¥123,450'],
    [1_500, 'IQD', 'en-GB', 'IQD 1.500'],
    [1_234, 'QQQ', 'en-GB', 'QQQ 12.34'],
    [Number.MAX_SAFE_INTEGER, 'EUR', 'en-GB', '€90,071,992,547,409.91'],
  ] as const)
    test(`${minorUnits} of ${currency} is shown for ${locale}`, () =>
      assert.equal(moneyText(minorUnits, currency, { digits, locale }).replaceAll('\u00a0', ' '), shown));

  test('a formatted amount is parsed as the same amount', () => {
    for (const fraction of [0, 2, 3, 4])
      for (const minorUnits of [0, 1, 9, 10, 99, 100, 101, 12_345, 1_000_000])
        assert.equal(priceOf(decimalText(minorUnits, fraction), { fraction, decimalSign: '.' }), minorUnits);
  });
});

suite('a price in a file of which somebody has said what begins its decimals', () => {
  for (const [text, fraction, fileSign, minorUnits] of [
    ['1.234', 2, ',', 123_400],
    ['1,230', 2, ',', 123],
    ['1,234', 2, ',', undefined],
    ['1.234', 0, ',', 1_234],
    ['1.234', 3, ',', 1_234_000],
    ['1,234', 3, '.', 1_234_000],
    ['1.234', 3, '.', 1_234],
    ['-1.234', 2, ',', -123_400],
    ['1.234,50', 2, ',', 123_450],
  ] as const)
    test(`${text} with ${fraction} digits after “${fileSign}” is ${minorUnits}`, () => {
      assert.equal(priceOf(text, { fraction, decimalSign: '.', fileSign }), minorUnits);
    });
});
