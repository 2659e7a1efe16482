// Issues of values that don't fit a schema: where they are, and how many are reported.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { issuesMax } from '../../src/limits.ts';
import { check, fits } from '../../src/schema/schema-check.ts';
import { array, boolean, object, optional } from '../../src/schema/schema.ts';
import { type Row, word, anything, even, count, color, list, pair, span, summary } from './schema-support.ts';

suite('where an issue is', () => {
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
      ['"/items/1/size/a~1b" maximum: items[1].size.a/b must be at most 3.'],
    ],
    [
      'under a name with a tilde',
      nested,
      { items: [{ size: { 'a/b': 1, 'c~d': 9 } }] },
      ['"/items/0/size/c~0d" maximum: items[0].size.c~d must be at most 3.'],
    ],
    [
      'under the empty name',
      nested,
      { items: [{ size: { 'a/b': 1, '': 9 } }] },
      ['"/items/0/size/" maximum: items[0].size. must be at most 3.'],
    ],
    [
      'what is missing is where it would be',
      nested,
      { items: [{ size: {} }] },
      ['"/items/0/size/a~1b" required: items[0].size.a/b is required.'],
    ],
    [
      'an array in an array',
      array(list, { maxItems: 2 }),
      [[1], [1, 0]],
      ['"/1/1" minimum: [1][1] must be at least 1.'],
    ],
  ];
  for (const [what, schema, value, issues] of rows)
    test(what, () => assert.deepEqual(check(schema, value).map(summary), issues));
});

suite('how many issues are reported', () => {
  test('all at once, each once', () => {
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
      check(schema, value).map(({ pointer, code }) => `${pointer} ${code}`),
      [
        '/name min-length',
        '/color enum',
        '/counts max-items',
        '/flag type',
        '/size/right type',
        '/size/up unknown-member',
        '/size/left required',
        '/extra unknown-member',
        '/absent required',
      ],
    );
  });

  test('a rule of one object is asked though another does not fit', () => {
    const issues = check(object({ first: span, second: span }), {
      first: { from: 2, to: 1 },
      second: { from: 9, to: 1 },
    });
    assert.deepEqual(
      issues.map(({ pointer }) => pointer),
      ['/first/to', '/second/from'],
    );
  });

  test('at most a hundred: of members', () => {
    const many = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`m${index}`, 1]));
    assert.equal(check(object({}), many).length, issuesMax);
  });

  test('at most a hundred: of items, missing members and texts', () => {
    const item = object({ a: anything, b: even, c: count });
    const values = Array.from({ length: 90 }, () => ({ b: 'abc', c: 0 }));
    assert.equal(check(array(item, { maxItems: 90 }), values).length, issuesMax);
  });

  test('at most a hundred: of objects’ rules', () => {
    assert.equal(
      check(
        array(span, { maxItems: 150 }),
        Array.from({ length: 150 }, () => ({ from: 2, to: 1 })),
      ).length,
      issuesMax,
    );
  });

  test('a hundred issues or more are never taken for none', () => {
    assert.equal(
      fits(object({}), Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`m${index}`, 1]))),
      false,
    );
  });
});
