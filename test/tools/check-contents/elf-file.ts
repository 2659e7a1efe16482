// What an ELF file (64 bits, little-endian) becomes in memory. The kernel and the loader read the table of segments, and
// what lies at its addresses. The table of sections is for people: it is believed of the runtime alone.
import assert from 'node:assert/strict';

export type Segment = {
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly address: number;
  readonly fileBytes: number;
  readonly memoryBytes: number;
};
export type Section = { readonly address: number; readonly length: number };
/** Where the sections that are loaded are, by name. */
export type Layout = ReadonlyMap<string, Section>;

export const segmentTypes = { load: 1, dynamic: 2, note: 4, table: 6 } as const;
/** The entries of .dynamic whose value is a text: libraries, their names, and where they are looked for. */
const dynamicTexts = new Set([1n, 14n, 15n, 29n]);
/** Of memory, which is laid out by pages. */
const pageBytes = 4096;

export class ElfFile {
  readonly #file: Buffer;
  readonly entry: bigint;
  readonly segments: readonly Segment[];

  constructor(file: Buffer) {
    assert.equal(file.toString('latin1', 0, 6), '\x7fELF\x02\x01', 'it is no ELF file of 64 bits');
    this.#file = file;
    this.entry = file.readBigUInt64LE(24);
    this.segments = rowsOf(this.#segmentTable(), file.readUInt16LE(54)).map(segmentOf);
  }

  /** The segments that are loaded, by address. */
  get loaded(): Segment[] {
    return this.segments
      .filter(({ type }) => type === segmentTypes.load)
      .sort((a, b) => a.address - b.address);
  }

  layout(): Layout {
    const file = this.#file;
    const rowBytes = file.readUInt16LE(58);
    const table = bytesAt(file, numberAt(file, 40), rowBytes * file.readUInt16LE(60));
    const rows = rowsOf(table, rowBytes);
    const names = rows[file.readUInt16LE(62)] ?? Buffer.alloc(rowBytes);
    const texts = bytesAt(file, numberAt(names, 24), numberAt(names, 32));
    const loaded = rows.filter((row) => (row.readBigUInt64LE(8) & 2n) !== 0n);
    return new Map(
      loaded.map((row) => [
        textAt(texts, row.readUInt32LE(0)),
        { address: numberAt(row, 16), length: numberAt(row, 32) },
      ]),
    );
  }

  /** The bytes at an address, once the file is loaded. */
  memory({ address, length }: Section): Buffer {
    const segment = this.loaded.find((each) => each.address <= address && address < endOf(each));
    assert(segment !== undefined && address + length <= endOf(segment), `nothing is loaded at ${address}`);
    const bytes = Buffer.alloc(length);
    const skipped = address - segment.address;
    const present = Math.min(length, Math.max(0, segment.fileBytes - skipped));
    bytesAt(this.#file, segment.offset + skipped, present).copy(bytes);
    return bytes;
  }

  /** Whether the table of segments is the same in the file, for the kernel, and in memory, for the program. */
  hasOneSegmentTable(): boolean {
    const table = this.segments.filter(({ type }) => type === segmentTypes.table);
    const bytes = this.#segmentTable();
    return table.every(({ address }) => this.memory({ address, length: bytes.length }).equals(bytes));
  }

  /** Whether two segments would share a page: the later one would replace the earlier one there. */
  hasSharedPages(): boolean {
    return this.loaded.some(({ address }, index, all) => {
      const before = all[index - 1];
      return before !== undefined && pageOf(endOf(before) - 1) >= pageOf(address);
    });
  }

  /** The contents of all notes of this name. */
  notes(wanted: string): Buffer[] {
    const segments = this.segments.filter(({ type }) => type === segmentTypes.note);
    return segments.flatMap(({ address, memoryBytes }) => {
      const bytes = this.memory({ address, length: memoryBytes });
      const found: Buffer[] = [];
      for (let at = 0; at + 12 <= bytes.length;) {
        const [nameBytes, contentBytes] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
        const content = at + 12 + aligned(nameBytes);
        if (textAt(bytes, at + 12) === wanted) found.push(bytes.subarray(content, content + contentBytes));
        at = content + aligned(contentBytes);
      }
      return found;
    });
  }

  /** The libraries that are loaded, and what else the entries of .dynamic say, up to the end of their list. */
  dynamicEntries(layout: Layout): string[] {
    const rows = rowsOf(this.#section(layout, '.dynamic'), 16);
    const end = rows.findIndex((row) => row.readBigUInt64LE(0) === 0n);
    const texts = this.#section(layout, '.dynstr');
    return rows.slice(0, end).map((row) => {
      const [tag, value] = [row.readBigUInt64LE(0), row.readBigUInt64LE(8)];
      return `${tag} ${dynamicTexts.has(tag) ? textAt(texts, Number(value)) : value}`;
    });
  }

  /** The symbols that the program takes from libraries or gives them, with their libraries and places. */
  dynamicSymbols(layout: Layout): string[] {
    const versions = this.#section(layout, '.gnu.version');
    const texts = this.#section(layout, '.dynstr');
    const names = versionNames(this.#section(layout, '.gnu.version_r'), texts);
    return rowsOf(this.#section(layout, '.dynsym'), 24).map((row, index) => {
      const version = versions.readUInt16LE(index * 2) & 0x7fff;
      const place = row.readUInt16LE(6) === 0 ? 'elsewhere' : row.readBigUInt64LE(8);
      const name = textAt(texts, row.readUInt32LE(0));
      return `${name}@${names.get(version) ?? version} ${row.readUInt8(4)} ${row.readUInt8(5)} ${place}`;
    });
  }

  /** What the loader writes into the program, and where. */
  relocations(layout: Layout): string[] {
    const symbols = this.dynamicSymbols(layout);
    return ['.rela.dyn', '.rela.plt'].flatMap((name) =>
      rowsOf(this.#section(layout, name), 24).map((row) => {
        const symbol = symbols[row.readUInt32LE(12)];
        return `${row.readBigUInt64LE(0)} ${row.readUInt32LE(8)} ${row.readBigInt64LE(16)} ${symbol}`;
      }),
    );
  }

  #section(layout: Layout, name: string): Buffer {
    const section = layout.get(name);
    return section === undefined ? Buffer.alloc(0) : this.memory(section);
  }

  #segmentTable(): Buffer {
    const file = this.#file;
    return bytesAt(file, numberAt(file, 32), file.readUInt16LE(54) * file.readUInt16LE(56));
  }
}

