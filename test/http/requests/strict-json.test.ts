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

  const malformed: Readonly<Record<string, string | Buffer>> = {
    'an empty body': '',
    'only blanks': ' \r\n\t',
    'a member named twice': '{"name":"Ada","name":"Bob"}',
    'a member named twice with the same value': '{"name":"Ada","name":"Ada"}',
    'a member named twice, once in an escaped spelling': '{"name":"Ada","n\\u0061me":"Bob"}',
    'a member named twice in escaped spellings of two cases': '{"\\u006Eame":"Ada","\\u006eame":"Bob"}',
    'a member named twice in a nested object': '{"name":"Ada","address":{"city":"A","city":"B"}}',
    'a member named twice in an object of a list': '{"name":"Ada","x":[{"a":1},{"a":1,"a":2}]}',
    '__proto__ twice': '{"name":"Ada","__proto__":1,"__proto__":2}',
    'an empty name twice': '{"":1,"":2}',
    'a name with quotes and colons twice': '{"a\\":":1,"a\\":":2}',
    'a name twice under a value that is a deep string': '{"x":"\\\\","x":"{\\"y\\":1}"}',
    'a byte that is no UTF-8': bytes('{"name":"', [0xff], '"}'),
    'an overlong UTF-8 sequence': bytes('{"name":"', [0xc0, 0xaf], '"}'),
    'a surrogate in UTF-8': bytes('{"name":"', [0xed, 0xa0, 0x80], '"}'),
    'a code point past U+10FFFF': bytes('{"name":"', [0xf4, 0x90, 0x80, 0x80], '"}'),
    'a sequence cut short': bytes('{"name":"', [0xe2, 0x82], '"}'),
    'Latin-1': Buffer.from('{"name":"Zoë"}', 'latin1'),
    'UTF-16': Buffer.from('{"name":"Ada"}', 'utf16le'),
    'a byte-order mark': bytes([0xef, 0xbb, 0xbf], '{"name":"Ada"}'),
    'a leading surrogate alone': '{"name":"\\ud83d"}',
    'a trailing surrogate alone': '{"name":"\\uDE00"}',
    'surrogates the wrong way round': '{"name":"\\ude00\\ud83d"}',
    'half a surrogate pair in a name': '{"name":"Ada","\\ud83d":1}',
    'half a surrogate pair in a list': '{"name":"Ada","x":["\\ud83d"]}',
    'nesting 17 deep': nested(17),
    'nesting 17 deep in objects': `${'{"a":'.repeat(17)}1${'}'.repeat(17)}`,
    'brackets without end': '['.repeat(60_000),
    'text after the end': '{"name":"Ada"}x',
    'a second value after the end': '{"name":"Ada"}{"name":"Bob"}',
    'a NUL after the end': '{"name":"Ada"}\0',
    'a body cut short': '{"name":"Ada"',
    'a string without end': '{"name":"Ada}',
    'a comma at the end': '{"name":"Ada",}',
    'single quotes': "{'name':'Ada'}",
    'a name without quotes': '{name:"Ada"}',
    'a comment': '{"name":"Ada"/* really */}',
    NaN: '{"name":NaN}',
    Infinity: '{"name":-Infinity}',
    'a leading zero': '{"userId":01}',
    'a leading plus': '{"userId":+1}',
    'a leading zero of a number that is rounded': '{"userId":01e-400}',
    'a hexadecimal number': '{"userId":0x1}',
    'a number that ends with its point': '{"userId":1.}',
    'a raw line break in a string': '{"name":"A\nda"}',
    'a form': 'name=Ada',
    undefined: 'undefined',
  };
  for (const [what, body] of Object.entries(malformed))
    test(`${what} is malformed-json in both interfaces`, async () => {
      assertProblem(await post(body), 'malformed-json');
      assertProblem(await post(body, '/api/keys'), 'malformed-json');
    });

  test('the place of a syntax error is reported, but no part of the body, even after a number that is rounded', async () => {
    const { body } = await post('{\n  "name": "Ada",\n  "secret" "hunter2"\n}');
    assert.match(body.detail, /line 3, column 12/);
    assert.doesNotMatch(JSON.stringify(body), /hunter2|secret/);
    const rounded = await post('{"userId":-0.99999999999999999999, "x" 1}');
    assert.match(rounded.body.detail, /line 1, column 40/);
  });

  const taken: Readonly<Record<string, readonly [body: string, name: string]>> = {
    'colons, braces and escaped quotes within strings are not structure': [
      '{"name":"{\\"a\\":1,\\"a\\":[[[[[[[[[[[[[[[[[[[["}',
      '{"a":1,"a":[[[[[[[[[[[[[[[[[[[[',
    ],
    'a string may end in a backslash': ['{"name":"a\\\\"}', 'a\\'],
    'an escaped quote may follow an escaped backslash': ['{"name":"a\\\\\\":1"}', 'a\\":1'],
    'a whole surrogate pair in escapes is one character': ['{"name":"\\ud83d\\ude00"}', '😀'],
    'an escaped backslash before u is no escape of a surrogate': ['{"name":"\\\\ud83d"}', '\\ud83d'],
    'characters beyond ASCII come back as they were': ['{"name":"Zoë 東京 😀"}', 'Zoë 東京 😀'],
    'a name in an escaped spelling is that name': ['{"n\\u0061me":"Ada"}', 'Ada'],
    'blanks around everything do no harm': [' \n{ "name" :\t"Ada" } \r\n', 'Ada'],
  };
  for (const [what, [body, name]] of Object.entries(taken))
    test(what, async () => {
      const response = await post(body);
      assert.deepEqual([response.status, response.body.name], [201, name]);
    });

  test('nesting 16 deep is read', async () =>
    assertIssues(await post(nested(16)), 422, ['#/x unknown-member']));

  /** Members beside a name, by their issue. */
  const unfit: Readonly<Record<string, readonly string[]>> = {
    '#/__proto__ unknown-member': ['"__proto__":{"role":"admin"}'],
    '#/constructor unknown-member': ['"constructor":1'],
    '#/toString unknown-member': ['"toString":1'],
    '#/a~1b~0c%20d unknown-member': ['"a/b~c d":1'],
    '#/userId maximum': ['1e400', '9007199254740992', '123456789012345678901234567890'].map(ofUser),
    '#/userId minimum': ['-1e400', '-0'].map(ofUser),
    '#/userId type': ['1.5', '"1"'].map(ofUser),
  };
  for (const [issue, all] of Object.entries(unfit))
    for (const members of all)
      test(`${members} is valid JSON: ${issue}`, async () =>
        assertIssues(await post(`{"name":"Ada",${members}}`), 422, [issue]));

  for (const body of ['[]', 'null', '"name"'])
    test(`${body} is no object`, async () => assertIssues(await post(body), 422, ['# type']));

  /** Numbers by the integer that they are; none if they are no integer. */
  const numbers: Readonly<Record<string, string>> = {
    1: '1.0 1e0 1000e-3 100000000000000000000e-20 1.000000000000000000000000 0.0000000000000000000001e22',
    15: '1.5e1',
    1000: '1e3 1E+3',
    none:
      '0.9999999999999999999999 9.9999999999999999999e-1 1.0000000000000000000001 1000000.00000000001 ' +
      '999999999999999999999999e-24 -1e-400 1e-400 99.99999999999999999999 1.5',
  };
  const orderOf = (id: string, ...items: readonly string[]): Promise<TestResponse> =>
    post(`{"customerId":${id},"currency":"EUR","items":[${items.join()}]}`, '/orders');
  for (const [integer, all] of Object.entries(numbers))
    for (const written of all.split(' '))
      test(`${written} is ${integer === 'none' ? 'no integer' : `the integer ${integer}`}`, async () => {
        const { id } = (await post('{"name":"Ada"}')).body;
        const item = `{"name":"Tea","quantity":${written},"unitPrice":1}`;
        if (integer !== 'none') {
          const { body } = await orderOf(id, item);
          return assert.equal(body.items[0].quantity, Number(integer));
        }
        assertIssues(await orderOf(id, item, '{"name":""}'), 422, [
          '#/items/0/quantity type',
          '#/items/1/name min-length',
          '#/items/1/quantity required',
          '#/items/1/unitPrice required',
        ]);
      });

  test('-0 and an id with a fraction of zero are integers, and come back as such', async () => {
    const { id } = (await post('{"name":"Ada"}')).body;
    const { text, body } = await orderOf(`${id}.0`, '{"name":"Tea","quantity":1e0,"unitPrice":-0}');
    assert.deepEqual([body.items[0].quantity, body.items[0].unitPrice, body.total], [1, 0, 0]);
    assert.doesNotMatch(text, /:-0|1\.0|1e0/);
  });

  test('2^53−1 is an id like any other', async () => {
    assertProblem(await post('{"name":"Ada","userId":9007199254740991}'), 'forbidden');
  });
});

function ofUser(id: string): string {
  return `"userId":${id}`;
}
