// A text as a QR code (ISO/IEC 18004): bytes, error correction level L, version 6, which has room for the address of a
// secret for one-time codes.
//
// Codewords are data, a terminator and padding, split into two blocks that have error correction each, and then
// interleaved. The *modules*, dark or light, are function patterns (finders, alignment, timing, format) and the bits of
// the codewords, over which a mask is laid: that with the number 0, since readers know each.

const size = 41;
/** The codewords of both blocks together, and those for error correction in each. */
const dataCodewords = 136;
const correctionCodewords = 18;
/** Level L, mask 0 and their BCH code. */
const formatBits = 0x77c4;

/** A square of modules: true is dark, undefined has not been set yet. */
type Modules = (boolean | undefined)[][];

/** Returns the rows of modules; undefined for a text that is too long. */
export function qrModules(text: string): readonly (readonly boolean[])[] | undefined {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length + 2 > dataCodewords) return undefined; // mode and length have a byte and a half
  const modules: Modules = Array.from({ length: size }, () => Array.from({ length: size }, () => undefined));
  placePatterns(modules);
  placeData(
    modules,
    codewordsOf(bytes).flatMap((codeword) => bitsOf(codeword, 8)),
  );
  return modules.map((row) => row.map((module) => module === true));
}

function codewordsOf(bytes: Uint8Array): readonly number[] {
  const [byteMode, terminator] = [bitsOf(4, 4), bitsOf(0, 4)];
  const bits = [...byteMode, ...[bytes.length, ...bytes].flatMap((byte) => bitsOf(byte, 8)), ...terminator];
  const filled = bits.length / 8;
  const data = Array.from({ length: dataCodewords }, (_, index) => {
    if (index >= filled) return (index - filled) % 2 === 0 ? 0xec : 0x11;
    return bits.slice(index * 8, index * 8 + 8).reduce((value, bit) => value * 2 + Number(bit), 0);
  });
  const blocks = [data.slice(0, dataCodewords / 2), data.slice(dataCodewords / 2)];
  return [...interleaved(blocks), ...interleaved(blocks.map(correctionOf))];
}

/** Takes the first of each, then the second of each, and so on. */
function interleaved([first = [], second = []]: readonly (readonly number[])[]): readonly number[] {
  return first.flatMap((codeword, index) => [codeword, second[index] ?? 0]);
}

/** Reed-Solomon: the remainder of the block, as a polynomial over GF(256), divided by the generator. */
function correctionOf(block: readonly number[]): readonly number[] {
  let generator = [1];
  for (let power = 0, root = 1; power < correctionCodewords; power += 1, root = product(root, 2))
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

/** Finders are squares around three corners, and the alignment pattern is a smaller one near the fourth. */
function placePatterns(modules: Modules): void {
  for (let at = 0; at < size; at += 1) {
    set(modules, at, 6, at % 2 === 0);
    set(modules, 6, at, at % 2 === 0);
  }
  const [near, far] = [3, size - 4];
  placeRings(modules, { x: near, y: near, light: [2, 4] });
  placeRings(modules, { x: far, y: near, light: [2, 4] });
  placeRings(modules, { x: near, y: far, light: [2, 4] });
  placeRings(modules, { x: size - 7, y: size - 7, light: [1] });
  for (const [index, bit] of bitsOf(formatBits, 15).reverse().entries()) {
    set(modules, 8, index < 6 ? index : index < 8 ? index + 1 : size - 15 + index, bit);
    set(modules, index < 8 ? size - 1 - index : index < 9 ? 7 : 14 - index, 8, bit);
  }
  set(modules, 8, size - 8, true);
}

type Rings = { readonly x: number; readonly y: number; readonly light: readonly number[] };

function placeRings(modules: Modules, { x, y, light }: Rings): void {
  const radius = 2 * light.length;
  for (let dy = -radius; dy <= radius; dy += 1)
    for (let dx = -radius; dx <= radius; dx += 1)
      set(modules, x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
}

/** Fills what is free, in columns of two from the right, up and down in turns; column 6 is the timing. */
function placeData(modules: Modules, bits: readonly boolean[]): void {
  let next = 0;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right -= 1;
    const isUpwards = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1) {
      const y = isUpwards ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (modules[y]?.[x] !== undefined) continue;
        const isInverted = (x + y) % 2 === 0;
        set(modules, x, y, (bits[next] ?? false) !== isInverted);
        next += 1;
      }
    }
  }
}

function set(modules: Modules, x: number, y: number, isDark: boolean): void {
  const row = modules[y];
  if (row !== undefined && x >= 0 && x < row.length) row[x] = isDark;
}

/** The bits of a number, the highest first. */
function bitsOf(value: number, length: number): boolean[] {
  return Array.from({ length }, (_, index) => ((value >>> (length - 1 - index)) & 1) === 1);
}
