// The command that makes a backup, as it is typed where this service was installed.
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { isSea } from 'node:sea';

/** What shows how the service was started. */
type Start = {
  /** The name of npm's script, such as `start`; undefined without npm. */
  readonly npmScript: string | undefined;
  readonly isExecutable: boolean;
  /** The executable, or the file that Node runs. */
  readonly program: string;
  /** The program that runs the container, and the container's name; undefined outside of one. */
  readonly container: readonly [program: string, name: string] | undefined;
};

export function startOfProcess(): Start {
  const [, script = ''] = process.argv;
  const isExecutable = isSea();
  return {
    npmScript: process.env['npm_lifecycle_event'],
    isExecutable,
    program: isExecutable ? process.execPath : script,
    container: containerOfProcess(),
  };
}

/** Programs that run containers leave these files. A container's host name is its name or its id. */
function containerOfProcess(): Start['container'] {
  if (isThere('/run/.containerenv')) return ['podman', hostname()];
  if (isThere('/.dockerenv')) return ['docker', hostname()];
  return undefined;
}

/** Node's permission model may deny the look, with an error. */
function isThere(file: string): boolean {
  try {
    return existsSync(file);
  } catch {
    return false;
  }
}

export function backupCommand(start: Start, dataFolder: string): string {
  const data = dataFolder === 'data' ? '' : ` --data ${quoted(dataFolder)}`;
  return `${callOf(start)} backup${data}`;
}

function callOf({ npmScript, isExecutable, program, container }: Start): string {
  if (npmScript === 'start') return 'npm start --';
  if (npmScript?.startsWith('start') === true) return `npm run ${npmScript} --`;
  const call = isExecutable ? quoted(program) : `node ${quoted(program)}`;
  return container === undefined ? call : `${container[0]} exec ${container[1]} ${call}`;
}

function quoted(path: string): string {
  return /^[\w./:\\-]+$/.test(path) ? path : `"${path}"`;
}
