// `orderly restore`: puts a backup in the place of the database.
import type { CommandLine } from '../config.ts';
import { migrations } from '../migrations/migrations.ts';
import { restore } from '../storage/backup.ts';
import type { Command } from './commands.ts';
import { print, withProgress } from './terminal.ts';

export const restoreBackup: Command = {
  summary: 'puts the backup FILE in the place of the database', operands: ['FILE'],
  flags: [{ flag: 'force', help: 'replace a database that is there; all that came after the backup is lost' }], run,
};

async function run({ config, operands: [file = ''], flags }: CommandLine): Promise<number> {
  const options = { schemaVersionMax: migrations.length, force: flags['force'] === true };
  await withProgress('Restoring', (progress) => restore(file, config.data, { ...options, progress }));
  await print(`${config.data} holds what ${file} held.`);
  return 0;
}
