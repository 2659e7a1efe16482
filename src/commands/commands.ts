// The commands by name, and their help.
import { settings, type CommandFlag, type CommandLine } from '../config.ts';
import { serve } from './serve.ts';

export type Command = {
  readonly summary: string;
  readonly operands: readonly string[];
  readonly flags: readonly CommandFlag[];
  /** Exit status. */
  run(line: CommandLine): Promise<number>;
};

export const commands: Readonly<Record<string, Command>> = { serve };

/** At most 80 columns. */
export function helpText(name?: string): string {
  if (name === undefined) return [usage('[command] [flags]'), '', 'Commands:', ...commandRows(), '', 'Flags of all commands:', ...settingRows(), '', closing].join('\n');
  const command = commands[name];
  const own = command?.flags.map(({ flag, value, help }) => row(`--${flag}${value === undefined ? '' : ` ${value}`}`, help)) ?? [];
  return [usage([name, ...(command?.operands ?? []), '[flags]'].join(' ')), '', command?.summary ?? '', '', 'Flags:', ...own, ...settingRows(), '', closing].join('\n');
}

const closing = 'Each flag can be set by an environment variable (--public-url by\nORDERLY_PUBLIC_URL) or in a .env file; flags win.';

function usage(rest: string): string {
  return `Usage: orderly ${rest}`;
}

function commandRows(): string[] {
  return Object.entries(commands).map(([name, { operands, summary }]) => row([name, ...operands].join(' '), summary));
}

function settingRows(): string[] {
  return settings.map(({ flag, value, fallback, help }) => row(`--${flag} ${value}`, fallback === '' ? help : `${help} (${fallback})`));
}

function row(name: string, text: string): string {
  const width = 27;
  const lines = wrap(text, 80 - width - 2);
  return lines.map((each, index) => `  ${(index === 0 ? name : '').padEnd(width - 2)}  ${each}`.trimEnd()).join('\n');
}

function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

