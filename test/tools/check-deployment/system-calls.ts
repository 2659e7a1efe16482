// The unit's filters of system calls as a program for seccomp, from the lists of systemd itself, by libseccomp.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

export type Filter = {
  /** As in the unit: names and @sets, of which `~` takes away. */
  readonly lines: readonly string[];
  readonly families: readonly string[];
};

/** Its parameters: the families, and the names; what isn't of this architecture is left out. Also what RestrictNamespaces does. */
const program = `
import errno, seccomp, socket, sys
families, names = [each.split() for each in sys.argv[1:]]
rules = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
rules.add_rule(seccomp.ERRNO(errno.ENOSYS), 'clone3') # so that clone is tried
rules.add_rule(seccomp.ALLOW, 'clone', seccomp.Arg(0, seccomp.MASKED_EQ, 0x7e020000, 0)) # CLONE_NEW…
for family in ('AF_UNIX', 'AF_INET', 'AF_INET6', 'AF_NETLINK', 'AF_PACKET'):
    action = seccomp.ALLOW if family in families else seccomp.ERRNO(errno.EAFNOSUPPORT)
    rules.add_rule(action, 'socket', seccomp.Arg(0, seccomp.EQ, getattr(socket, family)))
for name in names:
    if seccomp.resolve_syscall(seccomp.Arch(), name) >= 0: rules.add_rule(seccomp.ALLOW, name)
rules.export_bpf(sys.stdout)
`;

export function seccompProgram({ lines, families }: Filter): Buffer {
  const names = new Set<string>();
  for (const line of lines)
    for (const name of line.replace(/^~/, '').split(' ').flatMap(expanded))
      if (line.startsWith('~')) names.delete(name);
      else names.add(name);
  for (const name of ['clone', 'clone3', 'setns', 'socket', 'unshare']) names.delete(name);
  const args = ['-c', program, families.join(' '), [...names].join(' ')];
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', args);
  assert.equal(status, 0, `python3-seccomp: ${stderr}`);
  return stdout;
}

/** A set of systemd has names and other sets. */
function expanded(word: string): string[] {
  if (!word.startsWith('@')) return [word];
  const { status, stdout } = spawnSync('systemd-analyze', ['syscall-filter', word], { encoding: 'utf8' });
  assert.equal(status, 0, `systemd-analyze doesn't know ${word}`);
  const lines = stdout.split('\n').map((line) => line.trim());
  const [, ...members] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return members.flatMap(expanded);
}
