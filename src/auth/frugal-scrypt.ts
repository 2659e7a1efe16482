// scrypt (RFC 7914) in a part of its memory: the same key, for more work.
//
// scrypt fills a table of N blocks, each made from the one before it, and then reads N of them, in an order
// that depends on the password. Here the table keeps one block of several, and the others are made again when
// they are read: with a quarter of the table that takes twice the time. `node:crypto` can't do that, hence
// this code; `password-worker.ts` uses it where memory is short.

/** scrypt's N is 2^ln. */
export type Cost = { readonly ln: number; readonly r: number; readonly p: number };

export type ScryptInput = Cost & {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly keyBytes: number;
};

export type FrugalInput = ScryptInput & {
  /** Of so many blocks the table keeps one. */
  readonly blocksPerKept: number;
};

/** Is sent to a thread as text (`base/thread.ts`), so it uses nothing from outside its braces. */
export function frugalScrypt(input: FrugalInput): Uint8Array {
  const { password, salt, keyBytes, ln, r, p, blocksPerKept } = input;
  const { pbkdf2Sync } = process.getBuiltinModule('node:crypto');
  const blockCount = 2 ** ln;
  const blockWords = 32 * r;
  const kept = new Int32Array(Math.ceil(blockCount / blocksPerKept) * blockWords);
  const again = new Int32Array(blockWords);
  const mixed = new Int32Array(blockWords);
  const chunk = new Int32Array(16);

  const lanes = new Int32Array(p * blockWords);
  const laneBytes = new Uint8Array(lanes.buffer);
  laneBytes.set(pbkdf2Sync(password, salt, 1, laneBytes.length, 'sha256'));
  for (let start = 0; start < lanes.length; start += blockWords)
    mixLane(lanes.subarray(start, start + blockWords));
  kept.buffer.transfer(0); // gives its memory back now, not with the next garbage collection
  return pbkdf2Sync(password, laneBytes, 1, keyBytes, 'sha256');

  /** scryptROMix (section 5). */
  function mixLane(block: Int32Array): void {
    for (let index = 0; index < blockCount; index += 1) {
      if (index % blocksPerKept === 0) kept.set(block, (index / blocksPerKept) * blockWords);
      mixBlock(block);
    }
    for (let step = 0; step < blockCount; step += 1) {
      const index = (block[blockWords - 16] ?? 0) & (blockCount - 1);
      makeAgain(index);
      for (let word = 0; word < blockWords; word += 1) xor(block, word, again[word]);
      mixBlock(block);
    }
  }

  /** Puts a block of the table into `again`. */
  function makeAgain(index: number): void {
    const steps = index % blocksPerKept;
    const start = ((index - steps) / blocksPerKept) * blockWords;
    again.set(kept.subarray(start, start + blockWords));
    for (let step = 0; step < steps; step += 1) mixBlock(again);
  }

  /** scryptBlockMix (section 4): mixes each chunk with the one before it; those of even index come first. */
  function mixBlock(block: Int32Array): void {
    chunk.set(block.subarray(-16));
    for (let start = 0; start < blockWords; start += 16) {
      for (let word = 0; word < 16; word += 1) xor(chunk, word, block[start + word]);
      mixChunk();
      const isEven = start % 32 === 0;
      const place = isEven ? start / 2 : (blockWords + start - 16) / 2;
      for (let word = 0; word < 16; word += 1) mixed[place + word] = chunk[word] ?? 0;
    }
    block.set(mixed);
  }

  /** Salsa20/8 Core (section 3). Its words are variables, since an array would take thrice the time. */
  function mixChunk(): void {
    let x0 = chunk[0] ?? 0;
    let x1 = chunk[1] ?? 0;
    let x2 = chunk[2] ?? 0;
    let x3 = chunk[3] ?? 0;
    let x4 = chunk[4] ?? 0;
    let x5 = chunk[5] ?? 0;
    let x6 = chunk[6] ?? 0;
    let x7 = chunk[7] ?? 0;
    let x8 = chunk[8] ?? 0;
    let x9 = chunk[9] ?? 0;
    let x10 = chunk[10] ?? 0;
    let x11 = chunk[11] ?? 0;
    let x12 = chunk[12] ?? 0;
    let x13 = chunk[13] ?? 0;
    let x14 = chunk[14] ?? 0;
    let x15 = chunk[15] ?? 0;
    for (let round = 0; round < 8; round += 2) {
      x4 ^= rotatedSum(x0, x12, 7);
      x8 ^= rotatedSum(x4, x0, 9);
      x12 ^= rotatedSum(x8, x4, 13);
      x0 ^= rotatedSum(x12, x8, 18);
      x9 ^= rotatedSum(x5, x1, 7);
      x13 ^= rotatedSum(x9, x5, 9);
      x1 ^= rotatedSum(x13, x9, 13);
      x5 ^= rotatedSum(x1, x13, 18);
      x14 ^= rotatedSum(x10, x6, 7);
      x2 ^= rotatedSum(x14, x10, 9);
      x6 ^= rotatedSum(x2, x14, 13);
      x10 ^= rotatedSum(x6, x2, 18);
      x3 ^= rotatedSum(x15, x11, 7);
      x7 ^= rotatedSum(x3, x15, 9);
      x11 ^= rotatedSum(x7, x3, 13);
      x15 ^= rotatedSum(x11, x7, 18);
      x1 ^= rotatedSum(x0, x3, 7);
      x2 ^= rotatedSum(x1, x0, 9);
      x3 ^= rotatedSum(x2, x1, 13);
      x0 ^= rotatedSum(x3, x2, 18);
      x6 ^= rotatedSum(x5, x4, 7);
      x7 ^= rotatedSum(x6, x5, 9);
      x4 ^= rotatedSum(x7, x6, 13);
      x5 ^= rotatedSum(x4, x7, 18);
      x11 ^= rotatedSum(x10, x9, 7);
      x8 ^= rotatedSum(x11, x10, 9);
      x9 ^= rotatedSum(x8, x11, 13);
      x10 ^= rotatedSum(x9, x8, 18);
      x12 ^= rotatedSum(x15, x14, 7);
      x13 ^= rotatedSum(x12, x15, 9);
      x14 ^= rotatedSum(x13, x12, 13);
      x15 ^= rotatedSum(x14, x13, 18);
    }
    chunk[0] = (chunk[0] ?? 0) + x0;
    chunk[1] = (chunk[1] ?? 0) + x1;
    chunk[2] = (chunk[2] ?? 0) + x2;
    chunk[3] = (chunk[3] ?? 0) + x3;
    chunk[4] = (chunk[4] ?? 0) + x4;
    chunk[5] = (chunk[5] ?? 0) + x5;
    chunk[6] = (chunk[6] ?? 0) + x6;
    chunk[7] = (chunk[7] ?? 0) + x7;
    chunk[8] = (chunk[8] ?? 0) + x8;
    chunk[9] = (chunk[9] ?? 0) + x9;
    chunk[10] = (chunk[10] ?? 0) + x10;
    chunk[11] = (chunk[11] ?? 0) + x11;
    chunk[12] = (chunk[12] ?? 0) + x12;
    chunk[13] = (chunk[13] ?? 0) + x13;
    chunk[14] = (chunk[14] ?? 0) + x14;
    chunk[15] = (chunk[15] ?? 0) + x15;
  }

  function rotatedSum(a: number, b: number, bits: number): number {
    const sum = (a + b) | 0;
    return (sum << bits) | (sum >>> (32 - bits));
  }

  function xor(words: Int32Array, index: number, value = 0): void {
    words[index] = (words[index] ?? 0) ^ value;
  }
}
