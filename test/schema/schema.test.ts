// The schemas: valid values for each keyword, how issues are reported, and the JSON Schema shown.
// test/tools/check-api.ts compares them with Ajv.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { fits, schemaIssues } from '../../src/schema/schema-check.ts';
import {
  array,
  boolean,
  integer,
  named,
  nullable,
  nullableBase,
  object,
  oneOf,
  optional,
  string,
  type JsonSchema,
} from '../../src/schema/schema.ts';
import {
  type Row,
  word,
  anything,
  cents,
  even,
  count,
  color,
  list,
  pair,
  span,
  summary,
} from './schema-support.ts';

const tea = '\u{1f375}';

const rows: readonly Row[] = [
  ['a text', anything, ''],
  ['a number for a text', word, 7, 'type: The body must be a string.'],
  ['null for a text', word, null, 'type: The body must be a string, not null.'],
  ['an array for a text', word, ['ab'], 'type: The body must be a string.'],
  ['undefined for a text', word, undefined, 'type: The body must be a string.'],
  ['a text as long as minLength', word, 'ab'],
  ['a text shorter than minLength', word, 'a', 'min-length: The body must have at least 2 characters.'],
  ['an empty text where one is needed', word, '', 'min-length: The body must not be empty.'],
  ['a text as long as maxLength', word, 'abcd'],
  ['a text longer than maxLength', word, 'abcde', 'max-length: The body must have at most 4 characters.'],
  ['four code points of eight units for maxLength 4', word, tea.repeat(4)],
  [
    'five code points for maxLength 4',
    word,
    tea.repeat(5),
    'max-length: The body must have at most 4 characters.',
  ],
  [
    'one code point of two units for minLength 2',
    word,
    tea,
    'min-length: The body must have at least 2 characters.',
  ],
  ['two code points for minLength 2', word, tea + tea],
  [
    'a combining mark is a code point of its own',
    string({ maxLength: 1 }),
    'e\u0301',
    'max-length: The body must have at most 1 character.',
  ],
  ['a text that the pattern is not of', word, 'AB', 'pattern: The body must be a word of small letters.'],
  [
    'a pattern without a sentence',
    string({ maxLength: 9, pattern: '^a' }),
    'b',
    'pattern: The body has an invalid format.',
  ],
  ['a pattern that counts code points', string({ maxLength: 9, pattern: '^.$' }), tea],
  [
    'the length is reported before the pattern',
    word,
    'ABCDE',
    'max-length: The body must have at most 4 characters.',
  ],
  ['a text that a rule beyond JSON Schema lets through', even, 'ab'],
  ['a text that it does not', even, 'abc', 'format: abc is odd.'],
  [
    'a rule is not asked about what is too long',
    even,
    'abcde',
    'max-length: The body must have at most 3 characters.',
  ],

  ['one of an enum', color, 'red'],
  ['none of it', color, 'Red', 'enum: The body must be one of red, green.'],
  [
    'the name of an object’s inherited member',
    color,
    'constructor',
    'enum: The body must be one of red, green.',
  ],
  ['another than the only one', oneOf(['open']), 'paid', 'enum: The body must be open.'],
  ['a number for an enum', color, 1, 'type: The body must be a string.'],

  ['the least integer', count, 1],
  ['the largest', count, 3],
  ['less', count, 0, 'minimum: The body must be at least 1.'],
  ['more', count, 4, 'maximum: The body must be at most 3.'],
  ['a fraction', count, 1.5, 'type: The body must be an integer.'],
  ['an integer written with a fraction of nothing', count, JSON.parse('2.0')],
  ['an integer written with an exponent', count, JSON.parse('20e-1')],
  ['minus zero', integer({ minimum: 0 }), -0],
  ['a decimal amount', cents, 7.49, 'type: The body must be an integer of cents.'],
  ['digits', count, '2', 'type: The body must be an integer.'],
  ['true', count, true, 'type: The body must be an integer.'],
  ['the largest safe integer', integer(), 2 ** 53 - 1],
  ['one more', integer(), 2 ** 53, 'maximum: The body must be at most 9007199254740991.'],
  [
    'more than a number can be',
    integer(),
    JSON.parse('1e999'),
    'maximum: The body must be at most 9007199254740991.',
  ],

  ['true or false', boolean(), false],
  ['0 for false', boolean(), 0, 'type: The body must be true or false.'],
  ['a text for true', boolean(), 'true', 'type: The body must be true or false.'],
  ['null for false', boolean(), null, 'type: The body must be a boolean, not null.'],

  ['an array', list, [1, 2]],
  ['an object for an array', list, { length: 1, 0: 1 }, 'type: The body must be an array.'],
  ['too few items', list, [], 'min-items: The body must have at least 1 item.'],
  ['too many items', list, [1, 2, 3], 'max-items: The body must have at most 2 items, not 3.'],
  [
    'items that do not fit',
    list,
    [0, 'x'],
    '/0 minimum: [0] must be at least 1.',
    '/1 type: [1] must be an integer.',
  ],
  [
    'the same twice where all differ',
    array(color, { maxItems: 3, uniqueItems: true }),
    ['red', 'red'],
    'unique-items: The body must not contain duplicates.',
  ],
  ['the same twice where that is fine', array(color, { maxItems: 3 }), ['red', 'red']],

  ['an object', pair, { left: 1, right: 2 }],
  ['an object without what is optional', pair, { left: 1 }],
  ['an object without what is required', pair, { right: 1 }, '/left required: left is required.'],
  ['an optional member that is null is absent', pair, { left: 1, right: null }],
  [
    'a member that is not known',
    pair,
    { left: 1, up: 1 },
    '/up unknown-member: Unknown member "up". Supported: left, right.',
  ],
  ['any member', object({}), { a: 1 }, '/a unknown-member: Unknown member "a". Supported: none.'],
  [
    '__proto__ is a member like any other',
    pair,
    JSON.parse('{"left":1,"__proto__":{"right":9}}'),
    '/__proto__ unknown-member: Unknown member "__proto__". Supported: left, right.',
  ],
  [
    'an inherited name is no member',
    object({ toString: anything }),
    {},
    '/toString required: toString is required.',
  ],
  ['an array for an object', pair, [], 'type: The body must be an object.'],
  ['a text for an object', pair, 'x', 'type: The body must be an object.'],

  ['null where it may be', nullable(count), null],
  ['a value where null may be, too', nullable(count), 2],
  ['a wrong value where null may be, too', nullable(count), 9, 'maximum: The body must be at most 3.'],
  ['null in an enum that it may be in', nullable(color), null],
  ['an object’s rule, kept', span, { from: 1, to: 1 }],
  ['an object’s rule, broken', span, { from: 2, to: 1 }, '/to order: to must not be before from.'],
  [
    'an object’s rule is not asked while its members do not fit',
    span,
    { from: 2, to: 0 },
    '/to minimum: to must be at least 1.',
  ],
  [
    'an object’s rule says where from its own place',
    object({ spans: array(span, { maxItems: 2 }) }),
    {
      spans: [
        { from: 1, to: 2 },
        { from: 2, to: 1 },
      ],
    },
    '/spans/1/to order: to must not be before from.',
  ],
];
for (const [what, schema, value, ...issues] of rows) {
  test(`a value is checked against its schema: ${what}`, () => {
    assert.deepEqual(schemaIssues(schema, value).map(summary), issues);
    assert.equal(fits(schema, value), issues.length === 0);
  });
}

