// Backups over HTTP: those that are kept in the data folder, and a new one.
import { adminOnly } from '../../auth/access.ts';
import type { Logger } from '../../base/logger.ts';
import { timestampOf } from '../../base/timestamp.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { unavailable } from '../../problem.ts';
import { timestamp } from '../../schema/members.ts';
import { array, integer, named, object, string, type Infer } from '../../schema/schema.ts';
import { keepBackup, keptBackups, keptBackupsMax, keptBackupsOfDayMax } from '../../storage/kept-backups.ts';
import { StorageError, toStorageError } from '../../storage/storage-error.ts';
import { markFeedCopied } from '../events/feed-store.ts';

const KeptBackup = named(
  'KeptBackup',
  object({
    name: string({ maxLength: 255, examples: ['20260301T090000000Z.db'] }),
    createdAt: timestamp,
    bytes: integer({ minimum: 0, examples: [1_200_000] }),
  }),
);
const KeptBackups = named(
  'KeptBackups',
  object({
    command: string({
      maxLength: 10_000,
      examples: ['/usr/local/bin/orderly backup --data /var/lib/orderly'],
    }),
    data: array(KeptBackup, { maxItems: 1_000 }),
  }),
);

export type KeptBackups = Infer<typeof KeptBackups>;

type BackupServices = {
  readonly dataFolder: string;
  /** The command by which a timer makes a backup where this service was installed. */
  readonly command: string;
  readonly stopping: AbortSignal;
  readonly log: Logger;
};

/** Makes one backup at a time: whoever asks for another one meanwhile gets the same. */
export class Backups {
  readonly #services: BackupServices;
  #running: Promise<unknown> | undefined;

  constructor(services: BackupServices) {
    this.#services = services;
  }

  /** Throws a problem if the backups can't be listed. */
  list(): KeptBackups {
    const { command, dataFolder } = this.#services;
    try {
      const kept = keptBackups(dataFolder);
      return { command, data: kept.map((each) => ({ ...each, createdAt: timestampOf(each.createdAt) })) };
    } catch (error) {
      throw this.#problemFor(error, 'The folder of backups');
    }
  }

  /** Throws a problem if no backup can be made. */
  async make(now: number): Promise<void> {
    this.#running ??= this.#make(now).finally(() => {
      this.#running = undefined;
    });
    try {
      await this.#running;
    } catch (error) {
      throw this.#problemFor(error, 'The backup');
    }
  }

  /** Resolves when no backup is being made. */
  async ended(): Promise<void> {
    await Promise.allSettled([this.#running]);
  }

  async #make(now: number): Promise<void> {
    const { dataFolder, stopping, log } = this.#services;
    const progress = (): void => stopping.throwIfAborted();
    const file = await keepBackup(dataFolder, now, { progress, prepare: markFeedCopied });
    log.write('info', `Made the backup ${file}.`);
  }

  /** Returns the problem for what the disk lacks, or for a stop; other errors as they are. */
  #problemFor(error: unknown, what: string): unknown {
    const { stopping } = this.#services;
    if (stopping.aborted && error === stopping.reason) return unavailable('The service is stopping.');
    const named = toStorageError(error, what);
    return named instanceof StorageError ? unavailable(named.message) : error;
  }
}

const base = { path: '/backups', tag: 'Service', access: adminOnly } as const;

export function readBackupsRoute(backups: Backups): Route {
  return route({
    ...base,
    method: 'GET',
    summary: 'The backups that are kept',
    description:
      'The backups in `backups/` of the data folder, newest first, and the command that makes one where the ' +
      'service runs.',
    reply: { kind: 'document', schema: KeptBackups },
    handle: () => ({ kind: 'document', content: backups.list() }),
  });
}

export function createBackupRoute(backups: Backups): Route {
  return route({
    ...base,
    method: 'POST',
    summary: 'Make a backup',
    description:
      'Copies the database to `backups/` of the data folder, as `orderly backup` does, and keeps the newest ' +
      `${keptBackupsMax} there, at most ${keptBackupsOfDayMax} of a day (UTC). The response, with all that are ` +
      'kept, comes when the copy is on disk. While one is made, others who ask for one get the same. It is on the ' +
      'same disk as the database: copy it to another.',
    reply: { kind: 'document', schema: KeptBackups },
    problems: ['unavailable'],
    async handle(call) {
      await backups.make(call.now);
      return { kind: 'document', content: backups.list() };
    },
  });
}
