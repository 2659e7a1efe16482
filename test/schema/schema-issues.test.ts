// Issues of values that don't fit a schema: where they are, and how many are reported.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits, schemaIssues, issuesMax } from '../../src/schema/schema-check.ts';
import { array, boolean, object, optional, ruleFor, type JsonSchema } from '../../src/schema/schema.ts';
import { type Row, word, anything, even, count, color, list, pair, span, summary } from './schema-support.ts';

const nested = object({
  items: array(object({ size: object({ 'a/b': count, 'c~d': optional(count), '': optional(count) }) }), {
    maxItems: 5,
  }),
});
const rows: readonly Row[] = [
  [
    'deep in an array',
    nested,
    { items: [{ size: { 'a/b': 1 } }, { size: { 'a/b': 9 } }] },
    '/items/1/size/a~1b maximum: items[1].size.a/b must be at most 3.',
  ],
  [
    'under a name with a tilde',
    nested,
    { items: [{ size: { 'a/b': 1, 'c~d': 9 } }] },
    '/items/0/size/c~0d maximum: items[0].size.c~d must be at most 3.',
  ],
  [
    'under the empty name',
    nested,
    { items: [{ size: { 'a/b': 1, '': 9 } }] },
    '/items/0/size/ maximum: items[0].size. must be at most 3.',
  ],
  [
    'what is missing is where it would be',
    nested,
    { items: [{ size: {} }] },
    '/items/0/size/a~1b required: items[0].size.a/b is required.',
  ],
  [
    'an array in an array',
    array(list, { maxItems: 2 }),
    [[1], [1, 0]],
    '/1/1 minimum: [1][1] must be at least 1.',
  ],
];
for (const [what, schema, value, ...issues] of rows)
  test(`the location of an issue: ${what}`, () =>
    assert.deepEqual(schemaIssues(schema, value).map(summary), issues));

const ends = object({ from: count, to: count });
/** The rule about the order of spans needs only their ends. */
const rules = object(
  {
    left: count,
    right: count,
    name: word,
    spans: array(object({ from: count, to: count, left: optional(count) }), { maxItems: 2 }),
  },
  {},
  [
    ruleFor({ spans: array(ends, { maxItems: 2 }) }, ({ spans }) =>
      spans.some(({ from, to }) => from > to)
        ? [{ pointer: '/spans', code: 'order', detail: 'A span ends before it begins.' }]
        : [],
    ),
  ],
);

test('all issues of a value are reported together, each once', () => {
  const schema = object({ name: word, color, counts: list, flag: boolean(), size: pair, absent: anything });
  const value = {
    name: 'A',
    color: 'blue',
    counts: [0, 1, 2],
    flag: 0,
    size: { right: 'x', up: 1 },
    extra: null,
  };
  assert.deepEqual(
    schemaIssues(schema, value).map(({ pointer, code }) => `${pointer} ${code}`),
    [
      '/name min-length',
      '/color enum',
      '/counts max-items',
      '/counts/0 minimum',
      '/flag type',
      '/size/right type',
      '/size/up unknown-member',
      '/size/left required',
      '/extra unknown-member',
      '/absent required',
    ],
  );
});

test('the long name of an unknown member is not repeated whole', () => {
  const [issue, ...others] = schemaIssues(object({ size: pair }), {
    size: { right: 1, left: 1, ['é'.repeat(30_000)]: 1 },
  });
  const detail = `Unknown member "size.${'é'.repeat(100)}…". Supported: left, right.`;
  assert.deepEqual([issue, others], [{ pointer: '/size', code: 'unknown-member', detail }, []]);
});

test('a rule is applied even if members that it does not need are invalid', () => {
  const value = { left: 'x', right: 1, up: 1, spans: [{ from: 2, to: 1, left: 0, up: 1 }] };
  assert.deepEqual(
    schemaIssues(rules, value).map(({ pointer, code }) => `${pointer} ${code}`),
    [
      '/left type',
      '/up unknown-member',
      '/spans/0/left minimum',
      '/spans/0/up unknown-member',
      '/name required',
      '/spans order',
    ],
  );
});

test('a rule is applied without a member that it needs only if that may be absent', () => {
  const found = () => [{ code: 'rule', detail: 'The rule was applied.' }];
  const strict = object({ left: count, right: count }, {}, [ruleFor({ left: count, right: count }, found)]);
  const lax = object({ left: count, right: optional(count) }, {}, [
    ruleFor({ left: count, right: optional(count) }, found),
  ]);
  const codes = (schema: JsonSchema, value: object) => schemaIssues(schema, value).map(({ code }) => code);
  assert.deepEqual(codes(strict, { left: 1 }), ['required']);
  assert.deepEqual(codes(strict, { left: 1, right: 1 }), ['rule']);
  assert.deepEqual(codes(lax, { left: 1, up: 1 }), ['unknown-member', 'rule']);
  assert.deepEqual(codes(lax, { left: 1, right: 9 }), ['maximum']);
});

test('a rule of one object is applied even if another object does not fit', () => {
  const issues = schemaIssues(object({ first: span, second: span }), {
    first: { from: 2, to: 1 },
    second: { from: 9, to: 1 },
  });
  assert.deepEqual(
    issues.map(({ pointer }) => pointer),
    ['/first/to', '/second/from'],
  );
});

test('a hundred and one of many issues of members are reported, which shows that there are more', () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`m${index}`, 1]));
  assert.equal(schemaIssues(object({}), many).length, issuesMax + 1);
});

test('a hundred and one of many issues of items, missing members and texts are reported', () => {
  const item = object({ a: anything, b: even, c: count });
  const values = Array.from({ length: 90 }, () => ({ b: 'abc', c: 0 }));
  assert.equal(schemaIssues(array(item, { maxItems: 90 }), values).length, issuesMax + 1);
});

test('a hundred and one of many issues of objects’ rules are reported', () => {
  assert.equal(
    schemaIssues(
      array(span, { maxItems: 150 }),
      Array.from({ length: 150 }, () => ({ from: 2, to: 1 })),
    ).length,
    issuesMax + 1,
  );
});

test('a value with a hundred issues or more is never taken for valid', () => {
  assert.equal(
    fits(object({}), Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`m${index}`, 1]))),
    false,
  );
});
