// What a command is.
import type { CommandLine, Syntax } from '../service/command-line.ts';

export type Command = Syntax & {
  readonly summary: string;
  /** Returns the text to print, or an exit status. */
  run(line: CommandLine): Promise<string | number>;
};
