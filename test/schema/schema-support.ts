// For the tests of schemas.
import {
  array,
  integer,
  object,
  oneOf,
  optional,
  ruleFor,
  string,
  type Issue,
  type JsonSchema,
} from '../../src/schema/schema.ts';

/** A value, and the summaries of its issues. */
export type Row = readonly [what: string, schema: JsonSchema, value: unknown, ...issues: string[]];

// one code point of two UTF-16 units
export const word = string({
  minLength: 2,
  maxLength: 4,
  pattern: '^[a-z\u{1f375}]+$',
  mustBe: 'a word of small letters',
});

export const anything = string({ maxLength: 100 });

export const even = string({
  maxLength: 3,
  rule: (text) => (text.length % 2 === 0 ? undefined : `${text} is odd.`),
});

export const count = integer({ minimum: 1, maximum: 3 });
export const cents = integer({ mustBe: 'an integer of cents' });

export const color = oneOf(['red', 'green']);

export const list = array(count, { minItems: 1, maxItems: 2 });

export const pair = object({ left: count, right: optional(count) });

export const span = object({ from: count, to: count }, {}, [
  ruleFor({ from: count, to: count }, ({ from, to }) =>
    from > to ? [{ pointer: '/to', code: 'order', detail: 'to must not be before from.' }] : [],
  ),
]);

/** Without a pointer the issue is that of the whole value. */
export function summary({ pointer = '', code, detail }: Issue): string {
  return `${pointer} ${code}: ${detail}`.trimStart();
}
