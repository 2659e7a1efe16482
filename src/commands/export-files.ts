// `orderly export`: writes all orders, customers or events to a file, even while a service runs.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CommandError, ConfigError } from '../config/command-error.ts';
import type { CsvTable } from '../csv.ts';
import { FeedElements } from '../feed/feed-export.ts';
import { csvFormat, ndjsonFormat, type FileFormat } from '../http/file-formats.ts';
import { ListElements, type ExportSource, type ListSource } from '../http/list-export.ts';
import { createFinder } from '../http/representation-cache.ts';
import { counted } from '../counted.ts';
import { customerTable } from '../resources/customers/customer-csv.ts';
import { customerResource } from '../resources/customers/customer-routes.ts';
import { customerSelection } from '../resources/customers/customer-store.ts';
import { eventTable } from '../resources/events/event-csv.ts';
import { feedBounds } from '../resources/events/feed-store.ts';
import { orderTable } from '../resources/orders/order-csv.ts';
import { orderSelection } from '../resources/orders/order-list-store.ts';
import { findRepresentation, findRepresentations } from '../resources/orders/order-representation.ts';
import { removePartial } from '../storage/backup.ts';
import type { Connection } from '../storage/connection.ts';
import { countRows } from '../storage/keyset.ts';
import { maySync, syncFolder } from '../storage/private-files.ts';
import { toStorageError } from '../storage/storage-error.ts';
import { leavingNoPartial } from './backups.ts';
import type { Command } from './commands.ts';
import { withProgress } from './terminal.ts';
import { withExistingDatabase } from './with-database.ts';

type ResourceName = 'orders' | 'customers' | 'events';
/** All elements to export, and how many there are. */
type ExportedList<T> = { readonly source: ExportSource<T, undefined>; readonly count: number };
type Find<T> = (db: Connection) => ExportedList<T> | Promise<ExportedList<T>>;

export const exportOrders = exportCommand('orders', orderTable, (db) => {
  const selectionFor = () => orderSelection('all', { sort: 'id' });
  return exportedList(db, { selectionFor, find: findRepresentation, findAll: findRepresentations });
});

export const exportCustomers = exportCommand('customers', customerTable, (db) => {
  const selectionFor = () => customerSelection('all', { sort: 'id' });
  return exportedList(db, { selectionFor, find: createFinder(customerResource) });
});

export const exportEvents = exportCommand('events', eventTable, (db) => {
  const { removedUpTo: after, latest } = feedBounds(db);
  const accessOf = (): 'all' => 'all';
  const extent = { accessOf, types: undefined, after, latest };
  return { source: new FeedElements(db, extent, undefined), count: latest - after };
});

async function exportedList<T>(db: Connection, source: ListSource<T, undefined>): Promise<ExportedList<T>> {
  const reads: ConstructorParameters<typeof ListElements>[0] = {
    read: db,
    readInWorker: async (sql, params) => db.all(sql, ...params), // nobody waits for this process
  };
  const count = await countRows(reads, source.selectionFor(undefined));
  return { source: new ListElements(reads, source, undefined), count };
}

function exportCommand<T>(resource: ResourceName, table: CsvTable<T>, find: Find<T>): Command {
  return {
    summary: `writes all ${resource} to FILE, .csv or .ndjson, even while the service runs`,
    operands: ['FILE'],
    flags: [{ flag: 'force', help: 'replace an existing file' }],
    async run({ config, operands: [file = ''], flags }) {
      const format = formatOf(file, table);
      rejectFolder(file);
      if (existsSync(file) && flags['force'] !== true)
        throw new CommandError(`${file} exists; --force replaces it.`);
      return withExistingDatabase(config, ({ connection }) =>
        leavingNoPartial(file, async () => {
          const list = await find(connection);
          const written = await withProgress(`Exporting ${resource}`, (reportProgress) =>
            writeFile(file, { list, format, reportProgress }),
          );
          return `${counted(written, resource.slice(0, -1))} in ${file}.`;
        }),
      );
    },
  };
}

function formatOf<T>(file: string, table: CsvTable<T>): FileFormat<T> {
  const end = extname(file);
  if (end === '.csv') return csvFormat(table);
  if (end === '.ndjson') return ndjsonFormat;
  throw new ConfigError([], [`FILE must end in .csv or .ndjson, not "${file}"`]);
}

/** Otherwise this would be noticed only once the complete export is renamed to the file. */
function rejectFolder(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new CommandError(`${file} is a folder, not a file.`);
}

type ExportFile<T> = {
  readonly list: ExportedList<T>;
  readonly format: FileFormat<T>;
  readonly reportProgress: (share: number) => void;
};

/**
 * Gives the file its name once it is complete and on disk. Only this account can read it, since it holds
 * personal data.
 */
async function writeFile<T>(file: string, writing: ExportFile<T>): Promise<number> {
  const partial = `${file}.partial`;
  removePartial(file);
  try {
    const written = await writePartial(partial, writing);
    renameSync(partial, file);
    syncFolder(dirname(file));
    return written;
  } catch (error) {
    throw toStorageError(error, file);
  } finally {
    removePartial(file);
  }
}

async function writePartial<T>(partial: string, writing: ExportFile<T>): Promise<number> {
  const descriptor = openSync(partial, 'wx', 0o600);
  try {
    const written = await writeElements(descriptor, writing);
    if (maySync) fsyncSync(descriptor);
    return written;
  } finally {
    closeSync(descriptor);
  }
}

async function writeElements<T>(
  descriptor: number,
  { list, format, reportProgress }: ExportFile<T>,
): Promise<number> {
  const { source, count } = list;
  let written = 0;
  writeSync(descriptor, format.head);
  for (;;) {
    const step = source.readNext(undefined);
    if (step.kind === 'end') return written;
    if (step.kind === 'wait') {
      await step.found;
      continue;
    }
    for (const element of step.elements) writeSync(descriptor, format.textOf(element), null, 'latin1');
    written += step.elements.length;
    reportProgress(Math.min(written / Math.max(count, 1), 1));
    await nextTurn(); // lets signals be handled
  }
}
