// Compares the Node in an executable with the runtime that it was made from. Node has a byte changed, which says that it
// has files in it; and the tables for the system's loader are sorted anew, so what they say is compared.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { ElfFile, Section } from './elf-file.ts';

/** Node looks for this text in itself; the build turns its last character from 0 to 1. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:';
/** Compared by what they say. The hash table finds symbols among those that are compared. */
const loaderTables = /^\.(dynamic|dynsym|dynstr|gnu\.hash|gnu\.version(_r)?|rela\.(dyn|plt))$/;
/** They name the build, and nothing reads them. */
const remarks = /^\.note\./;

/** Returns what differs, and which sections were compared by their bytes. */
export function compareNode(found: ElfFile, runtime: ElfFile): { issues: string[]; sections: string[] } {
  const issues: string[] = [];
  const same = (what: string, ...values: readonly [unknown, unknown]): void => {
    if (!isDeepStrictEqual(...values)) issues.push(`${what} is not the runtime's`);
  };
  const sections = [...runtime.sections.values()].filter(
    ({ name, isLoaded }) => isLoaded && !loaderTables.test(name) && !remarks.test(name),
  );
  for (const section of sections) {
    const { bytes, address, length } = found.sections.get(section.name) ?? {};
    same(`section ${section.name}`, { bytes, address, length }, expectedOf(section));
  }
  same('the entry point', found.entry, runtime.entry);
  same('the protection of the stack', found.stackFlags, runtime.stackFlags);
  same('the list of libraries', found.dynamicEntries(), runtime.dynamicEntries());
  same('the list of symbols', found.dynamicSymbols().sort(), runtime.dynamicSymbols().sort());
  same('what the loader writes', found.relocations().sort(), runtime.relocations().sort());
  issues.push(...segmentIssues(found, runtime));
  return { issues, sections: sections.map(({ name }) => name) };
}

function expectedOf({
  name,
  bytes,
  address,
  length,
}: Section): Pick<Section, 'bytes' | 'address' | 'length'> {
  const at = bytes.indexOf(fuse);
  if (name !== '.rodata') return { bytes, address, length };
  assert(at !== -1, 'the runtime can have no files in it');
  const changed = Buffer.from(bytes);
  changed.write('1', at + fuse.length);
  return { bytes: changed, address, length };
}

/** Beside the runtime's segments there may be others for data, at addresses of their own. */
function segmentIssues(found: ElfFile, runtime: ElfFile): string[] {
  const issues: string[] = [];
  const loaded = found.loaded;
  for (const [index, { address }] of loaded.entries()) {
    const before = loaded[index - 1];
    if (before !== undefined && before.address + before.memoryBytes > address)
      issues.push(`what is loaded at ${address} covers what is before it`);
  }
  for (const own of runtime.loaded) {
    const other = loaded.find(({ address }) => address === own.address);
    if (other?.flags !== own.flags || other.memoryBytes !== own.memoryBytes) {
      issues.push(`the segment at ${own.address} is not the runtime's`);
      continue;
    }
    if (own.isExecutable && !found.bytesOf(other).equals(runtime.bytesOf(own)))
      issues.push(`the code at ${own.address} is not the runtime's`);
    const rest = found.bytesOf(other).subarray(own.fileBytes); // memory that begins as zeros
    if (rest.some((byte) => byte !== 0)) issues.push(`the segment at ${own.address} does not end with zeros`);
  }
  const addresses = new Set(runtime.loaded.map(({ address }) => address));
  const added = loaded.filter(({ address }) => !addresses.has(address));
  if (added.some(({ isExecutable }) => isExecutable)) issues.push('it has code beside that of the runtime');
  return issues;
}
