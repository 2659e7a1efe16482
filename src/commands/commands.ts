// The commands in one table, and their help. The code of a command is loaded when it runs: most of the code belongs to
// `serve`, and no other command needs it.
import { wholeNumberRule, type CommandFlag } from '../config/settings.ts';
import type { CommandLine, Syntax } from '../service/command-line.ts';
import { declared, settings } from '../service/features.ts';
import { keptBackupsMax, keptBackupsOfDayMax } from '../storage/kept-backups.ts';

export type Command = Syntax & {
  readonly summary: string;
  /** Whether the command uses no data folder. */
  readonly needsNoFolder?: true;
  /** Returns the text to print, or an exit status. */
  readonly run: (line: CommandLine) => Promise<string | number>;
};

const emailFlag: CommandFlag = {
  flag: 'email',
  value: 'EMAIL',
  help: 'e-mail address of the user',
  isRequired: true,
};

const table = {
  serve: {
    summary: 'runs the service',
    run: async (line) => (await import('./serve.ts')).serve(line),
  },
  'admin create': {
    summary: 'creates an administrator and prints a random password once',
    flags: [
      emailFlag,
      { flag: 'name', value: 'NAME', help: 'the name of the administrator (Administrator)' },
    ],
    run: async (line) => (await import('./accounts.ts')).createAdmin(line),
  },
  'admin reset': {
    summary:
      'sets a new random password, prints it once, and ends the user’s sessions, keys and one-time codes',
    flags: [emailFlag],
    run: async (line) => (await import('./accounts.ts')).resetAdmin(line),
  },
  'keys create': {
    summary: 'creates an API key, valid for a year, and prints it once',
    flags: [
      emailFlag,
      { flag: 'name', value: 'NAME', help: 'what the key is for', isRequired: true },
      {
        flag: 'scopes',
        value: 'LIST',
        help: `what it may do: any of ${declared.scopes.join(', ')}`,
        isRequired: true,
      },
    ],
    run: async (line) => (await import('./accounts.ts')).createKey(line),
  },
  backup: {
    summary:
      'copies the database, even while the service runs: to FILE, or to backups/ of the data folder, which ' +
      `keeps the newest ${keptBackupsMax}, at most ${keptBackupsOfDayMax} of a day`,
    operands: ['[FILE]'],
    run: async (line) => (await import('./backups.ts')).backUp(line),
  },
  restore: {
    summary: 'replaces the database with the backup FILE',
    operands: ['FILE'],
    flags: [{ flag: 'force', help: 'replace an existing database, and keep it beside the restored one' }],
    run: async (line) => (await import('./backups.ts')).restoreBackup(line),
  },
  check: {
    summary: 'checks the database; the exit status is 1 if anything is wrong',
    run: async (line) => (await import('./check.ts')).checkDatabase(line),
  },
  sample: {
    summary: 'fills an empty database with realistic users, products, customers and orders of a year',
    flags: [
      { flag: 'orders', value: 'N', help: 'number of orders (1000)', rule: wholeNumberRule(1, 10_000_000) },
      {
        flag: 'seed',
        value: 'N',
        help: 'the same seed gives the same data (1)',
        rule: wholeNumberRule(0, 4_294_967_295),
      },
      {
        flag: 'until',
        value: 'TIME',
        help: 'time of the last order: now, or a time (2026-01-01T00:00:00Z)',
        rule: nowOrTime,
      },
    ],
    run: async (line) => (await import('./sample.ts')).addSampleData(line),
  },
  openapi: {
    summary: 'prints the OpenAPI document',
    needsNoFolder: true,
    run: async (line) => (await import('./print-openapi.ts')).printOpenapi(line),
  },
  licenses: {
    summary: 'prints the licences of orderly, of the data in its tables, and of Node',
    needsNoFolder: true,
    run: async () => (await import('./licenses.ts')).licenseTexts(),
  },
} satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof table;
export const commands: Readonly<Record<CommandName, Command>> = table;
export const commandNames = Object.keys(commands).filter(isCommand);

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(table, name);
}

/** Returns the command of this name, or the commands of which it is the first word. */
export function commandsUnder(name: string): CommandName[] {
  return commandNames.filter((known) => known === name || known.startsWith(`${name} `));
}

function nowOrTime(text: string): string | undefined {
  const isTime = text === 'now' || !Number.isNaN(Date.parse(text));
  return isTime ? undefined : 'must be now, or a time such as 2026-01-01';
}

/**
 * Returns the help of all commands, of one command, or of the commands with this first word, in at most 80
 * columns.
 */
export function helpText(name?: string): string {
  if (name === undefined) return overview();
  return commandsUnder(name).map(helpOf).join('\n\n');
}

function overview(): string {
  const rows = commandNames.map((name) => {
    const { operands = [], summary } = commands[name];
    const suffix = name === 'serve' ? ['(default)'] : [];
    return row([name, ...operands, ...suffix].join(' '), summary);
  });
  return [
    'Usage: orderly [command] [flags]',
    '',
    'Commands:',
    ...rows,
    '',
    'Flags of all commands:',
    ...settingRows(),
    '',
    closing,
  ].join('\n');
}

function helpOf(name: CommandName): string {
  const { operands = [], flags = [], summary } = commands[name];
  const required = flags
    .filter(({ isRequired }) => isRequired)
    .map(({ flag, value }) => `--${flag} ${value}`);
  const own = flags.map(({ flag, value, help }) =>
    row(`--${flag}${value === undefined ? '' : ` ${value}`}`, help),
  );
  const usage = ['Usage: orderly', name, ...operands, ...required, '[flags]'].join(' ');
  return [
    usage,
    '',
    ...wrap(`${name} ${summary}.`, columnsMax),
    '',
    'Flags:',
    ...own,
    ...settingRowsOf(name),
    '',
    closing,
  ].join('\n');
}

function settingRowsOf(name: string): string[] {
  if (name === 'serve') return settingRows();
  const dataRow = settingRows(settings.filter(({ flag }) => flag === 'data'));
  return [...dataRow, '  and the settings in "orderly --help"'];
}

const columnsMax = 80;
const closing = `Each setting of serve has an environment variable (--public-url is
ORDERLY_PUBLIC_URL), which can also be set in a .env file; flags win.
--help (-h) after a command describes it; --version (-v) prints the version.`;

function settingRows(shown = settings): string[] {
  return shown.map(({ flag, value, fallback, help }) =>
    row(`--${flag} ${value}`, fallback === '' ? help : `${help} (${fallback})`),
  );
}

function row(name: string, text: string): string {
  const width = 27;
  const lines = wrap(text, columnsMax - width - 2);
  return lines
    .map((each, index) => `  ${(index === 0 ? name : '').padEnd(width - 2)}  ${each}`.trimEnd())
    .join('\n');
}

/** Breaks a text into lines; a word longer than `width` gets its own line. */
function wrap(text: string, width: number): string[] {
  return text.match(new RegExp(`\\S.{0,${width - 1}}(?= |$)|\\S+`, 'g')) ?? [];
}
