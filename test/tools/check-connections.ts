// `npm run check:connections`: the black-box tests, against a service in whose process connect(2) fails. Webhooks are not
// among these tests. Needs strace.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noStrace } from '../torture/traced-writes.ts';

/** The tests that need nothing but a program, for the service and for commands; none has a webhook. */
const tests = [
  'test/requirements/requirements.test.ts',
  'test/commands/*.test.ts',
  'test/http/telemetry/metrics-text.test.ts',
  'test/torture/*.test.ts',
];
const unable = noStrace();
if (unable !== false) throw new Error(unable);
const project = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'orderly-connections-'));
const [program, trace] = [join(folder, 'orderly'), join(folder, 'trace')];
// -D: the process of the program is the service, which the tests send signals to
const strace = `strace -D -f --seccomp-bpf -qq -A -o '${trace}' -e trace=connect,%process -e inject=connect:error=EPERM`;
const service = `'${process.execPath}' '${join(project, 'src/start.js')}'`;
try {
  writeFileSync(program, `#!/bin/sh\nexec ${strace} ${service} "$@"\n`, { mode: 0o755 });
  const { status } = spawnSync(process.execPath, ['--test', '--test-isolation=none', ...tests], {
    cwd: project,
    stdio: 'inherit',
    env: { ...process.env, ORDERLY_EXECUTABLE: program },
  });
  const lines = readFileSync(trace, 'utf8').split('\n');
  const connections = lines.filter((line) => line.includes('connect('));
  console.log(`${lines.length} system calls traced, ${connections.length} of them connect(2)`);
  for (const line of connections.slice(0, 20)) console.log(line);
  process.exitCode = connections.length > 0 || lines.length < 2 ? 1 : (status ?? 1);
} finally {
  rmSync(folder, { recursive: true });
}
