// Compares the Node in an executable, as it is in memory, with the runtime that it was made from. Node has a byte changed,
// which says that it has files in it; and the tables for the system's loader are sorted anew, so what they say is compared.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { segmentTypes, type ElfFile, type Segment } from './elf-file.ts';

/** Node looks for this text in itself; the build turns its last character from 0 to 1. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:';
/** Compared by what they say. The hash table finds symbols among those that are compared. */
const loaderTables = /^\.(dynamic|dynsym|dynstr|gnu\.hash|gnu\.version(_r)?|rela\.(dyn|plt))$/;
/** Notes say how the file was built. */
const notes = /^\.note\./;
const executableFlag = 1;

/** Returns what differs, and which sections were compared by their bytes. */
export function compareNode(found: ElfFile, runtime: ElfFile): { issues: string[]; sections: string[] } {
  const layout = runtime.layout();
  const issues: string[] = [];
  const same = (what: string, ...values: readonly [unknown, unknown]): void => {
    if (!isDeepStrictEqual(...values)) issues.push(`${what} is not the runtime's`);
  };
  const sections = [...layout].filter(
    ([name]) => !loaderTables.test(name) && !notes.test(name) && name !== '.tbss',
  );
  for (const [name, section] of sections) {
    const expected = runtime.memory(section);
    if (name === '.rodata') turnFuse(expected);
    same(`section ${name}`, found.memory(section), expected);
  }
  same('the entry point', found.entry, runtime.entry);
  same('the list of libraries', found.dynamicEntries(layout), runtime.dynamicEntries(layout));
  same('the list of symbols', found.dynamicSymbols(layout).sort(), runtime.dynamicSymbols(layout).sort());
  same('what the loader writes', found.relocations(layout).sort(), runtime.relocations(layout).sort());
  issues.push(...segmentIssues(found, runtime));
  return { issues, sections: sections.map(([name]) => name) };
}

function turnFuse(constants: Buffer): void {
  const at = constants.indexOf(fuse);
  assert(at !== -1, 'the runtime can have no files in it');
  constants.write('1', at + fuse.length);
}

/** Beside the runtime's segments there may be notes, and others for data, at addresses of their own. */
function segmentIssues(found: ElfFile, runtime: ElfFile): string[] {
  const issues: string[] = [];
  if (found.hasSharedPages()) issues.push('one part of memory replaces another');
  if (!found.hasOneSegmentTable()) issues.push('the program sees other segments than the kernel');
  for (const own of runtime.loaded) {
    const other = found.loaded.find(({ address }) => address === own.address);
    if (other?.flags !== own.flags || other.memoryBytes !== own.memoryBytes)
      issues.push(`the segment at ${own.address} is not the runtime's`);
    else if (isCode(own) && !wholeOf(found, own).equals(wholeOf(runtime, own)))
      issues.push(`the code at ${own.address} is not the runtime's`);
  }
  const addresses = new Set(runtime.loaded.map(({ address }) => address));
  if (found.loaded.some((segment) => !addresses.has(segment.address) && isCode(segment)))
    issues.push('it has code beside that of the runtime');
  if (!isDeepStrictEqual(othersOf(found), othersOf(runtime)))
    issues.push('the interpreter, the stack or the memory of threads is not the runtime’s');
  return issues;
}

function isCode({ flags }: Segment): boolean {
  return (flags & executableFlag) !== 0;
}

function wholeOf(file: ElfFile, { address, memoryBytes }: Segment): Buffer {
  return file.memory({ address, length: memoryBytes });
}

/** All but the table itself, what is loaded, and notes; of the dynamic section the place. */
function othersOf({ segments }: ElfFile): object[] {
  const { load, note, table, dynamic } = segmentTypes;
  return segments
    .filter(({ type }) => type !== load && type !== note && type !== table)
    .map((segment) => (segment.type === dynamic ? { ...segment, fileBytes: 0, memoryBytes: 0 } : segment));
}
