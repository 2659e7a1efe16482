// Bodies are parsed strictly: text that two parsers could interpret differently is rejected.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertIssues } from '../../support/resource-support.ts';
import type { TestResponse, Person } from '../../support/service.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';

const nested = (depth: number): string =>
  `{"name":"Ada","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
const bytes = (...parts: (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string))); // both are overloads

describe('strict JSON', () => {
  let ada: Person;
  const service = sharedService({}, async (started) => {
    ada = await started.person();
  });
  const post = (body: string | Buffer, path = '/customers'): Promise<TestResponse> =>
    service().post(path, { token: ada.token, body });

  const malformed: readonly (readonly [what: string, body: string | Buffer])[] = [
    ['an empty body', ''],
    ['only blanks', ' \r\n\t'],
    ['a member named twice', '{"name":"Ada","name":"Bob"}'],
    ['a member named twice with the same value', '{"name":"Ada","name":"Ada"}'],
    ['a member named twice, once in an escaped spelling', '{"name":"Ada","n\\u0061me":"Bob"}'],
    ['a member named twice in escaped spellings of two cases', '{"\\u006Eame":"Ada","\\u006eame":"Bob"}'],
    ['a member named twice in a nested object', '{"name":"Ada","address":{"city":"A","city":"B"}}'],
    ['a member named twice in an object of a list', '{"name":"Ada","x":[{"a":1},{"a":1,"a":2}]}'],
    ['__proto__ twice', '{"name":"Ada","__proto__":1,"__proto__":2}'],
    ['an empty name twice', '{"":1,"":2}'],
    ['a name with quotes and colons twice', '{"a\\":":1,"a\\":":2}'],
    ['a name twice under a value that is a deep string', '{"x":"\\\\","x":"{\\"y\\":1}"}'],
    ['a byte that is no UTF-8', bytes('{"name":"', [0xff], '"}')],
    ['an overlong UTF-8 sequence', bytes('{"name":"', [0xc0, 0xaf], '"}')],
    ['a surrogate in UTF-8', bytes('{"name":"', [0xed, 0xa0, 0x80], '"}')],
    ['a code point past U+10FFFF', bytes('{"name":"', [0xf4, 0x90, 0x80, 0x80], '"}')],
    ['a sequence cut short', bytes('{"name":"', [0xe2, 0x82], '"}')],
    ['Latin-1', Buffer.from('{"name":"Zoë"}', 'latin1')],
    ['UTF-16', Buffer.from('{"name":"Ada"}', 'utf16le')],
    ['a byte-order mark', bytes([0xef, 0xbb, 0xbf], '{"name":"Ada"}')],
    ['a leading surrogate alone', '{"name":"\\ud83d"}'],
    ['a trailing surrogate alone', '{"name":"\\uDE00"}'],
    ['surrogates the wrong way round', '{"name":"\\ude00\\ud83d"}'],
    ['half a surrogate pair in a name', '{"name":"Ada","\\ud83d":1}'],
    ['half a surrogate pair in a list', '{"name":"Ada","x":["\\ud83d"]}'],
    ['nesting 17 deep', nested(17)],
    ['nesting 17 deep in objects', `${'{"a":'.repeat(17)}1${'}'.repeat(17)}`],
    ['brackets without end', '['.repeat(60_000)],
    ['text after the end', '{"name":"Ada"}x'],
    ['a second value after the end', '{"name":"Ada"}{"name":"Bob"}'],
    ['a NUL after the end', '{"name":"Ada"}\0'],
    ['a body cut short', '{"name":"Ada"'],
    ['a string without end', '{"name":"Ada}'],
    ['a comma at the end', '{"name":"Ada",}'],
    ['single quotes', "{'name':'Ada'}"],
    ['a name without quotes', '{name:"Ada"}'],
    ['a comment', '{"name":"Ada"/* really */}'],
    ['NaN', '{"name":NaN}'],
    ['Infinity', '{"name":-Infinity}'],
    ['a leading zero', '{"userId":01}'],
    ['a leading plus', '{"userId":+1}'],
    ['a leading zero of a number that is rounded', '{"userId":01e-400}'],
    ['a hexadecimal number', '{"userId":0x1}'],
    ['a number that ends with its point', '{"userId":1.}'],
    ['a raw line break in a string', '{"name":"A\nda"}'],
    ['a form', 'name=Ada'],
    ['undefined', 'undefined'],
  ];
  for (const [what, body] of malformed) {
    test(`${what} is malformed-json in both interfaces`, async () => {
      assertProblem(await post(body), 'malformed-json');
      assertProblem(await post(body, '/api/keys'), 'malformed-json');
    });
  }

  test('the place of a syntax error is reported, but no part of the body', async () => {
    const { body } = await post('{\n  "name": "Ada",\n  "secret" "hunter2"\n}');
    assert.match(body.detail, /line 3, column 12/);
    assert.doesNotMatch(JSON.stringify(body), /hunter2|secret/);
  });

  test('the place of a syntax error after a number that is rounded is reported', async () => {
    const { body } = await post('{"userId":-0.99999999999999999999, "x" 1}');
    assert.match(body.detail, /line 1, column 40/);
  });

  const taken: readonly (readonly [what: string, body: string, name: string])[] = [
    [
      'colons, braces and escaped quotes within strings are not structure',
      '{"name":"{\\"a\\":1,\\"a\\":[[[[[[[[[[[[[[[[[[[["}',
      '{"a":1,"a":[[[[[[[[[[[[[[[[[[[[',
    ],
    ['a string may end in a backslash', '{"name":"a\\\\"}', 'a\\'],
    ['an escaped quote may follow an escaped backslash', '{"name":"a\\\\\\":1"}', 'a\\":1'],
    ['a whole surrogate pair in escapes is one character', '{"name":"\\ud83d\\ude00"}', '😀'],
    ['an escaped backslash before u is no escape of a surrogate', '{"name":"\\\\ud83d"}', '\\ud83d'],
    ['characters beyond ASCII come back as they were', '{"name":"Zoë 東京 😀"}', 'Zoë 東京 😀'],
    ['a name in an escaped spelling is that name', '{"n\\u0061me":"Ada"}', 'Ada'],
    ['blanks around everything do no harm', ' \n{ "name" :\t"Ada" } \r\n', 'Ada'],
  ];
  for (const [what, body, name] of taken) {
    test(what, async () => {
      const response = await post(body);
      assert.deepEqual([response.status, response.body.name], [201, name]);
    });
  }

  const unfit: readonly (readonly [what: string, body: string, issue: string])[] = [
    ['nesting 16 deep is read, and then is an unknown member', nested(16), '#/x unknown-member'],
    [
      '__proto__ is a member like any unknown one',
      '{"name":"Ada","__proto__":{"role":"admin"}}',
      '#/__proto__ unknown-member',
    ],
    [
      'constructor is a member like any unknown one',
      '{"name":"Ada","constructor":1}',
      '#/constructor unknown-member',
    ],
    ['toString is a member like any unknown one', '{"name":"Ada","toString":1}', '#/toString unknown-member'],
    ['1e400 is past the maximum', '{"name":"Ada","userId":1e400}', '#/userId maximum'],
    ['-1e400 is below the minimum', '{"name":"Ada","userId":-1e400}', '#/userId minimum'],
    ['-0 is below a minimum of 1', '{"name":"Ada","userId":-0}', '#/userId minimum'],
    ['2^53 is past the maximum', '{"name":"Ada","userId":9007199254740992}', '#/userId maximum'],
    [
      'an integer of thirty digits is past the maximum',
      '{"name":"Ada","userId":123456789012345678901234567890}',
      '#/userId maximum',
    ],
    ['a fraction is no integer', '{"name":"Ada","userId":1.5}', '#/userId type'],
    ['a number in quotes is no integer', '{"name":"Ada","userId":"1"}', '#/userId type'],
    [
      'a name that needs escaping in a pointer is escaped',
      '{"name":"Ada","a/b~c d":1}',
      '#/a~1b~0c%20d unknown-member',
    ],
    ['a list is no object', '[]', '# type'],
    ['null is no object', 'null', '# type'],
    ['a string is no object', '"name"', '# type'],
  ];
  for (const [what, body, issue] of unfit) {
    test(what, async () => {
      assertIssues(await post(body), 422, [issue]);
    });
  }

  const numbers: readonly (readonly [written: string, quantity: number | undefined])[] = [
    ['1.0', 1],
    ['1e3', 1_000],
    ['1E+3', 1_000],
    ['1.5e1', 15],
    ['1000e-3', 1],
    ['100000000000000000000e-20', 1],
    ['1.000000000000000000000000', 1],
    ['0.0000000000000000000001e22', 1],
    ['0.9999999999999999999999', undefined],
    ['9.9999999999999999999e-1', undefined],
    ['1.0000000000000000000001', undefined],
    ['1000000.00000000001', undefined],
    ['999999999999999999999999e-24', undefined],
    ['-1e-400', undefined],
    ['1e-400', undefined],
    ['99.99999999999999999999', undefined],
    ['1.5', undefined],
  ];
  for (const [written, quantity] of numbers) {
    test(`${written} is ${quantity === undefined ? 'no integer' : `the integer ${quantity}`}`, async () => {
      const { id } = (await post('{"name":"Ada"}')).body;
      const items = [`{"name":"Tea","quantity":${written},"unitPrice":1}`];
      if (quantity === undefined) items.push('{"name":""}');
      const response = await post(
        `{"customerId":${id},"currency":"EUR","items":[${items.join()}]}`,
        '/orders',
      );
      if (quantity === undefined)
        assertIssues(response, 422, [
          '#/items/0/quantity type',
          '#/items/1/name min-length',
          '#/items/1/quantity required',
          '#/items/1/unitPrice required',
        ]);
      else assert.equal(response.body.items[0].quantity, quantity);
    });
  }

  test('-0, 1.0 and 1e0 are integers: zero and one', async () => {
    const customer = await post('{"name":"Ada"}');
    const items = '[{"name":"Tea","quantity":1e0,"unitPrice":-0}]';
    const order = `{"customerId":${customer.body.id}.0,"currency":"EUR","items":${items}}`;
    const { status, text, body } = await post(order, '/orders');
    assert.equal(status, 201);
    assert.deepEqual([body.items[0].quantity, body.items[0].unitPrice, body.total], [1, 0, 0]);
    assert.doesNotMatch(text, /:-0|1\.0|1e0/);
  });

  test('2^53−1 is an id like any other', async () => {
    assertProblem(await post('{"name":"Ada","userId":9007199254740991}'), 'forbidden');
  });
});
