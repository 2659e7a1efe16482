// The schema of an object's patch, and texts of query parameters.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { fromText, schemaIssues } from '../../src/schema/schema-check.ts';
import {
  array,
  boolean,
  named,
  nullable,
  object,
  partial,
  type JsonSchema,
} from '../../src/schema/schema.ts';
import { type Row, word, anything, count, list, span, summary } from './schema-support.ts';

const whole = object({
  name: word,
  size: nullable(object({ width: count, height: count })),
  spans: array(span, { maxItems: 2 }),
  note: nullable(anything),
});
const patch = partial(named('Whole', whole));
const rows: readonly Row[] = [
  ['may be empty', patch, {}],
  ['may name one member of an inner object', patch, { size: { width: 2 } }],
  ['has null where the whole has', patch, { size: null, note: null }],
  [
    'has no null where the whole has none',
    patch,
    { name: null },
    '/name type: name must be a string, not null.',
  ],
  ['has arrays whole', patch, { spans: [{ from: 1 }] }, '/spans/0/to required: spans[0].to is required.'],
  [
    'checks what it names',
    patch,
    { name: 'A', size: { width: 9 } },
    '/name min-length: name must have at least 2 characters.',
    '/size/width maximum: size.width must be at most 3.',
  ],
  [
    'knows no more members',
    patch,
    { size: { depth: 1 } },
    '/size/depth unknown-member: Unknown member "size.depth". Supported: width, height.',
  ],
  [
    'applies a rule whose members are all sent',
    partial(span),
    { from: 3, to: 1 },
    '/to order: to must not be before from.',
  ],
  ['leaves a rule to the whole, if one of its members is absent', partial(span), { from: 3 }],
];
for (const [what, schema, value, ...issues] of rows)
  test(`the patch of an object ${what}`, () =>
    assert.deepEqual(schemaIssues(schema, value).map(summary), issues));

test('the schema of a patch doesn’t have the name of the whole object’s schema', () =>
  assert.equal(patch['title'], undefined));

suite('the text of a query parameter is read as', () => {
  const rows: readonly (readonly [what: string, schema: JsonSchema, text: string, value: unknown])[] = [
    ['digits, an integer', count, '2', 2],
    ['a sign', count, '-2', -2],
    ['no plus', count, '+2', '+2'],
    ['no leading zero', count, '02', '02'],
    ['no fraction', count, '2.0', '2.0'],
    ['no exponent', count, '2e0', '2e0'],
    ['no blank', count, ' 2', ' 2'],
    ['nothing is no number', count, '', ''],
    ['too many digits', count, '1'.repeat(17), '1'.repeat(17)],
    ['true', boolean(), 'true', true],
    ['false', boolean(), 'false', false],
    ['no other truth', boolean(), '1', '1'],
    ['a list between commas', list, '1,x', ['1', 'x']],
    ['one element', list, '', ['']],
    ['a text as it is', anything, 'true', 'true'],
  ];
  for (const [what, schema, text, value] of rows)
    test(`the text of a query parameter is read as ${what}`, () =>
      assert.deepEqual(fromText(schema, text), value));
});
