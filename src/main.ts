// The edges of the process: command line → command → exit status.
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { commands, helpText } from './commands/commands.ts';
import { print } from './commands/terminal.ts';
import { ConfigError, readCommandLine } from './config.ts';
import { Problem } from './errors.ts';
import { StorageError } from './storage/data-folder.ts';
import { keepsCommits } from './storage/sqlite-version.ts';
import { version } from './version.ts';

/** sysexits.h: a wrong setting is EX_CONFIG, wrong usage EX_USAGE. */
const exitStatus = { ok: 0, failure: 1, usage: 64, config: 78 } as const;

export async function run(argv: readonly string[]): Promise<number> {
  // A reader that leaves, as in "| head", ends no service; a result that can't be written makes `print`
  // reject.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    return await choose(argv);
  } catch (error) {
    if (error instanceof ConfigError)
      return complain(error.faults, error.isUsage ? exitStatus.usage : exitStatus.config);
    if (isExpected(error))
      return complain('code' in error && error.code === 'EPIPE' ? [] : [error.message], exitStatus.failure);
    throw error;
  }
}

async function choose(argv: readonly string[]): Promise<number> {
  const [first = 'serve', second = ''] = argv;
  const name = nameOf(first, second);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (argv.includes('--version')) return say(version);
  if (first === '--help') return say(helpText());
  if (command === undefined)
    throw new ConfigError(
      [],
      [`there is no command "${first}"; there are ${Object.keys(commands).join(', ')}`],
    );
  if (argv.includes('--help')) return say(helpText(name));
  refuseUnsafeSqlite();
  const given = argv.slice(first.startsWith('-') ? 0 : name.split(' ').length);
  const outcome = await command.run(readCommandLine(given, process.env, dotEnv(), command));
  return typeof outcome === 'string' ? say(outcome) : outcome;
}

/** Of a command: one word or two, `serve` if a flag comes first. */
function nameOf(first: string, second: string): string {
  if (first.startsWith('-')) return 'serve';
  const both = `${first} ${second}`;
  return Object.hasOwn(commands, both) ? both : first;
}

function refuseUnsafeSqlite(): void {
  const { node, sqlite = 'of an unknown version' } = process.versions;
  if (keepsCommits(sqlite)) return;
  throw new ConfigError([
    `SQLite ${sqlite}, which Node ${node} brings along, can lose what was committed ` +
      '(https://sqlite.org/wal.html#walresetbug): use a newer Node, such as "npm install" brings along.',
  ]);
}

function dotEnv(): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync('.env', 'utf8'));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // There is none, or Node's permission model keeps it away.
    if (code === 'ENOENT' || code === 'ERR_ACCESS_DENIED') return {};
    throw new ConfigError([`.env can't be read: ${String(error)}`]);
  }
}

/** Not a fault of the program: told in a sentence, without a stack trace. */
function isExpected(error: unknown): error is Error {
  return (
    error instanceof StorageError ||
    error instanceof Problem ||
    (error instanceof Error && ('syscall' in error || 'errcode' in error || 'permission' in error))
  );
}

async function say(text: string): Promise<number> {
  await print(text);
  return exitStatus.ok;
}

function complain(faults: readonly string[], status: number): number {
  process.stderr.write(faults.map((fault) => `orderly: ${fault}\n`).join(''));
  return status;
}
