// Imports: reads lines as they arrive, checks and writes them in batches, and sends the results in order once
// they are on disk. A truncated response never looks complete.
import type { Caller } from '../../auth/access.ts';
import { causeOf } from '../../base/log-lines.ts';
import type { Logger } from '../../base/logger.ts';
import { Problem, unavailable, type ProblemCode } from '../../problem.ts';
import { issuesMax } from '../../schema/schema-check.ts';
import type { Issue } from '../../schema/schema.ts';
import type { Permit } from '../../storage/permit.ts';
import { Slots } from '../../base/slots.ts';
import { stepMillisecondsMax } from '../../base/turns.ts';
import type { Timers } from '../../base/timers.ts';
import type { LineReader } from './arriving-lines.ts';
import { ndjson } from '../../http/responses/media-types.ts';
import { problemStatus } from '../../http/responses/problem-types.ts';
import { issueMember } from '../../http/responses/problem-response.ts';
import type { Streamed } from '../../http/routing/reply.ts';
import { counter, gauge, type Family, type Sample } from '../../base/prometheus.ts';
import type { ResponseStream, StreamEndReason } from '../../http/responses/response-stream.ts';
import type { Call } from '../../http/routing/route.ts';

export const importsMax = 2;
/** The connection of a client that sends no whole line for this long is closed. */
export const importLineMilliseconds = 30_000;
/** A batch is checked in one turn and written in one transaction, or in several; between them, other clients get theirs. */
const importLinesPerBatch = 100;
/** The time is measured after each piece of this length, since blank rows and separators complete no line. */
const importPieceBytes = 4 * 1024;
/** The characters of results that are kept while the client still sends. */
export const importKeptCharsMax = 8 * 1024 * 1024;
/** While the client leaves more bytes of the response unread, no further lines are read. */
export const importUnsentBytesMax = 8 * 1024 * 1024;

/** Reads, parses and writes the lines of one import; `now` is in milliseconds since 1970. */
type LineRules<T> = {
  readonly read: LineReader;
  /** Returns what `write` receives, such as the object to be written or its issues. */
  parse(value: unknown, now: number): T;
  /** Called in a write that several lines share, in a savepoint for each. */
  write(permit: Permit<Caller>, parsed: T, now: number): LineOutcome;
};

export type LineOutcome =
  /** The id is null for an object that a dry run would create. */
  | {
      readonly status: 200 | 201;
      readonly id: number | null;
      readonly result: 'created' | 'changed' | 'unchanged';
      /**
       * A customer who has the reference, e-mail address or phone number of the new one, or a product whose SKU
       * differs only in zeros; null for one that an earlier line of a dry run would create.
       */
      readonly sameAs?: number | null;
      /** What the line may not mean. */
      readonly warning?: string;
    }
  | { readonly status: 403 | 422; readonly issues: readonly Issue[] };

type ImportCall = Pick<
  Call<object, object, undefined, Caller>,
  'sentBody' | 'write' | 'hasExpired' | 'isHttp10' | 'reportSecurityEvent'
>;

type ImportsOptions = {
  readonly log: Logger;
  readonly now: () => number;
  readonly timers: Timers;
  /** Aborted when the service begins to stop. */
  readonly stopping: AbortSignal;
};

/** `lines` are counted by the status of their result. */
type ImportCounts = { readonly running: number; readonly lines: ReadonlyMap<number, number> };

export function importFamilies({ running, lines }: ImportCounts): Family[] {
  const samples = Array.from(lines, ([status, count]): Sample => [`{status="${status}"}`, count]);
  return [
    gauge('orderly_imports_running', 'Imports under way.', running),
    counter('orderly_import_lines_total', 'Imported lines, by the status of their result.', samples),
  ];
}

/** The part of `Imports` that routes use. */
export type HandlerImports = Pick<Imports, 'createResult'>;

