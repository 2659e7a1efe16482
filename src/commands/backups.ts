// `orderly backup` and `orderly restore`: copy the database, also while a service writes to it, and put a
// copy in its place.
import { statSync } from 'node:fs';
import { migrations } from '../migrations/migrations.ts';
import { backup, restore } from '../storage/backup.ts';
import type { Command } from './commands.ts';
import { withProgress } from './terminal.ts';

export const backUp: Command = {
  summary: 'copies the database to FILE, also while the service runs',
  operands: ['FILE'],
  flags: [],
  async run({ config, operands: [file = ''] }) {
    await withProgress('Backing up', (at) => backup(config.data, file, at));
    const megabytes = (statSync(file).size / 1e6).toFixed(1);
    return (
      `The database is in ${file}, ${megabytes} MB.\n` +
      `Its secret and certificate are not: they stay in ${config.data}.`
    );
  },
};

export const restoreBackup: Command = {
  summary: 'puts the backup FILE in the place of the database',
  operands: ['FILE'],
  flags: [
    { flag: 'force', help: 'replace a database that is there; all that came after the backup is lost' },
  ],
  async run({ config, operands: [file = ''], flags }) {
    const options = { schemaVersionMax: migrations.length, force: flags['force'] === true };
    await withProgress('Restoring', (progress) => restore(file, config.data, { ...options, progress }));
    return `${config.data} holds what ${file} held.`;
  },
};
