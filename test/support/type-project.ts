// Runs the compiler on files of a test.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's own folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

export type Ending = { after(end: () => void): void };

/** Creates a folder with the project's settings and these files. */
export function projectFor(t: Ending, files: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-types-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const settings = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(root, 'node_modules', '@types')] },
    include: [],
    files,
  };
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  return folder;
}

export type CompileError = { readonly file: string; readonly line: string; readonly code: string };

export async function compileErrors(folder: string): Promise<CompileError[]> {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { promise, resolve } = Promise.withResolvers<{ readonly isGood: boolean; readonly output: string }>();
  execFile(
    process.execPath,
    [compiler, '--pretty', 'false', '--singleThreaded', '-p', folder],
    { cwd: folder },
    (error, output) => resolve({ isGood: error === null, output }),
  );
  const { isGood, output } = await promise;
  const found = [...output.matchAll(/^(.+?)\((\d+),\d+\): error (TS\d+)/gm)];
  assert.equal(isGood, found.length === 0, output);
  return found.map(([, file = '', line = '', code = '']) => ({ file, line, code }));
}
