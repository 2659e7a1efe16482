// Installs Fastify at its locked versions into a temporary folder, once, so that the project gains no package.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { runOnCore } from './children.ts';

const installSeconds = 300;

/** Returns the folder. It is named after its contents, so that a change of the peer makes a new one. */
export async function installFastify(say: (text: string) => void): Promise<string> {
  const source = join(import.meta.dirname, 'peers/fastify');
  const own = ownFolder();
  const folder = join(own, hashOf(source));
  if (existsSync(folder)) return folder;
  say('installing Fastify');
  const unfinished = mkdtempSync(join(own, 'unfinished-'));
  try {
    cpSync(source, unfinished, { recursive: true });
    // Npm has to run on this Node, not on the one of the machine.
    const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
    const command = ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    await runOnCore({ command, cores: 'any', cwd: unfinished, env: { PATH: path } }, installSeconds);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** Code is run from there, so nobody else may be able to write to it. */
function ownFolder(): string {
  const { uid } = userInfo();
  const folder = join(tmpdir(), `orderly-bench-${uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid: owner, mode } = lstatSync(folder);
  if (owner !== uid || (mode & 0o077) !== 0) throw new Error(`${folder} is not this user's alone.`);
  return folder;
}

function hashOf(source: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(source).sort()) hash.update(name).update(readFileSync(join(source, name)));
  return hash.digest('hex').slice(0, 16);
}
