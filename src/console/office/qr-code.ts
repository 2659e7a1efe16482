// A text as a QR code (ISO/IEC 18004): bytes, error correction level M. The versions are those that the address
// of a secret for one-time codes needs.
//
// Codewords are data, a terminator and padding, split into blocks that have error correction each, and then
// interleaved. The *modules*, dark or light, are function patterns (finders, alignment, timing, format, version) and
// the bits of the codewords, over which a mask is laid: that of eight with the fewest patterns that confuse readers.

type Version = {
  readonly number: number;
  /** The data codewords of each block. */
  readonly blocks: readonly number[];
  /** The codewords for error correction in each block. */
  readonly correction: number;
  /** The coordinates of alignment patterns. */
  readonly centres: readonly number[];
};

const versions: readonly Version[] = [
  { number: 5, blocks: [43, 43], correction: 24, centres: [6, 30] },
  { number: 6, blocks: [27, 27, 27, 27], correction: 16, centres: [6, 34] },
  { number: 7, blocks: [31, 31, 31, 31], correction: 18, centres: [6, 22, 38] },
  { number: 8, blocks: [38, 38, 39, 39], correction: 22, centres: [6, 24, 42] },
  { number: 9, blocks: [36, 36, 36, 37, 37], correction: 22, centres: [6, 26, 46] },
];

/** A square of modules: true is dark, undefined has not been set yet. */
type Modules = (boolean | undefined)[][];

/** Returns the rows of modules; undefined for a text that is too long. */
export function qrModules(text: string): readonly (readonly boolean[])[] | undefined {
  const bytes = new TextEncoder().encode(text);
  const version = versions.find(({ blocks }) => sum(blocks) >= bytes.length + 2);
  if (version === undefined) return undefined;
  const bits = codewordsOf(bytes, version).flatMap((codeword) => bitsOf(codeword, 8));
  const patterns = functionPatterns(version);
  const masked = masks.map((mask, index) => {
    const modules = patterns.map((row) => [...row]);
    placeFormat(modules, index);
    placeData(modules, bits, mask);
    return modules.map((row) => row.map((module) => module === true));
  });
  const penalties = masked.map(penaltyOf);
  return masked[penalties.indexOf(Math.min(...penalties))];
}

function codewordsOf(bytes: Uint8Array, { blocks, correction }: Version): readonly number[] {
  const room = sum(blocks);
  const byteMode = 4;
  const bits = [
    ...bitsOf(byteMode, 4),
    ...bitsOf(bytes.length, 8),
    ...[...bytes].flatMap((byte) => bitsOf(byte, 8)),
  ];
  bits.push(...bitsOf(0, 4)); // the terminator; mode and length have made the data end in the middle of a byte
  const filled = Array.from({ length: bits.length / 8 }, (_, index) =>
    numberOf(bits.slice(index * 8, index * 8 + 8)),
  );
  const padding = Array.from({ length: room - filled.length }, (_, index) => (index % 2 === 0 ? 0xec : 0x11));
  const data = [...filled, ...padding];
  let start = 0;
  const split = blocks.map((length) => data.slice(start, (start += length)));
  return [...interleaved(split), ...interleaved(split.map((block) => correctionOf(block, correction)))];
}

/** Takes the first of each, then the second of each, and so on. */
function interleaved(blocks: readonly (readonly number[])[]): readonly number[] {
  const longest = Math.max(...blocks.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    blocks.flatMap((block) => block.slice(index, index + 1)),
  ).flat();
}

/** Reed-Solomon: the remainder of the block, as a polynomial over GF(256), divided by the generator. */
function correctionOf(block: readonly number[], count: number): readonly number[] {
  let generator = [1];
  for (let power = 0, root = 1; power < count; power += 1, root = product(root, 2))
    generator = [...generator, 0].map((factor, index) => factor ^ product(generator[index - 1] ?? 0, root));
  const rest = [...block, ...generator.slice(1).fill(0)];
  for (let index = 0; index < block.length; index += 1) {
    const factor = rest[index] ?? 0;
    for (const [offset, each] of generator.entries())
      rest[index + offset] = (rest[index + offset] ?? 0) ^ product(each, factor);
  }
  return rest.slice(block.length);
}

/** Multiplies in GF(256) with the polynomial x⁸ + x⁴ + x³ + x² + 1. */
function product(a: number, b: number): number {
  let result = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    result = (result << 1) ^ (result >>> 7 === 1 ? 0x11d : 0);
    if (((b >>> bit) & 1) === 1) result ^= a;
  }
  return result;
}

