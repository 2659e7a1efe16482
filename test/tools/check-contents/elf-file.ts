// What of an ELF file (64 bits, little-endian) decides what the system loads and runs.
import assert from 'node:assert/strict';

export type Segment = {
  readonly type: number;
  readonly isExecutable: boolean;
  readonly flags: number;
  readonly offset: number;
  readonly address: number;
  readonly fileBytes: number;
  readonly memoryBytes: number;
};
export type Section = {
  readonly name: string;
  /** Whether it is in memory when the program runs. */
  readonly isLoaded: boolean;
  readonly address: number;
  readonly bytes: Buffer;
  /** Its length in memory, also where the file has no bytes of it. */
  readonly length: number;
};

const segmentTypes = { load: 1, stack: 0x6474e551 } as const;
const sectionTypeWithoutBytes = 8;
/** The entries of .dynamic whose value is a text: libraries, their names, and where they are looked for. */
const dynamicTexts = new Set([1n, 14n, 15n, 29n]);

export class ElfFile {
  readonly #file: Buffer;
  readonly entry: bigint;
  readonly sections: ReadonlyMap<string, Section>;
  readonly segments: readonly Segment[];

  constructor(file: Buffer) {
    assert.equal(file.toString('latin1', 0, 6), '\x7fELF\x02\x01', 'it is no ELF file of 64 bits');
    this.#file = file;
    this.entry = file.readBigUInt64LE(24);
    this.segments = rowsAt(file, numberAt(file, 32), file.readUInt16LE(54), file.readUInt16LE(56)).map(
      segmentOf,
    );
    const rows = rowsAt(file, numberAt(file, 40), file.readUInt16LE(58), file.readUInt16LE(60));
    const names = bytesOf(file, rows[file.readUInt16LE(62)] ?? Buffer.alloc(64));
    const sections = rows.map((row) => sectionOf(file, row, textAt(names, row.readUInt32LE(0))));
    this.sections = new Map(sections.map((section) => [section.name, section]));
  }

  /** The segments that are loaded, by address. */
  get loaded(): Segment[] {
    return this.segments
      .filter(({ type }) => type === segmentTypes.load)
      .sort((a, b) => a.address - b.address);
  }

  get stackFlags(): number | undefined {
    return this.segments.find(({ type }) => type === segmentTypes.stack)?.flags;
  }

  bytesOf({ offset, fileBytes }: Segment): Buffer {
    return this.#file.subarray(offset, offset + fileBytes);
  }

  /** The libraries that are loaded, and what else the entries of .dynamic say, up to the end of their list. */
  dynamicEntries(): string[] {
    const entries = rowsOf(this.#section('.dynamic'), 16).map((row) => [
      row.readBigUInt64LE(0),
      row.readBigUInt64LE(8),
    ]);
    const end = entries.findIndex(([tag]) => tag === 0n);
    return entries
      .slice(0, end === -1 ? undefined : end)
      .map(
        ([tag = 0n, value = 0n]) =>
          `${tag} ${dynamicTexts.has(tag) ? this.#dynamicText(Number(value)) : value}`,
      );
  }

  /** The symbols that the program takes from libraries or gives them, with their libraries and places. */
  dynamicSymbols(): string[] {
    const versions = this.#section('.gnu.version');
    const names = this.#versionNames();
    return rowsOf(this.#section('.dynsym'), 24).map((row, index) => {
      const version = versions.readUInt16LE(index * 2) & 0x7fff;
      const place = row.readUInt16LE(6) === 0 ? 'elsewhere' : row.readBigUInt64LE(8);
      const name = this.#dynamicText(row.readUInt32LE(0));
      return `${name}@${names.get(version) ?? version} ${row.readUInt8(4)} ${row.readUInt8(5)} ${place}`;
    });
  }

  /** What the loader writes into the program, and where. */
  relocations(): string[] {
    const symbols = this.dynamicSymbols();
    return ['.rela.dyn', '.rela.plt'].flatMap((name) =>
      rowsOf(this.#section(name), 24).map((row) => {
        const symbol = symbols[row.readUInt32LE(12)];
        return `${row.readBigUInt64LE(0)} ${row.readUInt32LE(8)} ${row.readBigInt64LE(16)} ${symbol}`;
      }),
    );
  }

  /** The names of the libraries' versions, by the numbers that symbols have. */
  #versionNames(): ReadonlyMap<number, string> {
    const needs = this.#section('.gnu.version_r');
    const names = new Map<number, string>();
    for (let at = 0, next = 1; next !== 0; at += next) {
      next = needs.readUInt32LE(at + 12);
      const library = this.#dynamicText(needs.readUInt32LE(at + 4));
      for (
        let each = at + needs.readUInt32LE(at + 8), left = needs.readUInt16LE(at + 2);
        left > 0;
        left -= 1
      ) {
        names.set(
          needs.readUInt16LE(each + 6),
          `${library} ${this.#dynamicText(needs.readUInt32LE(each + 8))}`,
        );
        each += needs.readUInt32LE(each + 12);
      }
    }
    return names;
  }

  #dynamicText(offset: number): string {
    return textAt(this.#section('.dynstr'), offset);
  }

  #section(name: string): Buffer {
    return this.sections.get(name)?.bytes ?? Buffer.alloc(0);
  }
}

function segmentOf(row: Buffer): Segment {
  const flags = row.readUInt32LE(4);
  return {
    type: row.readUInt32LE(0),
    flags,
    isExecutable: (flags & 1) !== 0,
    offset: numberAt(row, 8),
    address: numberAt(row, 16),
    fileBytes: numberAt(row, 32),
    memoryBytes: numberAt(row, 40),
  };
}

function sectionOf(file: Buffer, row: Buffer, name: string): Section {
  const hasBytes = row.readUInt32LE(4) !== sectionTypeWithoutBytes;
  return {
    name,
    isLoaded: (row.readBigUInt64LE(8) & 2n) !== 0n,
    address: numberAt(row, 16),
    bytes: hasBytes ? bytesOf(file, row) : Buffer.alloc(0),
    length: numberAt(row, 32),
  };
}

function bytesOf(file: Buffer, section: Buffer): Buffer {
  const offset = numberAt(section, 24);
  return file.subarray(offset, offset + numberAt(section, 32));
}

function rowsAt(file: Buffer, offset: number, rowBytes: number, count: number): Buffer[] {
  return rowsOf(file.subarray(offset, offset + rowBytes * count), rowBytes);
}

function rowsOf(bytes: Buffer, rowBytes: number): Buffer[] {
  const count = Math.floor(bytes.length / rowBytes);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * rowBytes, (index + 1) * rowBytes),
  );
}

function textAt(texts: Buffer, offset: number): string {
  return texts.toString('latin1', offset, texts.indexOf(0, offset));
}

function numberAt(bytes: Buffer, offset: number): number {
  return Number(bytes.readBigUInt64LE(offset));
}
