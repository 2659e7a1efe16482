// Builds dist/orderly twice, compares the two, starts one in an empty folder, and runs the black-box tests with it:
// `node test/tools/check-executable.ts`. Takes about three minutes, since each start and sign-in hashes passwords with the
// real cost.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../support/child-service.ts';
import { buildExecutable } from './build-executable.ts';

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
  const isSame = readFileSync(executable).equals(readFileSync(join(folder, 'again')));
  console.log(`two builds are ${isSame ? 'the same to the byte' : 'NOT the same'}`);
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
  process.exitCode = isSame ? (status ?? 1) : 1;
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
