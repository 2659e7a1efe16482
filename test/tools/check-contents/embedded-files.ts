// Reads the files that a build has put into Node: in a note of ELF, in the format of `node --build-sea` of Node 26.
import assert from 'node:assert/strict';

export type Embedded = {
  readonly flags: number;
  /** What the executable begins with. */
  readonly main: string;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly nodeFlags: readonly string[];
};

export const noteName = 'NODE_SEA_BLOB';
const magic = 0x143da20;

/** Every byte of the note is read: nothing is left over. */
export function readEmbedded(note: Buffer): Embedded {
  const blob = new Reader(note);
  assert.equal(blob.uint32(), magic, 'the format is another one');
  const flags = blob.uint32();
  assert.deepEqual([...blob.bytes(2)], [1, 1], 'the main file is a module, and NODE_OPTIONS add flags');
  const main = blob.text();
  const files = new Map([[main, blob.block()]]);
  for (let left = blob.uint64(); left > 0; left -= 1) {
    const name = blob.text();
    assert(!files.has(name), `${name} is there twice`);
    files.set(name, blob.block());
  }
  const nodeFlags = Array.from({ length: blob.uint64() }, () => blob.text());
  blob.end();
  return { flags, main, files, nodeFlags };
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  uint32(): number {
    return this.bytes(4).readUInt32LE();
  }

  uint64(): number {
    return Number(this.bytes(8).readBigUInt64LE());
  }

  bytes(length: number): Buffer {
    assert(this.#at + length <= this.#bytes.length, 'it is cut off');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  block(): Buffer {
    return this.bytes(this.uint64());
  }

  text(): string {
    return this.block().toString('utf8');
  }

  end(): void {
    assert.equal(this.#at, this.#bytes.length, 'there is something behind the files');
  }
}
