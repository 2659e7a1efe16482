// Random values for a JSON Schema, mostly valid, with some faults; the same ones for the same seed.
import type { Dice } from '../../http/requests/fuzz-values.ts';

type Keywords = { readonly [keyword: string]: unknown };

const oddities: readonly unknown[] = [
  ...[null, true, false, '', ' ', 'x', '7', '\u{1f375}', '\u0000', 'e\u0301', '\u2028'],
  ...[0, -1, 1, 1.5, 2 ** 53, -(2 ** 53), 1e300, 5e-324],
  ...[[], [[]], [null], {}, { a: 1 }, { length: 1 }],
];
const names = ['extra', '', 'constructor', '__proto__', 'a/b', 'toString', 'ID'];
/** Values of the right form that are invalid. */
const nearMisses = [
  ...['ZZ', 'ZZZ', '2026-02-30T09:30:00.000Z', '2026-03-01T24:00:00.000Z'],
  ...['a..b@example.com', 'a@-b.example', '+10000000'],
];
const signs = [...'aZ0 -_.@+\t\n\u0000\u0085\u2029ß\u{1f375}\u{10ffff}\ufeff\u200d'];

/** `faultRate`, 0 to 1, is how often a place of the value gets a random value instead. */
export function randomValue(schema: Keywords, random: Dice, faultRate: number): unknown {
  if (random.next() < faultRate / 2) return random.pick(oddities);
  const types = [schema['type']].flat();
  if (types.includes('null') && random.next() < 0.2) return null;
  switch (types[0]) {
    case 'string':
      return randomString(schema, random, faultRate);
    case 'integer':
      return randomInteger(schema, random, faultRate);
    case 'array':
      return randomArray(schema, random, faultRate);
    case 'object':
      return randomObject(schema, random, faultRate);
    default:
      return random.next() < 0.5;
  }
}

function randomString(schema: Keywords, random: Dice, faultRate: number): string {
  const known = [schema['enum'] ?? schema['examples'] ?? ['2026-03-01T09:30:00.000Z']]
    .flat()
    .filter((each) => typeof each === 'string');
  const text = random.pick(known);
  if (random.next() >= faultRate) return text;
  const letters = [...text];
  const at = random.below(letters.length + 1);
  const { minLength = 0, maxLength = 10 } = schema as { minLength?: number; maxLength?: number };
  return random.pick([
    () => random.pick(nearMisses),
    () => letters.toSpliced(at, 1).join(''),
    () => letters.toSpliced(at, 0, random.pick(signs)).join(''),
    () => letters.toSpliced(at, 1, random.pick(signs)).join(''),
    () => letters.slice(0, Math.max(minLength - random.below(2), 0)).join(''),
    () => random.pick(signs).repeat(Math.max(minLength - random.below(2), 0)),
    () => (text + random.pick(signs).repeat(maxLength)).slice(0, 3 * maxLength),
    () => text + random.pick(signs).repeat(Math.max(maxLength + random.below(2) - letters.length, 0)),
  ])();
}

function randomInteger(
  { minimum = 0, maximum = 9 }: { readonly minimum?: number; readonly maximum?: number },
  random: Dice,
  faultRate: number,
): number {
  if (random.next() < faultRate)
    return random.pick([minimum - 1, maximum + 1, minimum + 0.5, maximum - 0.5, -0, Number.MAX_VALUE]);
  return random.pick(
    [
      minimum,
      maximum,
      minimum + random.below(1000),
      Math.floor((maximum - minimum) * random.next()) + minimum,
    ].map((each) => Math.min(each, maximum)),
  );
}

function randomArray(schema: Keywords, random: Dice, faultRate: number): unknown[] {
  const { minItems = 0, maxItems = 9 } = schema as { minItems?: number; maxItems?: number };
  const isFaulty = random.next() < faultRate;
  const length = isFaulty
    ? random.pick([minItems - 1, minItems, maxItems, maxItems + 1])
    : minItems + random.below(Math.min(3, maxItems - minItems + 1));
  const values = Array.from({ length: Math.max(length, 0) }, () =>
    randomValue(schema['items'] as Keywords, random, length > 9 ? faultRate / 50 : faultRate),
  );
  return schema['uniqueItems'] === true && !isFaulty ? [...new Set(values)] : values;
}

function randomObject(schema: Keywords, random: Dice, faultRate: number): object {
  if (schema['properties'] === undefined) return randomTexts(schema, random, faultRate);
  const required = (schema['required'] ?? []) as readonly string[];
  const entries = Object.entries(schema['properties'] as Record<string, Keywords>)
    .filter(([name]) => (required.includes(name) ? random.next() >= faultRate / 3 : random.next() < 0.5))
    .map(([name, member]): [string, unknown] => [name, randomValue(member, random, faultRate)]);
  if (random.next() < faultRate / 2) entries.push([random.pick(names), random.pick(oddities)]);
  return Object.fromEntries(random.next() < 0.5 ? entries : entries.reverse());
}

/** An object of texts by name. A name of another form has a right value: Ajv would report both. */
function randomTexts(schema: Keywords, random: Dice, faultRate: number): object {
  const { maxProperties = 0, additionalProperties } = schema as {
    maxProperties?: number;
    additionalProperties?: Keywords;
  };
  const isFaulty = (): boolean => random.next() < faultRate;
  const count = isFaulty() ? maxProperties + random.below(2) : random.below(4);
  const entries = Array.from({ length: count }, (_, index): [string, unknown] =>
    isFaulty()
      ? [random.pick(['', 'a b', 'ä', 'x'.repeat(41), 'a/b']), 'x']
      : [`name-${index}`, randomValue(additionalProperties ?? {}, random, faultRate)],
  );
  return Object.fromEntries(entries);
}
