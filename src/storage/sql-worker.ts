// Runs SQL statements one after another on a worker thread with its own connection. One worker runs long
// queries, in an order that is fair among clients; another one runs checkpoints.
import { Slots } from '../base/slots.ts';
import { Thread, type Handler } from '../base/thread.ts';
import { unavailable } from '../problem.ts';
import { beginningOfWord, createFolding } from '../schema/search-text.ts';
import type { Row, SqlValue } from './connection.ts';

/** The CPU time after which a search through rows ends, so that others don't wait for it. */
const searchMillisecondsMax = 1_000;

const idleMilliseconds = 10_000;
/** The number of queries that may wait: of staff, and as many of all others. */
const waitingMax = 100;
const queriesPerClientMax = 26;

/**
 * A search in the rows of a statement; each row has an id and texts. The search keeps the rows in which every
 * phrase matches: at least one alternative of the phrase occurs in the texts (schema/search-text.ts). In
 * columns of JSON, all phrases must match within one object or text. Rows in which all phrases begin words
 * come before all others. After `searchMillisecondsMax` the search ends with the rows found so far: a
 * user's texts may be long, and take long to normalize.
 */
export type RowSearch = {
  readonly phrases: readonly (readonly string[])[];
  readonly columns: 'texts' | 'JSON';
  readonly rowsMax: number;
};

type Statement = {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** If set, the result has positions: the key is 0 where all phrases begin words, 1 in all other rows. */
  readonly search?: RowSearch | undefined;
};
/** Who sent the query. Clients take turns; while others wait, staff have three of four turns. */
export type StatementOptions = {
  readonly client?: string;
  readonly isOfStaff?: boolean;
  readonly search?: RowSearch | undefined;
};
type Connected = {
  readonly file: string;
  readonly readOnly: boolean;
  readonly searchMillisecondsMax: number;
};
type Result = { readonly rows: Row[] } | { readonly error: string; readonly errcode: number | undefined };

export type SqlWorkerOptions = {
  readonly file: string;
  readonly access: 'read' | 'write';
};

export class SqlWorker {
  readonly #thread: Thread<Statement, Result>;
  readonly #slots = new Slots({
    running: 1,
    waiting: waitingMax,
    perClient: queriesPerClientMax,
    refuse: () => unavailable('Too many long queries are waiting; retry in a moment.'),
  });

  constructor({ file, access }: SqlWorkerOptions) {
    const readOnly = access === 'read';
    this.#thread = new Thread({
      program: runStatements,
      data: { file, readOnly, searchMillisecondsMax },
      helpers: [createFolding, beginningOfWord],
      idleMilliseconds,
    });
  }

  /** Throws `unavailable` if too many queries are waiting. */
  async run(sql: string, params: readonly SqlValue[] = [], options: StatementOptions = {}): Promise<Row[]> {
    const { client, isOfStaff = false, search } = options;
    const claim = { clients: client === undefined ? [] : [client], isUrgent: isOfStaff };
    const result = await this.#slots.run(claim, () => this.#thread.call({ sql, params, search }));
    if ('error' in result) throw Object.assign(new Error(result.error), { errcode: result.errcode });
    return result.rows;
  }

  /** Runs the waiting queries, then ends the thread. */
  async close(): Promise<void> {
    await this.#slots.whenIdle();
    await this.#thread.end();
  }
}

/** The program of the thread. */
function runStatements(
  { file, readOnly, searchMillisecondsMax: millisecondsMax }: Connected,
  foldingOf: typeof createFolding,
  beginningOf: typeof beginningOfWord,
): Handler<Statement, Result> {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const { searchText: textOf, withoutSigns } = foldingOf();
  const sqlite = new DatabaseSync(file, {
    readOnly,
    returnArrays: true,
    timeout: 100,
    limits: { attach: 0 },
  });
  return ({ sql, params, search }) => {
    try {
      const statement = sqlite.prepare(sql);
      if (search !== undefined) return { rows: matching(statement.iterate(...params), search) };
      return { rows: statement.all(...params) as unknown[] as Row[] }; // `returnArrays` makes each an array
    } catch (error) {
      const { message, errcode } = error as Error & { errcode?: number }; // node:sqlite throws nothing else
      return { error: message, errcode };
    }
  };

  /** Not a function within SQL, whose arguments would stay in memory until the statement ends. */
  function matching(rows: Iterable<unknown>, { phrases, rowsMax, columns }: RowSearch): Row[] {
    const beginnings = phrases.map((each) => each.map(beginningOf));
    const fragments = phrases.map((each) => each.map(jsonOf));
    const first: Row[] = [];
    const others: Row[] = [];
    const until = cpuMilliseconds() + millisecondsMax;
    for (const row of rows as Iterable<[number, ...(string | null)[]]>) {
      const [id, ...columnTexts] = row;
      const texts =
        columns === 'texts'
          ? [textOf(...columnTexts)]
          : columnTexts.flatMap((json) => textsIn(json, fragments));
      const found = texts.filter((text) => contains(text, phrases));
      if (found.some((text) => contains(text, beginnings))) first.push([0, id]);
      else if (found.length > 0 && others.length < rowsMax) others.push([1, id]);
      if (first.length === rowsMax || cpuMilliseconds() > until) break;
    }
    return [...first, ...others].slice(0, rowsMax);
  }

  /** Returns the phrase as JSON has it. */
  function jsonOf(phrase: string): string {
    return JSON.stringify(phrase.trim()).slice(1, -1);
  }

  /**
   * Returns the search text of each value: of a text, or of the texts of an object. JSON without the fragments, as
   * most is, isn't parsed.
   */
  function textsIn(json: string | null, fragments: RowSearch['phrases']): string[] {
    if (json === null || !contains(upperJson(json), fragments)) return [];
    const values: (string | object)[] = [JSON.parse(json)].flat();
    const isText = (value: unknown): value is string => typeof value === 'string';
    return values.map((each) => textOf(...(isText(each) ? [each] : Object.values(each).filter(isText))));
  }

  /** CPU time, not elapsed time: on a busy machine a search must not find less. */
  function cpuMilliseconds(): number {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  }

  function contains(text: string, phrases: RowSearch['phrases']): boolean {
    return phrases.every((each) => each.some((phrase) => text.includes(phrase)));
  }

  /** For ASCII, as most texts are, upper case suffices, with and without signs. This saves a third of the time. */
  function upperJson(json: string): string {
    if (!/^[ -_a-~]*$/.test(json)) return textOf(json);
    const upper = json.toUpperCase();
    return upper + withoutSigns(upper);
  }
}
