// `orderly import`: adds the customers and orders of a file, even while a service runs.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { extname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandError, ConfigError } from '../config/command-error.ts';
import { counted } from '../counted.ts';
import { importPauseMilliseconds, fileImportLinesPerTransaction, streamedReadAheadBytes } from '../limits.ts';
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
import { toStorageError } from '../storage/storage-error.ts';
import { commandPermit, type Permit } from '../storage/permit.ts';
import { csvFileLines, ndjsonFileLines, type FileLine } from './import-sources.ts';
import type { Command } from './commands.ts';
import { print, withProgress } from './terminal.ts';
import { withExistingDatabase } from './with-database.ts';

const rejectionsShownMax = 100;

export const importFile: Command = {
  summary:
    'adds the customers and orders of an .ndjson FILE, or the customers of a .csv; each key is added once',
  operands: ['FILE'],
  flags: [
    { flag: 'dry-run', help: 'check FILE and change nothing' },
    { flag: 'owner', value: 'EMAIL', help: 'owner of records without a userId' },
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
      return withProgress(label, (reportProgress) =>
        importAll(database, { file, linesOf, importer, isDryRun, reportProgress }),
      );
    });
    await print(summaryOf(tally, { file, isDryRun }));
    if (failure !== undefined) throw failure;
    return tally.rejections > 0 ? 1 : 0;
  },
};

type LinesOf = (chunks: Iterable<Buffer>) => Iterable<FileLine>;

function readerOf(file: string): LinesOf {
  const end = extname(file);
  if (end === '.ndjson') return ndjsonFileLines;
  if (end === '.csv') return csvFileLines;
  throw new ConfigError([], [`FILE must end in .ndjson or .csv, not "${file}"`]);
}

function ownerOf(db: Connection, email: unknown): number | undefined {
  if (typeof email !== 'string') return undefined;
  const owner = findSignInAccount(db, email)?.userId;
  if (owner === undefined) throw new CommandError(`There is no user ${email}.`);
  return owner;
}

type FileImport = {
  readonly file: string;
  readonly linesOf: LinesOf;
  readonly importer: Omit<Importer, 'now'>;
  readonly isDryRun: boolean;
  readonly reportProgress: (share: number) => void;
};

class Tally {
  added = 0;
  repeated = 0;
  rejections = 0;
  readonly #shown: { readonly number: number; readonly sentences: readonly string[] }[] = [];

  reject(number: number, sentences: readonly string[]): void {
    this.rejections += 1;
    if (this.#shown.length < rejectionsShownMax) this.#shown.push({ number, sentences });
  }

  /** The first rejections in the order of lines: unreadable lines are rejected ahead of their batch. */
  get sentences(): string[] {
    const shown = this.#shown.toSorted((a, b) => a.number - b.number);
    return shown.flatMap(({ number, sentences }) => sentences.map((each) => `line ${number}: ${each}`));
  }
}

/** `failure` is the error that ended the import early, undefined if there was none. */
type Imported = { readonly tally: Tally; readonly failure: unknown };

type NumberedLine = { readonly number: number; readonly parsed: ParsedLine };

/** Writes in short transactions with pauses between them, in which a running service writes. */
async function importAll(database: CommandDatabase, work: FileImport): Promise<Imported> {
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
  let failure: unknown;
  try {
    for (const line of work.linesOf(chunksOf(file, work.reportProgress))) {
      if ('unreadable' in line) tally.reject(line.number, [line.unreadable]);
      else batch.push({ number: line.number, parsed: parseImportLine(schema, line.value, Date.now()) });
      if (batch.length >= fileImportLinesPerTransaction) await write();
    }
  } catch (error) {
    failure = error;
  }
  try {
    if (batch.length > 0) await write(); // also the lines before a failed read
  } catch (error) {
    failure ??= error;
  }
  return { tally, failure: toStorageError(failure, file) };
}

type ImportBatch = Pick<FileImport, 'importer'> & {
  readonly batch: readonly NumberedLine[];
  readonly tally: Tally;
};

function importLines(writer: Connection, { batch, importer, tally }: ImportBatch): void {
  const permit = commandPermit(writer);
  const now = Date.now();
  for (const { number, parsed } of batch) {
    const outcome = importLine(permit, parsed, { ...importer, now });
    if (outcome.status === 422) tally.reject(number, outcome.issues.map(sentenceOf));
    else if (outcome.status === 201) tally.added += 1;
    else tally.repeated += 1;
  }
}

function sentenceOf({ pointer = '', detail }: Issue): string {
  return pointer === '' ? detail : `${pointer}: ${detail}`;
}

function* chunksOf(file: string, reportProgress: (share: number) => void): Generator<Buffer> {
  const descriptor = openSync(file, 'r');
  try {
    const size = Math.max(fstatSync(descriptor).size, 1);
    let bytes = 0;
    let chunk = readChunk(descriptor);
    while (chunk.length > 0) {
      yield chunk;
      bytes += chunk.length;
      reportProgress(Math.min(bytes / size, 1));
      chunk = readChunk(descriptor);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** A new buffer for each chunk, since lines are slices of it; empty at the end of the file. */
function readChunk(descriptor: number): Buffer {
  const chunk = Buffer.allocUnsafe(streamedReadAheadBytes);
  return chunk.subarray(0, readSync(descriptor, chunk));
}

type KeyedObject = Parameters<ImportKeys['add']>[1];

/** The keys in the database, and those that the dry run would have added. */
class DryRunKeys implements ImportKeys {
  readonly #keys = new Map<string, { readonly id: number; readonly fingerprint: Uint8Array }>();

  find(db: Connection, kind: ImportKind, key: string): ReturnType<ImportKeys['find']> {
    return importKeys.find(db, kind, key) ?? this.#keys.get(`${kind} ${key}`);
  }

  add(_permit: Permit, { kind, key, fingerprint }: KeyedObject): number {
    this.#keys.set(`${kind} ${key}`, { id: 0, fingerprint });
    return 0;
  }
}

function summaryOf(tally: Tally, { file, isDryRun }: Pick<FileImport, 'file' | 'isDryRun'>): string {
  const { added, repeated, rejections, sentences } = tally;
  const outcome = isDryRun ? 'would be added' : 'added';
  const parts = [`${counted(added, 'line')} ${outcome}`];
  if (repeated > 0) parts.push(`${counted(repeated, 'line')} added before`);
  if (rejections > 0) parts.push(`${counted(rejections, 'line')} rejected`);
  const more = rejections > rejectionsShownMax ? ['…'] : [];
  return [...sentences, ...more, `${file}: ${parts.join(', ')}.`].join('\n');
}
