// The commands by name, and their help.
import { settings } from '../service/features.ts';
import type { Command } from './command.ts';

/** The commands, loaded when they are used: `serve` is most of the code, and no other command needs it. */
const loaders = {
  serve: async () => (await import('./serve.ts')).serve,
  'admin create': async () => (await import('./accounts.ts')).adminCreate,
  'admin reset': async () => (await import('./accounts.ts')).adminReset,
  'keys create': async () => (await import('./accounts.ts')).keysCreate,
  backup: async () => (await import('./backups.ts')).backUp,
  restore: async () => (await import('./backups.ts')).restoreBackup,
  check: async () => (await import('./check.ts')).check,
  sample: async () => (await import('./sample.ts')).sample,
  openapi: async () => (await import('./print-openapi.ts')).printOpenapi,
  licenses: async () => (await import('./licenses.ts')).licenses,
} satisfies Readonly<Record<string, () => Promise<Command>>>;

export type CommandName = keyof typeof loaders;
export const commandNames = Object.keys(loaders).filter(isCommand);

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(loaders, name);
}

export function loadCommand(name: CommandName): Promise<Command> {
  return loaders[name]();
}

/** Returns the command of this name, or the commands of which it is the first word. */
export function commandsUnder(name: string): CommandName[] {
  return commandNames.filter((known) => known === name || known.startsWith(`${name} `));
}

/**
 * Returns the help of all commands, of one command, or of the commands with this first word, in at most 80
 * columns.
 */
export async function helpText(name?: string): Promise<string> {
  if (name === undefined) return overview();
  const texts: string[] = [];
  for (const each of commandsUnder(name)) texts.push(helpOf(each, await loadCommand(each)));
  return texts.join('\n\n');
}

async function overview(): Promise<string> {
  const rows: string[] = [];
  for (const name of commandNames) {
    const { operands, summary } = await loadCommand(name);
    const words: string[] = [name, ...operands];
    if (name === 'serve') words.push('(default)');
    rows.push(row(words.join(' '), summary));
  }
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

function helpOf(name: string, { operands, flags, summary }: Command): string {
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