export class Imports {
  readonly #options: ImportsOptions;
  /** Counts of lines, by the status of their result. */
  readonly #lines = new Map<number, number>();
  readonly #slots = new Slots({
    running: importsMax,
    waiting: 0,
    refuse: () => unavailable('Other imports are running; retry in a moment.', retrySeconds),
  });

  constructor(options: ImportsOptions) {
    this.#options = options;
  }

  get counts(): ImportCounts {
    return { running: this.#slots.running, lines: this.#lines };
  }

  /**
   * Returns the result of an import. Throws if the request can't be an import, or if too many imports are
   * running.
   */
  createResult<T>(call: ImportCall, rules: LineRules<T>): Streamed {
    // without chunks the response ends with the connection, and a truncated response looks complete
    if (call.isHttp10) throw new Problem('bad-request', 'An import needs HTTP/1.1.', { status: 505 });
    this.#slots.checkRoom();
    const start = (stream: ResponseStream): void => {
      const ended = new Promise<void>((resolve) => stream.onEnd(() => resolve()));
      const results = new Results(stream, this.#counterFor(call));
      const held = this.#slots.run({}, () => ended);
      held.catch(() => stream.abort('failed')); // another import took the slot since `checkRoom`
      void runImport({ ...this.#options, call, rules, results, stream });
    };
    return { kind: 'stream', mediaType: ndjson, start };
  }

  /** Counts results. The log has one line for all lines that were rejected for lack of rights. */
  #counterFor(call: ImportCall): (result: LineResult) => void {
    let isDenialReported = false;
    return (result) => {
      this.#lines.set(result.status, (this.#lines.get(result.status) ?? 0) + 1);
      if (result.status !== 403 || isDenialReported) return;
      isDenialReported = true;
      const code = ('issues' in result && result.issues[0]?.code) || 'forbidden';
      call.reportSecurityEvent({ name: 'authz_fail', code });
    };
  }
}

const retrySeconds = 10;

/** The result of a line that could not be parsed, or the reason for the end of the import. */
type LineFailure = { readonly status: number; readonly issues: readonly Issue[] };
type LineResult = LineOutcome | LineFailure;
type Item<T> = { readonly number: number } & ({ readonly parsed: T } | { readonly result: LineFailure });

type ImportRun<T> = ImportsOptions & {
  readonly call: ImportCall;
  readonly rules: LineRules<T>;
  readonly results: Results;
  readonly stream: ResponseStream;
};

async function runImport<T>(run: ImportRun<T>): Promise<void> {
  const { call, results, stream, stopping } = run;
  const stop = (): void => call.sentBody?.abort(serviceStopping());
  if (stopping.aborted) stop();
  stopping.addEventListener('abort', stop);
  /** The first line without a result. */
  let number = 1;
  try {
    for await (const batch of arrivingBatches(run)) {
      number = batch[0]?.number ?? number;
      if (stream.isOver) return;
      if (stopping.aborted) throw serviceStopping();
      for (let left = batch; left.length > 0;) {
        const written = await writeLines(run, left);
        results.write(left, written);
        number = (left[written.length - 1]?.number ?? number) + 1;
        left = left.slice(written.length);
      }
      await results.whenRead();
      await stream.nextTurn();
    }
    results.end();
  } catch (error) {
    abort(run, number, error);
  } finally {
    stopping.removeEventListener('abort', stop);
  }
}

/**
 * Yields the lines in batches, each for one short turn, and reads no faster than batches are taken. A batch is
 * empty after a turn without a whole line.
 */
async function* arrivingBatches<T>(run: ImportRun<T>): AsyncGenerator<readonly Item<T>[]> {
  const { call, timers } = run;
  const { sentBody } = call;
  const limitWait = () => timers.after(importLineMilliseconds, () => sentBody?.abort(tooSlow()));
  let cancelLimit = limitWait();
  try {
    let chunk: Buffer | undefined;
    do {
      chunk = await sentBody?.next();
      for (const batch of batchesOf(run, chunk)) {
        const hasLines = batch.length > 0;
        if (hasLines) cancelLimit();
        yield batch;
        if (hasLines) cancelLimit = limitWait(); // only whole lines extend the limit, not single bytes
      }
    } while (chunk !== undefined);
  } finally {
    cancelLimit();
  }
}

function* batchesOf<T>({ rules, now }: ImportRun<T>, chunk: Buffer | undefined): Generator<Item<T>[]> {
  let batch: Item<T>[] = [];
  let until = performance.now() + stepMillisecondsMax;
  const isLate = (): boolean => performance.now() >= until;
  const takeBatch = (): Item<T>[] => {
    const taken = batch;
    batch = [];
    return taken;
  };
  for (const piece of piecesOf(chunk)) {
    for (const line of rules.read(piece)) {
      const { number } = line;
      if ('problem' in line) batch.push({ number, result: resultOf(line.problem) });
      else batch.push({ number, parsed: rules.parse(line.value, now()) });
      if (batch.length < importLinesPerBatch && !isLate()) continue;
      yield takeBatch();
      until = performance.now() + stepMillisecondsMax;
    }
    if (!isLate()) continue;
    yield takeBatch();
    until = performance.now() + stepMillisecondsMax;
  }
  if (batch.length > 0) yield batch;
}

/** Yields the pieces of a chunk; undefined, which ends the last line, for undefined. */
function* piecesOf(chunk: Buffer | undefined): Generator<Buffer | undefined> {
  if (chunk === undefined) return yield undefined;
  for (let start = 0; start < chunk.length; start += importPieceBytes)
    yield chunk.subarray(start, start + importPieceBytes);
}

/**
 * The search index does its work for lines at the end of their savepoint, not in the COMMIT for all lines: little for
 * new customers, much for names that change in a long index. So a savepoint has more lines only after a short one.
 */
const linesPerSavepointMax = 16;
const shortSavepointMilliseconds = 2;

/** Writes some lines, and more as long as there is time. Returns the results of these. */
function writeLines<T>({ call, rules, now }: ImportRun<T>, lines: readonly Item<T>[]): Promise<LineResult[]> {
  return call.write((permit) => {
    const time = now();
    const until = performance.now() + stepMillisecondsMax;
    const results: LineResult[] = [];
    const write = (line: Item<T>): LineResult =>
      'parsed' in line ? rules.write(permit, line.parsed, time) : line.result;
    let linesAtOnce = 1;
    let begun = performance.now();
    while (results.length < lines.length && (results.length === 0 || begun < until)) {
      const some = lines.slice(results.length, results.length + linesAtOnce);
      results.push(...permit.writer.inSavepoint(() => some.map(write)));
      const ended = performance.now();
      linesAtOnce =
        ended - begun < shortSavepointMilliseconds ? Math.min(2 * linesAtOnce, linesPerSavepointMax) : 1;
      begun = ended;
    }
    return results;
  });
}

/** Sends a last line with the reason, and no last chunk. */
function abort<T>(run: ImportRun<T>, number: number, error: unknown): void {
  const { call, results, stream, stopping, log } = run;
  if (stream.isOver) return;
  if (!(error instanceof Problem))
    log.write('error', 'an import failed and was aborted', { cause: causeOf(error) });
  const problem = error instanceof Problem ? error : unexpectedError();
  results.write([{ number }], [resultOf(problem)]);
  results.begin();
  const reason = call.hasExpired() ? 'expired' : endReasonOf(problem.code);
  stream.abortOnceSent(stopping.aborted ? 'stopping' : reason);
}

/**
 * The results of an import. They are kept until the whole body was read, or until there are too many: proxies
 * such as nginx stop forwarding a request once its response has begun, and many clients read nothing before
 * they have sent everything.
 */
class Results {
  readonly #stream: ResponseStream;
  readonly #onResult: (result: LineResult) => void;
  #kept: string[] = [];
  #keptChars = 0;
  #hasBegun = false;

  constructor(stream: ResponseStream, onResult: (result: LineResult) => void) {
    this.#stream = stream;
    this.#onResult = onResult;
  }

  write(lines: readonly { readonly number: number }[], results: readonly LineResult[]): void {
    for (const result of results) this.#onResult(result);
    const text = results.map((result, index) => resultText(lines[index]?.number ?? 0, result)).join('');
    if (this.#hasBegun) return this.#stream.write(Buffer.from(text));
    this.#kept.push(text);
    this.#keptChars += text.length;
    if (this.#keptChars > importKeptCharsMax) this.begin();
  }

  /** Sends the kept results. From now on results are sent at once. */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#stream.begin();
    if (this.#kept.length > 0) this.#stream.write(Buffer.from(this.#kept.join('')));
    this.#kept = [];
  }

  end(): void {
    this.begin();
    this.#stream.finish();
  }

  /** Resolves once the client has read enough of the results. */
  async whenRead(): Promise<void> {
    if (this.#stream.unsentBytes <= importUnsentBytesMax) return;
    await new Promise<void>((resolve) => {
      this.#stream.whenDrained(resolve);
      this.#stream.onEnd(() => resolve());
    });
  }
}

function serviceStopping(): Problem {
  return unavailable('The service is stopping; send the rest again.');
}

function tooSlow(): Problem {
  const seconds = importLineMilliseconds / 1000;
  return new Problem('request-timeout', `No whole line arrived within ${seconds} seconds.`);
}

function unexpectedError(): Problem {
  return new Problem('internal-error', 'An unexpected error occurred; the log has its cause.');
}

function resultOf({ code, detail, members }: Problem): LineFailure {
  const status = members.status ?? problemStatus(code, 422);
  return { status, issues: members.issues ?? [{ pointer: '', code, detail }] };
}

function resultText(line: number, result: LineResult): string {
  if ('id' in result) return `${JSON.stringify({ line, ...result })}\n`;
  const { status, issues } = result;
  return `${JSON.stringify({ line, status, errors: issues.slice(0, issuesMax).map(issueMember) })}\n`;
}

function endReasonOf(code: ProblemCode): StreamEndReason {
  if (code === 'invalid-token' || code === 'forbidden' || code === 'insufficient-scope')
    return 'unauthorized';
  return code === 'request-timeout' ? 'slow' : 'failed';
}
