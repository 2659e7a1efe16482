// Pseudo-random picks: the same seed gives the same picks.

export type Picker = ReturnType<typeof createPicker>;

/** mulberry32, by Tommy Ettinger (public domain): 32 bits of state are plenty for sample data. */
export function createPicker(seed: number) {
  let state = seed >>> 0;

  /** Returns a number from 0 to 1, excluding 1. */
  function float(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from min to max. */
  function integer(min: number, max: number): number {
    return min + Math.floor(float() * (max - min + 1));
  }

  return {
    float,
    integer,
    /** Returns one of the first `count` values; `count` is from 1 to their number. */
    pick: <T>(values: readonly T[], count = values.length) => values[integer(0, count - 1)] as T,
    /** Replaces each # with a digit. */
    digits: (text: string) => text.replace(/#/g, () => String(integer(0, 9))),
  };
}
