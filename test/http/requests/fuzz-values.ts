// Random JSON values, and mutations of valid ones; the same ones for the same seed.

/** The same numbers at every run (mulberry32). */
export class Dice {
  #state: number;

  constructor(state: number) {
    this.#state = state;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** True with this probability, 0 to 1. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T; // the index is below the length
  }
}

/** Without blanks. */
const words =
  'a a@b ada@example.com __proto__ constructor toString ../../etc/passwd %00 % ${7*7} {{7*7}} null undefined NaN ' +
  'true 1e309 -1 0 9007199254740993 2026-03-01T09:30:00.000Z 2026-02-30T09:30:00.000Z 0000-00-00T00:00:00.000Z ' +
  'open paid EUR DE GB id -createdAt open,paid +4944112345678 26122 ẞ İ';

export const texts = [
  ...words.split(' '),
  ...['', ' ', '\0', '\n', '\u2028', '\ud83d\ude00', '\u202e', '\u0000\u0001', 'e\u0301', 'SW1A 2AA'],
  ...['x'.repeat(201), 'x'.repeat(5000), 'ü'.repeat(100), 'Ada Lovelace', '<script>alert(1)</script>'],
  ...["' OR 1=1 --", '"; DROP TABLE orders; --'],
];

export const numbers = [
  0, -0, 1, 2, 3, 5, -1, 1.5, 1e-7, 749, 1_000_000, 1_000_001, 1_000_000_000_000, 1_000_000_000_001,
  2_147_483_648, 4_294_967_296, 9_007_199_254_740_991, 9_007_199_254_740_992, 1e21, 1e308,
  -9_223_372_036_854_775_808,
];

export function anyValue(dice: Dice, depth = 0): unknown {
  switch (dice.below(depth > 3 ? 5 : 7)) {
    case 0:
      return dice.pick(numbers);
    case 1:
      return null;
    case 2:
      return dice.chance(0.5);
    case 3:
    case 4:
      return dice.pick(texts);
    case 5:
      return Array.from({ length: dice.below(5) }, () => anyValue(dice, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: dice.below(5) }, () => [dice.pick(texts), anyValue(dice, depth + 1)]),
      );
  }
}

/** The value with a few of its parts changed, left out or added. */
export function mutated(dice: Dice, value: unknown): unknown {
  if (dice.chance(0.06)) return anyValue(dice);
  if (Array.isArray(value)) {
    const items = value.map((item) => mutated(dice, item));
    return dice.chance(0.1) ? items.concat(items, [anyValue(dice)]) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value)
    .filter(() => !dice.chance(0.06))
    .map(([name, member]) => [name, mutated(dice, member)]);
  return Object.fromEntries(dice.chance(0.06) ? [...kept, [dice.pick(texts), anyValue(dice)]] : kept);
}
