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

/** Returns the rows of modules, true for a dark one; undefined for a text that is too long. */
export function qrModules(text: string): readonly (readonly boolean[])[] | undefined {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length + 2 > dataCodewords) return undefined; // mode and length have a byte and a half
  const bits = codewordsOf(bytes).flatMap((codeword) => [...codeword.toString(2).padStart(8, '0')]);
  const bitAt = new Map([...dataPlaces()].map((place, index) => [place, bits[index] === '1']));
  const moduleAt = (x: number, y: number): boolean =>
    patternAt(x, y) ?? (bitAt.get(y * size + x) === true) !== ((x + y) % 2 === 0);
  return Array.from({ length: size }, (_, y) => Array.from({ length: size }, (__, x) => moduleAt(x, y)));
}

function codewordsOf(bytes: Uint8Array): readonly number[] {
  const digits = [bytes.length, ...bytes].map((byte) => byte.toString(16).padStart(2, '0'));
  const filled = `4${digits.join('')}0`.padEnd(2 * dataCodewords, 'ec11'); // 4 is the mode, 0 the terminator
  const data = Array.from({ length: dataCodewords }, (_, index) =>
    parseInt(filled.slice(2 * index, 2 * index + 2), 16),
  );
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
  let rest: readonly number[] = [];
  for (const codeword of block) {
    const factor = codeword ^ (rest[0] ?? 0);
    const [, ...moved] = rest;
    rest = generator.slice(1).map((each, index) => product(each, factor) ^ (moved[index] ?? 0));
  }
  return rest;
}

/** Multiplies in GF(256) with the polynomial x⁸ + x⁴ + x³ + x² + 1. */
function product(a: number, b: number): number {
  let result = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    result = (result << 1) ^ (result > 127 ? 0x11d : 0);
    if (((b >> bit) & 1) === 1) result ^= a;
  }
  return result;
}

/** The module of a function pattern; undefined where there is none. */
function patternAt(x: number, y: number): boolean | undefined {
  const ringAround = (middleX: number, middleY: number): number =>
    Math.max(Math.abs(x - middleX), Math.abs(y - middleY));
  const finder = Math.min(ringAround(3, 3), ringAround(size - 4, 3), ringAround(3, size - 4));
  if (finder <= 4) return finder !== 2 && finder !== 4;
  const alignment = ringAround(size - 7, size - 7);
  if (alignment <= 2) return alignment !== 1;
  if (x === 6 || y === 6) return (x + y) % 2 === 0; // the timing
  if (x === 8) return formatAt(y, (place) => place);
  return y === 8 ? formatAt(x, (place) => 14 - place) : undefined;
}

/** The format stands beside the finders, twice. The one dark module that isn't of it is like its bit 7. */
function formatAt(place: number, bitOf: (place: number) => number): boolean | undefined {
  if (place > 8 && place < size - 8) return undefined;
  const index = place < 6 ? place : place < 9 ? place - 1 : place - size + 15;
  return ((formatBits >> bitOf(index)) & 1) === 1;
}

/** Yields what is free, in columns of two from the right, up and down in turns; column 6 is the timing. */
function* dataPlaces(): Generator<number> {
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right -= 1;
    const isUpwards = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1) {
      const y = isUpwards ? size - 1 - step : step;
      for (const x of [right, right - 1]) if (patternAt(x, y) === undefined) yield y * size + x;
    }
  }
}
