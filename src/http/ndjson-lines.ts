// Splits arriving bytes into lines of JSON, each bounded in length.
import assert from 'node:assert';
import { Problem } from '../problem.ts';
import { lineFeed, noBytes } from './bytes.ts';
import { parseJson } from './strict-json.ts';

/** A line that isn't blank. Lines are counted from 1, blank ones included. */
export type NdjsonLine = {
  readonly number: number;
  /** Undefined for a line that is too long, none of which is kept. */
  readonly bytes: Buffer | undefined;
};

export class NdjsonLines {
  readonly #lineBytesMax: number;
  /** The parts of the next line that have arrived. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  #chunk: Buffer = noBytes;
  #at = 0;
  #number = 1;
  #isAtEnd = false;

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax;
  }

  /** The number of the next line. */
  get number(): number {
    return this.#number;
  }

  /** Must be called only after `next` has returned undefined. */
  add(chunk: Buffer): void {
    assert(this.#at === this.#chunk.length, 'the lines of the chunk before were taken');
    this.#chunk = chunk;
    this.#at = 0;
  }

  /** Makes the remaining bytes the last line, though no line break ends it. */
  end(): void {
    this.#isAtEnd = true;
  }

  /** Returns the next whole line that isn't blank; undefined if none has arrived. */
  next(): NdjsonLine | undefined {
    for (;;) {
      if (this.#partBytes === 0) this.#skipBlank();
      const end = this.#chunk.indexOf(lineFeed, this.#at);
      if (end === -1 && !this.#isAtEnd) {
        this.#keep(this.#chunk.subarray(this.#at));
        this.#chunk = noBytes;
        this.#at = 0;
        return undefined;
      }
      this.#keep(this.#chunk.subarray(this.#at, end === -1 ? undefined : end));
      this.#at = end === -1 ? this.#chunk.length : end + 1;
      const line = this.#take();
      if (line !== undefined) return line;
      if (end === -1) return undefined;
    }
  }

  /** Skips blank lines, and blanks before a value: there may be millions, so none becomes a Buffer. */
  #skipBlank(): void {
    const chunk = this.#chunk;
    let at = this.#at;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === lineFeed) this.#number += 1;
      else if (!isBlank(byte)) break;
    }
    this.#at = at;
  }

  #keep(part: Buffer): void {
    this.#partBytes += part.length;
    if (this.#partBytes > this.#lineBytesMax) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #take(): NdjsonLine | undefined {
    const [first = noBytes] = this.#parts;
    const bytes = this.#parts.length > 1 ? Buffer.concat(this.#parts) : first;
    const isTooLong = this.#partBytes > this.#lineBytesMax;
    const number = this.#number;
    this.#parts = [];
    this.#partBytes = 0;
    this.#number += 1;
    if (isTooLong) return { number, bytes: undefined };
    return bytes.every(isBlank) ? undefined : { number, bytes };
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

/** Returns the value of a line, or the Problem that it has. */
export function parseLine(
  { bytes }: NdjsonLine,
  lineBytesMax: number,
): { readonly value: unknown } | Problem {
  if (bytes === undefined)
    return new Problem('content-too-large', `The line must have at most ${lineBytesMax} bytes.`);
  try {
    return { value: parseJson(bytes) };
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
