// The commands by name, and their help.
import type { CommandLine, Syntax } from '../config/command-line.ts';
import { settings } from '../config/settings.ts';
import { adminCreate, adminReset, keysCreate } from './accounts.ts';
import { backUp, restoreBackup } from './backups.ts';
import { check } from './check.ts';
import { exportCustomers, exportEvents, exportOrders } from './export-files.ts';
import { importFile } from './import-file.ts';
import { printOpenapi } from './print-openapi.ts';
import { sample } from './sample.ts';
import { serve } from './serve.ts';

export type Command = Syntax & {
  readonly summary: string;
  /** Returns what is to be printed, or an exit status. */
  run(line: CommandLine): Promise<string | number>;
};

export const commands: Readonly<Record<string, Command>> = {
  serve,
  'admin create': adminCreate,
  'admin reset': adminReset,
  'keys create': keysCreate,
  backup: backUp,
  restore: restoreBackup,
  check,
  'export orders': exportOrders,
  'export customers': exportCustomers,
  'export events': exportEvents,
  import: importFile,
  sample,
  openapi: printOpenapi,
};

/** The commands of this name, or those whose first word it is. */
export function familyOf(name: string): string[] {
  return Object.keys(commands).filter((known) => known === name || known.startsWith(`${name} `));
}

/** Of all commands, of one, or of those whose first word this is; at most 80 columns. */
export function helpText(name?: string): string {
  if (name === undefined) return overview();
  const texts = familyOf(name).map((each) => helpOf(each, commands[each] ?? serve));
  return texts.join('\n\n');
}

function overview(): string {
  const rows = Object.entries(commands).map(([name, { operands, summary }]) => {
    const words = [name, ...operands];
    if (name === 'serve') words.push('(default)');
    return row(words.join(' '), summary);
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
ORDERLY_PUBLIC_URL), which a .env file can hold, too; flags win.
--help (-h) after a command shows what it takes; --version (-v) is of orderly.`;

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

/** A longer word gets a line of its own. */
function wrap(text: string, width: number): string[] {
  return text.match(new RegExp(`\\S.{0,${width - 1}}(?= |$)|\\S+`, 'g')) ?? [];
}
