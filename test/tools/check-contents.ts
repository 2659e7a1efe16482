// `npm run check:contents FILE`: builds this checkout's commit, and compares an executable of the same commit with the
// result, byte by byte. With STRIP=1 for one without Node's symbols, which takes the same binutils.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildExecutable } from './build-executable.ts';
import { buildVersion, project } from './staged-sources.ts';

const [, , file = join(project, 'dist/orderly')] = process.argv;
process.removeAllListeners('warning'); // that taking types out is still an experiment of Node's
const version = buildVersion();
const found = readFileSync(file);
if (!found.includes(`export const version = '${version}';`))
  throw new Error(`${file} isn't of this checkout, which is ${version}: check out what its --version names.`);
const folder = mkdtempSync(join(tmpdir(), 'orderly-contents-'));
try {
  const built = join(folder, 'orderly');
  buildExecutable(built, process.env['STRIP'] === '1');
  const isEqual = found.equals(readFileSync(built));
  console.log(
    `${file}, ${version}: ${isEqual ? 'equal to the byte' : 'DIFFERS from its sources and runtime'}`,
  );
  process.exitCode = isEqual ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
