// POST /imports: the issues of a line are reported together, without an effect on other lines.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import {
  resultsOf,
  customerLine,
  importLines,
  orderLine,
  sendImport,
  summaryOf,
} from '../../support/import-support.ts';
import { items, rootToken } from '../../support/resource-support.ts';

describe('a line is rejected alone', () => {
  const bad: readonly (readonly [name: string, line: unknown, answer: string])[] = [
    ['not JSON', '{', '400 # malformed-json'],
    ['a byte-order mark', '\ufeff{}', '400 # malformed-json'],
    ['a duplicate member', '{"key":"a","key":"b"}', '400 # malformed-json'],
    ['nested too deep', '['.repeat(17) + ']'.repeat(17), '400 # malformed-json'],
    ['no object', '[]', '422 # type'],
    ['empty', '{}', '422 # conflict #/key required'],
    ['neither customer nor order', { key: 'a' }, '422 # conflict'],
    ['both', { ...customerLine('a'), ...orderLine('a', 'c') }, '422 # conflict'],
    ['no key', { customer: { name: 'Ada' } }, '422 #/key required'],
    ['an empty key', customerLine(''), '422 #/key min-length'],
    ['a long key', customerLine('k'.repeat(256)), '422 #/key max-length'],
    ['an unknown member', { ...customerLine('a'), id: 1 }, '422 #/id unknown-member'],
    ['a customer without a name', { key: 'a', customer: {} }, '422 #/customer/name required'],
    [
      'a customer with an id that nobody has',
      customerLine('a', { id: 999_999 }),
      '422 #/customer/id unknown',
    ],
    [
      'several issues',
      customerLine('a', { name: 7, email: 'x' }),
      '422 #/customer/email pattern #/customer/name type',
    ],
    ['an unknown owner', customerLine('a', { userId: 999 }), '422 #/customer/userId unknown'],
    [
      'a postal code of another country',
      customerLine('a', { address: { line1: 'x', city: 'x', postalCode: 'x', country: 'DE' } }),
      '422 #/customer/address/postalCode postal-code',
    ],
    ['an unknown customer', orderLine('a', 'nobody'), '422 #/order/customerKey unknown'],
    [
      'an unknown customer and owner',
      { key: 'a', order: { customerId: 999, userId: 999, currency: 'EUR', items } },
      '422 #/order/customerId unknown #/order/userId unknown',
    ],
    ['no customer', { key: 'a', order: { currency: 'EUR', items } }, '422 #/order/customerId required'],
    ['two customers', orderLine('a', 'c', { customerId: 999 }), '422 #/order/customerKey conflict'],
    [
      'an unknown customer, after the issues that the line itself shows',
      orderLine('a', 'nobody', { userId: 999, note: 5 }),
      '422 #/order/note type',
    ],
    [
      'references of the wrong types',
      orderLine('a', '', { customerId: '1', userId: null }),
      '422 #/order/customerId type #/order/customerKey conflict #/order/customerKey min-length',
    ],
    ['an unknown status', orderLine('a', 'known', { status: 'lost' }), '422 #/order/status enum'],
    ['a wrong sum', orderLine('a', 'known', { total: 1 }), '422 #/order/total total'],
    [
      'a time to come',
      orderLine('a', 'known', { createdAt: '2026-03-01T09:30:00.001Z' }),
      '422 #/order/createdAt range',
    ],
    [
      'a time before 1970, and other issues',
      orderLine('', 'known', { createdAt: '1969-12-31T23:59:59Z', total: 1, customerId: 'x', note: 5 }),
      '422 #/key min-length #/order/createdAt range #/order/customerId type #/order/customerKey conflict ' +
        '#/order/note type #/order/total total',
    ],
    ['no time', orderLine('a', 'known', { createdAt: 'today' }), '422 #/order/createdAt pattern'],
    ['too long', `{"key":"${'k'.repeat(65_536)}"}`, '413 # content-too-large'],
    ['far too long', 'x'.repeat(1_000_000), '413 # content-too-large'],
  ];
  let token = '';
  const service = sharedService({}, async (started) => {
    token = await rootToken(started);
    await importLines(started, token, [customerLine('known')]);
  });

  for (const [name, line, answer] of bad)
    test(`an invalid line is rejected alone: ${name}`, async () => {
      const around = [customerLine(`before ${name}`), customerLine(`after ${name}`)];
      const results = await importLines(service(), token, [around[0], line, around[1]]);
      assert.deepEqual(results.map(summaryOf), ['1 201', `2 ${answer}`, '3 201']);
    });

  test('a line of invalid UTF-8 is rejected alone', async () => {
    const body = Buffer.concat([
      Buffer.from('{"key":"a","customer":{"name":"'),
      Buffer.from([0xff]),
      Buffer.from('"}}\n'),
    ]);
    const { text } = await sendImport(service(), body, { token });
    assert.deepEqual(resultsOf(text).map(summaryOf), ['1 400 # malformed-json']);
  });

  test('a line of the maximum length is accepted', async () => {
    const [start, end] = ['{"key":"long","customer":{"name":"Ada"', '}}'];
    const line = start + ' '.repeat(65_536 - start.length - end.length) + end;
    assert.deepEqual((await importLines(service(), token, [line])).map(summaryOf), ['1 201']);
  });
});
