// Reads a list from its beginning to its end for an export, a few elements at a time.
import { isDeepStrictEqual } from 'node:util';
import { exportRowsPerBatch, exportRowsSortedMax } from '../limits.ts';
import { forbidden } from '../problem.ts';
import type { Connection } from '../storage/connection.ts';
import type { Database } from '../storage/database.ts';
import { readBatch, type Batch, type IndexedSelection, type KeysetPosition } from '../storage/keyset.ts';
import { loadElements, type PageSource } from './list.ts';
import type { Representation } from './representation.ts';

/** The elements loaded in one step: one order may be 60 KB of JSON, and 800 KB of CSV. */
const elementsPerLoad = 5;

/** The source from which a whole list is read. */
export type ExportSource<T, C> = {
  /** Reads a few elements. Throws a Problem if the reader's rights have changed since the beginning. */
  readNext(reader: C): ExportStep<T>;
};
/** `wait` means that there are no elements until `found` resolves; if it rejects, the export ends. */
export type ExportStep<T> =
  | { readonly kind: 'elements'; readonly elements: readonly Representation<T>[] }
  | { readonly kind: 'wait'; readonly found: Promise<void> }
  | { readonly kind: 'end' };

export type ListSource<T, C> = Omit<PageSource<T, C>, 'cursors' | 'selectionFor'> & {
  /** Returns the part of the list that this caller may see. A search can't be exported: it finds one page. */
  readonly selectionFor: (caller: C) => IndexedSelection;
};

type ExportDatabase = Pick<Database, 'readInWorker'> & { readonly read: Connection };

/**
 * Walks a list by keyset, without a transaction: elements that exist throughout are read exactly once, unless
 * their sort key changes meanwhile.
 */
export class ListElements<T, C> implements ExportSource<T, C> {
  readonly #database: ExportDatabase;
  readonly #source: ListSource<T, C>;
  readonly #selection: IndexedSelection;
  #found: readonly KeysetPosition[] = [];
  #taken = 0;
  #after: KeysetPosition | undefined = undefined;
  #isAtEnd = false;
  /** The last reader, whose rights were the same as at the beginning. */
  #reader: C;

  constructor(database: ExportDatabase, source: ListSource<T, C>, reader: C) {
    this.#database = database;
    this.#source = source;
    this.#selection = source.selectionFor(reader);
    this.#reader = reader;
  }

  readNext(reader: C): ExportStep<T> {
    if (reader !== this.#reader) this.#checkRights(reader);
    if (this.#taken < this.#found.length) return { kind: 'elements', elements: this.#load(reader) };
    if (this.#isAtEnd) return { kind: 'end' };
    const batch = readBatch(this.#database, {
      ...this.#selection,
      after: this.#after,
      rows: exportRowsSortedMax,
      rowsExaminedMax: exportRowsPerBatch,
    });
    if (batch instanceof Promise) return { kind: 'wait', found: batch.then((found) => this.#keep(found)) };
    this.#keep(batch);
    return { kind: 'elements', elements: [] };
  }

  #keep({ positions, next }: Batch): void {
    this.#found = positions;
    this.#taken = 0;
    this.#after = next;
    this.#isAtEnd = next === undefined;
  }

  #load(caller: C): Representation<T>[] {
    const positions = this.#found.slice(this.#taken, this.#taken + elementsPerLoad);
    this.#taken += positions.length;
    const ids = positions.map(([, id]) => id);
    const wanted = { selection: this.#selection, caller, db: this.#database.read, ids };
    return loadElements(this.#source, wanted).filter((element) => element !== undefined);
  }

  #checkRights(reader: C): void {
    const { owners } = this.#source.selectionFor(reader);
    if (!isDeepStrictEqual(owners, this.#selection.owners))
      throw forbidden('The rights have changed since the export began.');
    this.#reader = reader;
  }
}
