// `orderly import`: adds the customers and orders of a file, also while a service runs.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { extname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError } from '../config/config-error.ts';
import { counted } from '../counted.ts';
import { importPauseMilliseconds, importedAtOnce, streamedReadAheadBytes } from '../limits.ts';
import { customerBodies } from '../resources/customers/customer-bodies.ts';
import {
  importLineSchema,
  parseImportLine,
  type ParsedLine,
  type ImportKind,
} from '../resources/imports/import-line.ts';
import { importKeys, importLine, type Importer, type ImportKeys } from '../resources/imports/import-store.ts';
import { findSignInAccount } from '../resources/users/user-store.ts';
import type { Issue } from '../schema/schema.ts';
import type { CommandDatabase } from '../storage/command-database.ts';
import type { Connection } from '../storage/connection.ts';
import { StorageError, toStorageError } from '../storage/storage-error.ts';
import { csvFileLines, ndjsonFileLines, type FileLine } from './import-sources.ts';
import type { Command } from './commands.ts';
import { print, withProgress } from './terminal.ts';
import { operatorPermit, withExistingDatabase } from './with-database.ts';

const rejectionsShownMax = 100;

export const importFile: Command = {
  summary: 'adds the customers and orders of FILE, .ndjson, or customers of a .csv; its keys are added once',
  operands: ['FILE'],
  flags: [
    { flag: 'dry-run', help: 'check FILE, and change nothing' },
    { flag: 'owner', value: 'EMAIL', help: 'the user who owns what names no userId' },
  ],
  async run({ config, operands: [file = ''], flags }) {
    const linesOf = readerOf(file);
    const isDryRun = flags['dry-run'] === true;
    const { tally, failure } = await withExistingDatabase(config, async (database) => {
      const importer = {
        bodies: customerBodies(config.defaultCountry),
        keys: isDryRun ? new DryRunKeys() : importKeys,
        ownerId: ownerOf(database.connection, flags['owner']),
      };
      const label = isDryRun ? 'Checking' : 'Importing';
      return withProgress(label, (at) => importAll(database, { file, linesOf, importer, isDryRun, at }));
    });
    await print(summaryOf(tally, file, isDryRun));
    if (failure !== undefined) throw failure;
    return tally.rejections > 0 ? 1 : 0;
  },
};

type LinesOf = (pieces: Iterable<Buffer>) => Iterable<FileLine>;

function readerOf(file: string): LinesOf {
  const end = extname(file);
  if (end === '.ndjson') return ndjsonFileLines;
  if (end === '.csv') return csvFileLines;
  throw new ConfigError([], [`FILE must end in .ndjson or .csv, not "${file}"`]);
}

function ownerOf(db: Connection, email: unknown): number | undefined {
  if (typeof email !== 'string') return undefined;
  const owner = findSignInAccount(db, email)?.userId;
  if (owner === undefined) throw new StorageError(`There is no user ${email}.`);
  return owner;
}

type Work = {
  readonly file: string;
  readonly linesOf: LinesOf;
  readonly importer: Omit<Importer, 'now'>;
  readonly isDryRun: boolean;
  readonly at: (share: number) => void;
};

class Tally {
  made = 0;
  repeated = 0;
  rejections = 0;
  readonly #shown: { readonly number: number; readonly sentences: readonly string[] }[] = [];

