// The command by which a timer makes a backup where this service was installed.
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { isSea } from 'node:sea';

/** What shows how the service was started. */
type Start = {
  /** The executable; or Node, and the file that it runs. */
  readonly program: readonly string[];
  /** The program that runs the container, and the container's name; undefined outside of one. */
  readonly container: readonly [program: string, name: string] | undefined;
};

export function startOfProcess(): Start {
  const [, script = ''] = process.argv;
  return {
    program: isSea() ? [process.execPath] : [process.execPath, script],
    container: containerOfProcess(),
  };
}

/** Programs that run containers leave these files. A container's host name is its name or its id. */
function containerOfProcess(): Start['container'] {
  if (isThere('/run/.containerenv')) return ['podman', hostname()];
  if (isThere('/.dockerenv')) return ['docker', hostname()];
  return undefined;
}

/** Node's permission model may deny access, which throws. */
function isThere(file: string): boolean {
  try {
    return existsSync(file);
  } catch {
    return false;
  }
}

/** A timer runs it in another folder and with another PATH: everything in it is absolute. */
export function backupCommand({ program, container }: Start, dataFolder: string): string {
  const call = container === undefined ? [] : [container[0], 'exec', container[1]];
  return [...call, ...program, 'backup', '--data', resolve(dataFolder)].map(quoted).join(' ');
}

function quoted(path: string): string {
  return /^[\w./:\\-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
