// `orderly backup`: copies the database, also while a service writes to it.
import { statSync } from 'node:fs';
import type { CommandLine } from '../config.ts';
import { backup } from '../storage/backup.ts';
import type { Command } from './commands.ts';
import { print, withProgress } from './terminal.ts';

export const backUp: Command = { summary: 'copies the database to FILE, also while the service runs', operands: ['FILE'], flags: [], run };

async function run({ config, operands: [file = ''] }: CommandLine): Promise<number> {
  await withProgress('Backing up', (at) => backup(config.data, file, at));
  await print(`The database is in ${file}, ${(statSync(file).size / 1e6).toFixed(1)} MB.\nIts secret and certificate are not: they stay in ${config.data}.`);
  return 0;
}