function functionPatterns({ number, centres }: Version): Modules {
  const size = number * 4 + 17;
  const modules: Modules = Array.from({ length: size }, () => Array.from({ length: size }, () => undefined));
  for (let at = 0; at < size; at += 1) {
    set(modules, at, 6, at % 2 === 0);
    set(modules, 6, at, at % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    placeRings(modules, { x, y, radius: 4, light: [2, 4] });
  const last = centres.at(-1);
  for (const x of centres)
    for (const y of centres) {
      const isFinder = (x === 6 && (y === 6 || y === last)) || (x === last && y === 6);
      if (!isFinder) placeRings(modules, { x, y, radius: 2, light: [1] });
    }
  if (number >= 7) placeVersion(modules, number);
  return modules;
}

type Rings = {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly light: readonly number[];
};

/** Squares around a centre, dark but for those at the light distances. */
function placeRings(modules: Modules, { x, y, radius, light }: Rings): void {
  for (let dy = -radius; dy <= radius; dy += 1)
    for (let dx = -radius; dx <= radius; dx += 1)
      set(modules, x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
}

/** The version and its BCH code, twice. */
function placeVersion(modules: Modules, number: number): void {
  const bits = bitsOf((number << 12) | remainder(number << 12, 0x1f25), 18).reverse();
  for (const [index, bit] of bits.entries()) {
    const [near, far] = [Math.floor(index / 3), modules.length - 11 + (index % 3)];
    set(modules, far, near, bit);
    set(modules, near, far, bit);
  }
}

/** Level M, the mask and their BCH code, twice, and the module that is always dark. */
function placeFormat(modules: Modules, mask: number): void {
  const size = modules.length;
  const bits = bitsOf(((mask << 10) | remainder(mask << 10, 0x537)) ^ 0x5412, 15).reverse();
  for (const [index, bit] of bits.entries()) {
    const along = index < 6 ? index : index < 8 ? index + 1 : size - 15 + index;
    set(modules, 8, along, bit);
    const back = index < 8 ? size - 1 - index : index < 9 ? 7 : 14 - index;
    set(modules, back, 8, bit);
  }
  set(modules, 8, size - 8, true);
}

/** The remainder of a polynomial over GF(2). */
function remainder(value: number, divisor: number): number {
  const length = 32 - Math.clz32(divisor);
  let rest = value;
  while (32 - Math.clz32(rest) >= length) rest ^= divisor << (32 - Math.clz32(rest) - length);
  return rest;
}

type Mask = (x: number, y: number) => boolean;

const masks: readonly Mask[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** Fills what is free, in columns of two from the right, up and down in turns; column 6 is the timing. */
function placeData(modules: Modules, bits: readonly boolean[], isInverted: Mask): void {
  const size = modules.length;
  let next = 0;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right -= 1;
    const isUpwards = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1) {
      const y = isUpwards ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (modules[y]?.[x] !== undefined) continue;
        set(modules, x, y, (bits[next] ?? false) !== isInverted(x, y));
        next += 1;
      }
    }
  }
}

/** Counts what confuses readers: runs and blocks of one colour, what looks like a finder, too much of one colour. */
function penaltyOf(rows: readonly (readonly boolean[])[]): number {
  const columns = rows.map((_, x) => rows.map((row) => row[x] === true));
  let penalty = 0;
  for (const line of [...rows, ...columns]) {
    const text = line.map((isDark) => (isDark ? '1' : '0')).join('');
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2;
    penalty += 40 * [...text.matchAll(/(?=10111010000|00001011101)/g)].length;
  }
  for (const [y, row] of rows.entries())
    for (const [x, isDark] of row.entries()) {
      const others = [row[x + 1], rows[y + 1]?.[x], rows[y + 1]?.[x + 1]];
      if (others.every((other) => other === isDark)) penalty += 3;
    }
  const share = rows.flat().filter((isDark) => isDark).length / rows.length ** 2;
  return penalty + 10 * Math.floor(Math.abs(share * 20 - 10));
}

function set(modules: Modules, x: number, y: number, isDark: boolean): void {
  const row = modules[y];
  if (row !== undefined && x >= 0 && x < row.length) row[x] = isDark;
}

/** The bits of a number, the highest first. */
function bitsOf(value: number, length: number): boolean[] {
  return Array.from({ length }, (_, index) => ((value >>> (length - 1 - index)) & 1) === 1);
}

function numberOf(bits: readonly boolean[]): number {
  return bits.reduce((value, bit) => value * 2 + Number(bit), 0);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