/** The names of the libraries' versions, by the numbers that symbols have. */
function versionNames(needs: Buffer, texts: Buffer): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (let at = 0, next = 1; next !== 0; at += next) {
    next = needs.readUInt32LE(at + 12);
    const library = textAt(texts, needs.readUInt32LE(at + 4));
    let each = at + needs.readUInt32LE(at + 8);
    for (let left = needs.readUInt16LE(at + 2); left > 0; left -= 1) {
      names.set(needs.readUInt16LE(each + 6), `${library} ${textAt(texts, needs.readUInt32LE(each + 8))}`);
      each += needs.readUInt32LE(each + 12);
    }
  }
  return names;
}

function segmentOf(row: Buffer): Segment {
  return {
    type: row.readUInt32LE(0),
    flags: row.readUInt32LE(4),
    offset: numberAt(row, 8),
    address: numberAt(row, 16),
    fileBytes: numberAt(row, 32),
    memoryBytes: numberAt(row, 40),
  };
}

function endOf({ address, memoryBytes }: Segment): number {
  return address + memoryBytes;
}

function pageOf(address: number): number {
  return Math.floor(address / pageBytes);
}

function aligned(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function rowsOf(bytes: Buffer, rowBytes: number): Buffer[] {
  const count = Math.floor(bytes.length / rowBytes);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * rowBytes, (index + 1) * rowBytes),
  );
}

function bytesAt(file: Buffer, offset: number, length: number): Buffer {
  assert(offset + length <= file.length, 'the file is cut off');
  return file.subarray(offset, offset + length);
}

function textAt(texts: Buffer, offset: number): string {
  return texts.toString('latin1', offset, texts.indexOf(0, offset));
}

function numberAt(bytes: Buffer, offset: number): number {
  return Number(bytes.readBigUInt64LE(offset));
}
