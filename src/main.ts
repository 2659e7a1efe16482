// The edges of the process: command line → command → exit status.
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { commands, helpText, type Command } from './commands/commands.ts';
import { ConfigError, readCommandLine } from './config.ts';
import { StorageError } from './storage/data-folder.ts';

/** sysexits.h: a wrong setting is EX_CONFIG, wrong usage EX_USAGE. */
const exitStatus = { ok: 0, failure: 1, usage: 64, config: 78 } as const;

export async function run(argv: readonly string[]): Promise<number> {
  const [first = 'serve', second = ''] = argv;
  if (argv.includes('--version')) return say(version());
  const names = Object.keys(commands);
  const name = first.startsWith('-') ? 'serve' : names.includes(`${first} ${second}`) ? `${first} ${second}` : first;
  const command = commands[name];
  if (first === '--help' || first === 'help') return say(helpText());
  if (command === undefined) return complain(`orderly has no command "${first}"; it has ${names.join(', ')}.`, exitStatus.usage);
  if (argv.includes('--help')) return say(helpText(name));
  return runCommand(command, argv.slice(first.startsWith('-') ? 0 : name.split(' ').length));
}

async function runCommand(command: Command, argv: readonly string[]): Promise<number> {
  try {
    return await command.run(readCommandLine(argv, process.env, dotEnv(), command.flags, command.operands.length));
  } catch (error) {
    if (error instanceof ConfigError) return complain(error.faults.map((fault) => `orderly: ${fault}`).join('\n'), exitStatus.config);
    if (error instanceof StorageError) return complain(`orderly: ${error.message}`, exitStatus.failure);
    throw error;
  }
}

function dotEnv(): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync('.env', 'utf8'));
  } catch {
    return {};
  }
}

function version(): string {
  return process.env['npm_package_version'] ?? '1.0.0';
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return exitStatus.ok;
}

function complain(text: string, status: number): number {
  process.stderr.write(`${text}\n`);
  return status;
}
