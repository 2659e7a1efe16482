// `orderly backup` copies the database, even while a service writes to it; `orderly restore` replaces it with
// a copy.
import { statSync } from 'node:fs';
import { constants } from 'node:os';
import { CommandError } from '../config/command-error.ts';
import { feedBounds, markFeedCopied } from '../features/events/feed-store.ts';
import type { CommandLine } from '../service/command-line.ts';
import { maintenance, migrations } from '../service/features.ts';
import { replaceLastEvent } from '../service/last-event-file.ts';
import { backup, restore, type BackupOptions } from '../storage/backup.ts';
import type { Connection } from '../storage/connection.ts';
import { keepBackup } from '../storage/kept-backups.ts';
import { withProgress } from './terminal.ts';

export async function backUp({ config, operands: [given = ''] }: CommandLine): Promise<string> {
  const file = await untilSignal('Backing up', (progress) =>
    backUpTo(given, config.dataFolder, { progress, prepare: markFeedCopied }),
  );
  const megabytes = (statSync(file).size / 1e6).toFixed(1);
  return (
    `The database is in ${file}, ${megabytes} MB.\n` +
    `The secret and the certificate are not part of it; they stay in ${config.dataFolder}.`
  );
}

async function backUpTo(given: string, folder: string, options: BackupOptions): Promise<string> {
  if (given === '') return keepBackup(folder, Date.now(), options);
  await backup(folder, given, options);
  return given;
}

export async function restoreBackup({ config, operands: [file = ''], flags }: CommandLine): Promise<string> {
  const parts = await maintenance();
  const lines: string[] = [];
  let latestEvent = 0;
  const options = {
    migrations,
    force: flags['force'] === true,
    prepare(db: Connection) {
      latestEvent = feedBounds(db).latest;
      for (const { onRestore } of parts) lines.push(...(onRestore?.(db) ?? []));
    },
  };
  const replaced = await untilSignal('Restoring', (progress) =>
    restore(file, config.dataFolder, { ...options, progress }),
  );
  replaceLastEvent(config.dataFolder, latestEvent);
  if (replaced.length > 0)
    lines.unshift(`The replaced database is in ${replaced.join(', ')}, until you delete it.`);
  return [`${config.dataFolder} was restored from ${file}.`, ...lines].join('\n');
}

/**
 * Does the work and shows its progress. The work reports its progress between two steps; after a signal that report
 * throws, so that the work removes its partial copy, and then the process ends. A second signal ends it at once.
 */
async function untilSignal<T>(
  label: string,
  work: (progress: (share: number) => void) => Promise<T>,
): Promise<T> {
  let received: NodeJS.Signals | undefined;
  const end = (signal: NodeJS.Signals): never => process.exit(128 + constants.signals[signal]);
  const receive = (signal: NodeJS.Signals): void => {
    if (received !== undefined) end(received);
    received = signal;
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, receive);
  try {
    return await withProgress(label, (report) =>
      work((share) => {
        if (received !== undefined) throw new CommandError(`Ended by ${received}.`);
        report(share);
      }),
    );
  } catch (error) {
    if (received !== undefined) end(received);
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, receive);
  }
}
