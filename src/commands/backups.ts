// `orderly backup` copies the database, even while a service writes to it; `orderly restore` replaces it with
// a copy.
import { statSync } from 'node:fs';
import { constants } from 'node:os';
import { markFeedCopied } from '../features/events/feed-store.ts';
import { maintenance, migrations } from '../service/features.ts';
import { backup, removePartial, restore } from '../storage/backup.ts';
import type { Connection } from '../storage/connection.ts';
import { databaseFile } from '../storage/database-file.ts';
import type { Command } from './commands.ts';
import { withProgress } from './terminal.ts';

export const backUp: Command = {
  summary: 'copies the database to FILE, even while the service runs',
  operands: ['FILE'],
  flags: [],
  async run({ config, operands: [file = ''] }) {
    await withProgress('Backing up', (progress) =>
      leavingNoPartial(file, () => backup(config.dataFolder, file, { progress, prepare: markFeedCopied })),
    );
    const megabytes = (statSync(file).size / 1e6).toFixed(1);
    return (
      `The database is in ${file}, ${megabytes} MB.\n` +
      `The secret and the certificate are not part of it; they stay in ${config.dataFolder}.`
    );
  },
};

export const restoreBackup: Command = {
  summary: 'replaces the database with the backup FILE',
  operands: ['FILE'],
  flags: [{ flag: 'force', help: 'replace an existing database; changes after the backup are lost' }],
  async run({ config, operands: [file = ''], flags }) {
    const parts = await maintenance();
    const lines: string[] = [`${config.dataFolder} was restored from ${file}.`];
    const options = {
      migrations,
      force: flags['force'] === true,
      prepare(db: Connection) {
        for (const { onRestore } of parts) lines.push(...(onRestore?.(db) ?? []));
      },
    };
    await withProgress('Restoring', (progress) =>
      leavingNoPartial(databaseFile(config.dataFolder), () =>
        restore(file, config.dataFolder, { ...options, progress }),
      ),
    );
    return lines.join('\n');
  },
};

/** Does the work. If a signal ends the process meanwhile, first removes the partial copy. */
async function leavingNoPartial<T>(file: string, work: () => Promise<T>): Promise<T> {
  const end = (signal: NodeJS.Signals): never => {
    removePartial(file);
    process.exit(128 + constants.signals[signal]);
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, end);
  try {
    return await work();
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
}
