// Files of a package of npm, which isn't installed in the project.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns the contents of JSON files. */
export function jsonOf(name: string, ...files: readonly string[]): unknown[] {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-package-'));
  try {
    const packed = execFileSync('npm', ['pack', '--silent', name], { cwd: folder, encoding: 'utf8' }).trim();
    execFileSync('tar', ['xzf', packed], { cwd: folder });
    return files.map((file) => JSON.parse(readFileSync(join(folder, 'package', file), 'utf8')));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