suite('the members of a schema are JSON Schema', () => {
  const shown = (schema: JsonSchema): unknown => JSON.parse(JSON.stringify(schema));
  const rows: readonly (readonly [what: string, schema: JsonSchema, json: object])[] = [
    ['a text', word, { type: 'string', minLength: 2, maxLength: 4, pattern: '^[a-z\u{1f375}]+$' }],
    ['a text with a rule says nothing of it', even, { type: 'string', maxLength: 3 }],
    [
      'an integer, always bounded: JSON Schema’s goes on past 2^53',
      integer(),
      { type: 'integer', format: 'int64', minimum: 1, maximum: 2 ** 53 - 1 },
    ],
    ['an enum', color, { type: 'string', enum: ['red', 'green'] }],
    [
      'an array',
      array(color, { minItems: 1, maxItems: 2, uniqueItems: true }),
      {
        type: 'array',
        items: { type: 'string', enum: ['red', 'green'] },
        minItems: 1,
        maxItems: 2,
        uniqueItems: true,
      },
    ],
    [
      'an object is closed, and names what it needs',
      object({ a: boolean(), b: optional(boolean()) }),
      {
        type: 'object',
        properties: { a: { type: 'boolean' }, b: { type: 'boolean' } },
        required: ['a'],
        additionalProperties: false,
      },
    ],
    [
      'an object that needs nothing',
      object({ b: optional(boolean()) }),
      { type: 'object', properties: { b: { type: 'boolean' } }, additionalProperties: false },
    ],
    [
      'what may be null',
      nullable(color, { description: 'or none' }),
      { type: ['string', 'null'], enum: ['red', 'green', null], description: 'or none' },
    ],
    ['what has a name', named('Color', color), { type: 'string', enum: ['red', 'green'], title: 'Color' }],
  ];
  for (const [what, schema, json] of rows) test(what, () => assert.deepEqual(shown(schema), json));

  test('a nullable schema has a reference to the named schema that it makes nullable', () => {
    const Color = named('Color', color);
    assert.equal(nullableBase(nullable(Color)), Color);
    assert.equal(nullableBase(nullable(color)), undefined);
    assert.equal(nullableBase(Color), undefined);
  });
});
