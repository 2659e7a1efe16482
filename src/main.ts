// Runs the command of the command line, and sets the exit status of the process.
import { lstatSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { isSystemError, systemErrorText } from './base/system-error.ts';
import { version } from './base/version.ts';
import {
  commandNames,
  commands,
  commandsUnder,
  helpText,
  isCommand,
  type Command,
} from './commands/commands.ts';
import { print } from './commands/terminal.ts';
import { CommandError, ConfigError } from './config/command-error.ts';
import type { Environment } from './config/config.ts';
import { parseDotEnv } from './config/dot-env.ts';
import { Problem } from './problem.ts';
import { flagsTakenByNpm, readCommandLine, type CommandLine } from './service/command-line.ts';
import { settings } from './service/features.ts';
import { databaseFile, hasWalResetFix } from './storage/database-file.ts';
import { claimFolder } from './storage/private-files.ts';
import { isDamage, StorageError, toStorageError } from './storage/storage-error.ts';

/** sysexits.h: a wrong setting is EX_CONFIG, wrong usage EX_USAGE. */
const exitStatus = { ok: 0, failure: 1, usage: 64, config: 78 } as const;

export async function run(argv: readonly string[]): Promise<number> {
  // A closed pipe, as in "| head", must not end a service; a result that can't be written makes `print`
  // reject.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    return await runCommand(argv);
  } catch (error) {
    if (error instanceof ConfigError)
      return report(error.issues, error.isUsage ? exitStatus.usage : exitStatus.config);
    if (!isExpected(error)) throw error;
    return report(sentencesOf(error), exitStatus.failure);
  }
}

async function runCommand(argv: readonly string[]): Promise<number> {
  if (argv.includes('--version') || argv.includes('-v')) return printResult(version);
  const isHelp = argv[0] === 'help' || argv.some(isHelpFlag);
  const words = argv[0] === 'help' ? argv.slice(1) : argv;
  const name = commandName(words);
  if (isHelp && isHelpFlag(words[0] ?? '--help')) return printResult(helpText());
  if (isHelp && commandsUnder(name).length > 0) return printResult(helpText(name));
  const takenByNpm = flagsTakenByNpm(argv, process.env, settings);
  if (takenByNpm.length > 0) throw new ConfigError(takenByNpm);
  if (!isCommand(name) || isHelp) throw unknownCommand(words, name);
  rejectUnsafeSqlite();
  rejectDeletedFolder();
  const command = commands[name];
  const isNamed = words[0] !== undefined && !words[0].startsWith('-');
  const given = words.slice(isNamed ? name.split(' ').length : 0);
  const variables = { environment: process.env, dotEnv: dotEnv() };
  const commandLine = readCommandLine(given, variables, command);
  if (name !== 'serve') volunteerForOomKill();
  if (command.needsNoFolder !== true) claimFolder(commandLine.config.dataFolder);
  const outcome = await runOnFolder(command, commandLine);
  return typeof outcome === 'string' ? printResult(outcome) : outcome;
}

/** SQLite's own words for damage, wherever it is found, don't name the file. */
async function runOnFolder(command: Command, commandLine: CommandLine): Promise<string | number> {
  try {
    return await command.run(commandLine);
  } catch (error) {
    throw isDamage(error) ? toStorageError(error, databaseFile(commandLine.config.dataFolder)) : error;
  }
}

function isHelpFlag(word: string): boolean {
  return word === '--help' || word === '-h';
}

/** Returns the first word or the first two, or `serve` if a flag comes first. */
function commandName([first = 'serve', second = '']: readonly string[]): string {
  if (first.startsWith('-')) return 'serve';
  const both = `${first} ${second}`;
  return isCommand(both) ? both : first;
}

function unknownCommand(words: readonly string[], name: string): ConfigError {
  const family = commandsUnder(name);
  const given = family.length > 0 ? words.slice(0, 2).join(' ') : name;
  const choices = family.length > 0 ? family : commandNames;
  return new ConfigError([], [`there is no command "${given}"; there are ${choices.join(', ')}`]);
}

function rejectUnsafeSqlite(): void {
  const { node, sqlite = 'of an unknown version' } = process.versions;
  if (hasWalResetFix(sqlite)) return;
  throw new ConfigError([
    `SQLite ${sqlite}, which Node ${node} includes, can lose committed changes ` +
      '(https://sqlite.org/wal.html#walresetbug): use a newer Node, such as "npm install" installs.',
  ]);
}

/** In a deleted folder Node can start no thread. */
function rejectDeletedFolder(): void {
  try {
    process.cwd();
  } catch {
    throw new ConfigError(['the working directory was deleted: change to another']);
  }
}

/** Where memory runs out, the kernel ends this command rather than the service beside it. */
function volunteerForOomKill(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '500');
  } catch {} // only Linux has such a score
}

function dotEnv(): Environment {
  try {
    rejectForeignDotEnv();
    const { variables, issues } = parseDotEnv(
      new TextDecoder('utf-8', { fatal: true }).decode(readFileSync('.env')),
    );
    if (issues.length > 0) throw new ConfigError(issues);
    return variables;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // The file is missing, or Node's permission model denies access to it.
    if (code === 'ENOENT' || code === 'ERR_ACCESS_DENIED') return {};
    if (isSystemError(error) && error.syscall === 'lstat') return {}; // the folder can't be searched, as /root by others
    if (error instanceof ConfigError) throw error;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new ConfigError(['.env is not UTF-8: save it as UTF-8']);
    throw new ConfigError([isSystemError(error) ? `.env ${systemErrorText(error)}` : String(error)]);
  }
}

/** Rejects a .env that neither this account nor root wrote: its settings may be secrets that their author knows. */
function rejectForeignDotEnv(): void {
  const trusted = [0, process.geteuid?.()];
  if ([lstatSync('.env'), statSync('.env')].every(({ uid }) => trusted.includes(uid))) return;
  throw new ConfigError(['.env belongs to another account: use flags, or a .env of your own']);
}

/** Whether the error is not a defect of the program, and is therefore reported without a stack trace. */
function isExpected(error: unknown): error is Error | Problem {
  if (error instanceof CommandError || error instanceof StorageError || error instanceof Problem) return true;
  return error instanceof Error && ('syscall' in error || 'errcode' in error || 'permission' in error);
}

/** Returns no sentence for EPIPE, since nobody reads the output any more. */
function sentencesOf(error: Error | Problem): string[] {
  if (error instanceof Problem) return [error.detail];
  if (!isSystemError(error)) return [error.message];
  if (error.code === 'EPIPE') return [];
  return [`${error.path ?? 'the output'} ${systemErrorText(error)}`];
}

async function printResult(text: string): Promise<number> {
  await print(text);
  return exitStatus.ok;
}

function report(issues: readonly string[], status: number): number {
  process.stderr.write(issues.map((issue) => `orderly: ${issue}\n`).join(''));
  return status;
}
