// The unit's filters of system calls as a program for seccomp (BPF, x64), from the lists of systemd itself.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';

export type Filter = {
  /** As in the unit: names and @sets, of which `~` takes away. */
  readonly lines: readonly string[];
  readonly families: readonly string[];
};

const headers = ['/usr/include/x86_64-linux-gnu/asm/unistd_64.h', '/usr/include/asm/unistd_64.h'];
const familyNumbers: ReadonlyMap<string, number> = new Map([
  ['AF_UNIX', 1],
  ['AF_INET', 2],
  ['AF_INET6', 10],
  ['AF_NETLINK', 16],
]);
const auditArchitecture = 0xc0_00_00_3e; // AUDIT_ARCH_X86_64
const namespaceFlags = 0x7e_02_00_00; // CLONE_NEW…
const at = { number: 0, architecture: 4, firstArgument: 16 }; // in seccomp_data
const allow = 0x7f_ff_00_00;
const kill = 0x80_00_00_00;
const answerError = (errno: number): number => 0x00_05_00_00 | errno;

/** Also what RestrictNamespaces does: no call makes or enters one. */
export function seccompProgram({ lines, families }: Filter): Buffer {
  assert.equal(process.arch, 'x64', 'the filter is for x64');
  const numbers = systemCallNumbers();
  const numberOf = (name: string): number => numbers.get(name) ?? assert.fail(`no system call ${name}`);
  const { errno } = constants;
  const program = [
    load(at.architecture),
    [...ifEqual(auditArchitecture, 1, 0), ...answer(kill)],
    load(at.number),
    [...ifEqual(numberOf('clone3'), 0, 1), ...answer(answerError(errno.ENOSYS))], // so that clone is tried
    [...ifEqual(numberOf('clone'), 0, 4), ...load(at.firstArgument), ...ifAny(namespaceFlags, 0, 1)],
    answer(answerError(errno.EPERM)),
    answer(allow),
    [...ifEqual(numberOf('socket'), 0, families.length + 3), ...load(at.firstArgument)],
    ...families.map((name, index) => {
      const family = familyNumbers.get(name) ?? assert.fail(`the family ${name} isn't known`);
      return ifEqual(family, families.length - index, 0);
    }),
    answer(answerError(errno.EAFNOSUPPORT)),
    answer(allow),
    ...[...namesIn(lines)].flatMap((name) => {
      const number = numbers.get(name); // the sets name calls of other architectures, too
      return number === undefined ? [] : [[...ifEqual(number, 0, 1), ...answer(allow)]];
    }),
    answer(answerError(errno.EPERM)),
  ];
  return Buffer.from(program.flat());
}

function namesIn(lines: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const line of lines)
    for (const word of line.replace(/^~/, '').split(' '))
      for (const name of expanded(word))
        if (line.startsWith('~')) names.delete(name);
        else names.add(name);
  for (const name of ['unshare', 'setns']) names.delete(name);
  return names;
}

/** A set of systemd has names and other sets. */
function expanded(word: string): string[] {
  if (!word.startsWith('@')) return [word];
  const { status, stdout } = spawnSync('systemd-analyze', ['syscall-filter', word], { encoding: 'utf8' });
  assert.equal(status, 0, `systemd-analyze doesn't know ${word}`);
  const [, ...members] = stdout
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  return members.flatMap(expanded);
}

function systemCallNumbers(): ReadonlyMap<string, number> {
  const header = headers.find((file) => existsSync(file)) ?? assert.fail('linux-libc-dev is not installed');
  const found = readFileSync(header, 'utf8').matchAll(/^#define __NR_(\w+) (\d+)$/gm);
  return new Map(Array.from(found, ([, name = '', number]) => [name, Number(number)]));
}

const load = (offset: number): number[] => instruction(0x20, 0, 0, offset);
const ifEqual = (value: number, yes: number, no: number): number[] => instruction(0x15, yes, no, value);
const ifAny = (bits: number, yes: number, no: number): number[] => instruction(0x45, yes, no, bits);
const answer = (action: number): number[] => instruction(0x06, 0, 0, action);

/** The jumps count the instructions that they leave out. */
function instruction(code: number, yes: number, no: number, value: number): number[] {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(yes, 2);
  bytes.writeUInt8(no, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return [...bytes];
}