  reject(number: number, sentences: readonly string[]): void {
    this.rejections += 1;
    if (this.#shown.length < rejectionsShownMax) this.#shown.push({ number, sentences });
  }

  /** Of the first rejections, in the order of lines: those that can't be read are found first. */
  get sentences(): string[] {
    const shown = this.#shown.toSorted((a, b) => a.number - b.number);
    return shown.flatMap(({ number, sentences }) => sentences.map((each) => `line ${number}: ${each}`));
  }
}

/** `failure` is why the rest of the file wasn't read or written. */
type Imported = { readonly tally: Tally; readonly failure: unknown };

type NumberedLine = { readonly number: number; readonly parsed: ParsedLine };

/** In short transactions with pauses between them, in which a running service writes. */
async function importAll(database: CommandDatabase, work: Work): Promise<Imported> {
  const { file, importer, isDryRun } = work;
  const tally = new Tally();
  const schema = importLineSchema(importer.bodies);
  let batch: NumberedLine[] = [];
  const write = async (): Promise<void> => {
    const full = batch;
    batch = [];
    const importBatch = (writer: Connection): void => importLines(writer, { batch: full, importer, tally });
    if (isDryRun) return importBatch(database.connection);
    database.write(importBatch);
    await pause(importPauseMilliseconds);
  };
  const failures: unknown[] = [];
  const onFailure = (error: unknown): unknown => failures.push(toStorageError(error, file));
  try {
    for (const line of work.linesOf(piecesOf(file, work.at))) {
      if ('unreadable' in line) tally.reject(line.number, [line.unreadable]);
      else batch.push({ number: line.number, parsed: parseImportLine(schema, line.value, Date.now()) });
      if (batch.length >= importedAtOnce) await write();
    }
  } catch (error) {
    onFailure(error);
  }
  if (batch.length > 0) await write().catch(onFailure); // also what came before lines that can't be read
  return { tally, failure: failures[0] };
}

type Batch = Pick<Work, 'importer'> & { readonly batch: readonly NumberedLine[]; readonly tally: Tally };

function importLines(writer: Connection, { batch, importer, tally }: Batch): void {
  const permit = operatorPermit(writer);
  const now = Date.now();
  for (const { number, parsed } of batch) {
    const outcome = importLine(permit, parsed, { ...importer, now });
    if (outcome.status === 422) tally.reject(number, outcome.issues.map(sentenceOf));
    else if (outcome.status === 201) tally.made += 1;
    else tally.repeated += 1;
  }
}

function sentenceOf({ pointer = '', detail }: Issue): string {
  return pointer === '' ? detail : `${pointer}: ${detail}`;
}

function* piecesOf(file: string, at: (share: number) => void): Generator<Buffer> {
  const descriptor = openSync(file, 'r');
  try {
    const size = Math.max(fstatSync(descriptor).size, 1);
    for (let bytes = 0; ;) {
      const piece = Buffer.allocUnsafe(streamedReadAheadBytes); // lines are parts of it
      const read = readSync(descriptor, piece);
      if (read === 0) return;
      yield piece.subarray(0, read);
      bytes += read;
      at(Math.min(bytes / size, 1));
    }
  } finally {
    closeSync(descriptor);
  }
}

/** What a dry run would have made, beside what there is. */
class DryRunKeys implements ImportKeys {
  readonly #keys = new Map<string, { readonly id: number; readonly fingerprint: Uint8Array }>();

  find(db: Connection, kind: ImportKind, key: string): ReturnType<ImportKeys['find']> {
    return importKeys.find(db, kind, key) ?? this.#keys.get(`${kind} ${key}`);
  }

  add(...[, { kind, key, fingerprint }]: Parameters<ImportKeys['add']>): number {
    this.#keys.set(`${kind} ${key}`, { id: 0, fingerprint });
    return 0;
  }
}

function summaryOf(tally: Tally, file: string, isDryRun: boolean): string {
  const { made, repeated, rejections, sentences } = tally;
  const what = isDryRun ? 'would be added' : 'added';
  const parts = [`${counted(made, 'line')} ${what}`];
  if (repeated > 0) parts.push(`${counted(repeated, 'line')} added before`);
  if (rejections > 0) parts.push(`${counted(rejections, 'line')} rejected`);
  const more = rejections > rejectionsShownMax ? ['…'] : [];
  return [...sentences, ...more, `${file}: ${parts.join(', ')}.`].join('\n');
}
