// Builds dist/orderly twice, compares the two, and what is in one with the sources, starts one in an empty folder, and
// runs the black-box tests with it: `node test/tools/check-executable.ts`. Takes about three minutes, since each start
// and sign-in hashes passwords with the real cost.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../support/child-service.ts';
import { buildExecutable } from './build-executable.ts';
import { contentsOf } from './check-contents.ts';

const project = join(import.meta.dirname, '../..');
const executable = join(project, 'dist/orderly');
const startsCount = 5;
const blackBox = [
  'test/requirements/requirements.test.ts',
  'test/commands/*.test.ts',
  'test/http/telemetry/metrics-text.test.ts',
];

const folder = mkdtempSync(join(tmpdir(), 'orderly-executable-'));
process.removeAllListeners('warning'); // that taking types out is still an experiment of Node's
try {
  buildExecutable(executable, false);
  buildExecutable(join(folder, 'again'), false);
  const bytes = readFileSync(executable);
  const isSame = bytes.equals(readFileSync(join(folder, 'again')));
  console.log(`two builds are ${isSame ? 'the same to the byte' : 'NOT the same'}`);
  const isRight = contentsAreRight(bytes);
  const first = await startMilliseconds();
  const later: number[] = [];
  while (later.length < startsCount) later.push(await startMilliseconds());
  console.log(
    `it listens after ${first} ms in an empty folder (an administrator's password is hashed), ` +
      `later after ${later.sort((a, b) => a - b).join(', ')} ms`,
  );
  const { status } = spawnSync(process.execPath, ['--test', '--test-isolation=none', ...blackBox], {
    cwd: project,
    stdio: 'inherit',
    env: { ...process.env, ORDERLY_EXECUTABLE: executable },
  });
  process.exitCode = isSame && isRight ? (status ?? 1) : 1;
} finally {
  rmSync(folder, { recursive: true });
}

/** Milliseconds from the start of the process until it listens, on the same folder each time. */
async function startMilliseconds(): Promise<number> {
  const start = performance.now();
  const service = await startChild({ folder: join(folder, 'data'), program: [executable] });
  const milliseconds = Math.round(performance.now() - start);
  await service.kill('SIGTERM');
  return milliseconds;
}

/** Whether the contents are those of the sources, and a copy of them with one other bit is found out. */
function contentsAreRight(bytes: Buffer): boolean {
  const { issues, report } = contentsOf(bytes);
  for (const line of [...report, ...issues]) console.log(line);
  const changes = ['orderly needs Node', 'HMAC_CTX_new', 'libstdc++.so.6', 'function internalBinding'];
  const unseen = changes.filter((text) => {
    const changed = Buffer.from(bytes);
    const at = changed.indexOf(text);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    return at === -1 || contentsOf(changed).issues.length === 0;
  });
  console.log(`of ${changes.length} changes of one bit, ${unseen.length} are not seen ${unseen.join(', ')}`);
  return issues.length === 0 && unseen.length === 0;
}
