// Imports: reads lines as they arrive, checks and writes a few at a time, and sends their results in order
// once they are on disk. A truncated response never looks complete.
import type { Caller } from '../auth/access.ts';
import {
  importBytesPerBatch,
  importLineBytesMax,
  importLineMilliseconds,
  importLinesPerBatch,
  importQuietMilliseconds,
  importSliceMillisecondsMax,
  importUnsentBytesMax,
  importWritesMax,
  importsMax,
  issuesMax,
} from '../limits.ts';
import { causeOf } from '../log-lines.ts';
import type { Logger } from '../logger.ts';
import { Problem, unavailable, type ProblemCode } from '../problem.ts';
import type { Issue } from '../schema/schema.ts';
import type { Connection } from '../storage/connection.ts';
import type { Permit } from '../storage/permit.ts';
import type { Timers } from '../timers.ts';
import { BufferedResults } from './buffered-results.ts';
import { ndjson } from './media-types.ts';
import { NdjsonLines, parseLine, type NdjsonLine } from './ndjson-lines.ts';
import { problemStatus } from './problem-types.ts';
import { issueMember } from './problem-response.ts';
import { streamed, type Streamed } from './handler-result.ts';
import type { ResponseStream, StreamEndReason } from './response-stream.ts';
import type { Context } from './route.ts';
import type { ImportCounts } from './transfer-metrics.ts';

/** Parses and writes the lines of one kind of import; `now` is in milliseconds since 1970. */
export type LineRules<T> = {
  /** Returns what `write` receives, such as the object to be written or its issues. */
  parse(value: unknown, now: number): T;
  /** Called in a write that several lines share, so it must change nothing for a line that it rejects. */
  write(permit: Permit<Caller>, parsed: T, now: number): LineOutcome;
};

type LineOutcome =
  | { readonly status: 200 | 201; readonly id: number }
  | { readonly status: 403 | 422; readonly issues: readonly Issue[] };

type ImportContext = Pick<
  Context<object, object, undefined, Caller>,
  'streamedBody' | 'database' | 'authorizeWrite' | 'hasExpired' | 'isHttp10' | 'reportSecurityEvent'
>;

type ImportsOptions = {
  readonly log: Logger;
  readonly now: () => number;
  readonly timers: Timers;
  /** Aborted when the service begins to stop. */
  readonly stopping: AbortSignal;
};

/** The part of `Imports` that routes use. */
export type HandlerImports = Pick<Imports, 'createResult'>;

export class Imports {
  readonly #options: ImportsOptions;
  /** Counts of lines, by the status of their result. */
  readonly #lines = new Map<number, number>();
  #running = 0;

  constructor(options: ImportsOptions) {
    this.#options = options;
  }

  get counts(): ImportCounts {
    return { running: this.#running, lines: this.#lines };
  }

  /** Returns the result of an import. Throws if the request can't be one, or if too many are running. */
  createResult<T>(context: ImportContext, rules: LineRules<T>): Streamed {
    // without chunks the response ends with the connection, and a truncated one looks complete
    if (context.isHttp10) throw new Problem('bad-request', 'An import needs HTTP/1.1.', { status: 505 });
    if (this.#running >= importsMax)
      throw unavailable('Other imports are running; retry in a moment.', retrySeconds);
    const count = (status: number): unknown => this.#lines.set(status, (this.#lines.get(status) ?? 0) + 1);
    return streamed(ndjson, (stream) => {
      this.#running += 1;
      stream.onEnd(() => (this.#running -= 1));
      void new ImportRun(this.#options, { context, rules, stream, count }).run();
    });
  }
}

const retrySeconds = 10;

type RunParts<T> = {
  readonly context: ImportContext;
  readonly rules: LineRules<T>;
  readonly stream: ResponseStream;
  /** Called with the status of each result that is sent. */
  readonly count: (status: number) => unknown;
};

/** The result of a line that could not be parsed, or the reason for the end of the import. */
type LineFailure = { readonly status: number; readonly issues: readonly Issue[] };
type LineResult = LineOutcome | LineFailure;
type Item<T> = { readonly number: number } & ({ readonly parsed: T } | { readonly result: LineFailure });

class ImportRun<T> {
  readonly #options: ImportsOptions;
  readonly #parts: RunParts<T>;
  readonly #results: BufferedResults;
  readonly #lines = new NdjsonLines(importLineBytesMax);
  /** The number of the first line of the batch that is being read. */
  #number = 1;
  /** Batches whose results have not been sent, in their order. */
  readonly #pending: Promise<void>[] = [];
  #isDenialReported = false;

  constructor(options: ImportsOptions, parts: RunParts<T>) {
    this.#options = options;
    this.#parts = parts;
    this.#results = new BufferedResults(parts.stream);
  }

  async run(): Promise<void> {
    try {
      await this.#importAll();
    } catch (error) {
      await this.#allSent();
      this.#abort(error, this.#number);
    }
  }

  async #importAll(): Promise<void> {
    const { stream } = this.#parts;
    for (let batch = await this.#nextBatch(); batch.length > 0; batch = await this.#nextBatch()) {
      if (stream.isOver) return;
      const previous = this.#pending.at(-1);
      this.#pending.push(this.#sendResults(batch, this.#write(batch), previous));
      if (this.#pending.length >= importWritesMax) await this.#pending.shift();
    }
    await this.#allSent();
    this.#results.flush();
    stream.finish();
  }

  /** Returns the lines of the next slice; none at the end. */
  async #nextBatch(): Promise<Item<T>[]> {
    const { stream } = this.#parts;
    this.#number = this.#lines.number;
    let line = this.#lines.next() ?? (await this.#arrivalOfLine());
    const batch: Item<T>[] = [];
    if (line === undefined) return batch;
    this.#number = line.number;
    await waitForClientAndTurn(stream);
    if (this.#options.stopping.aborted) throw serviceStopping();
    const until = performance.now() + importSliceMillisecondsMax;
    let bytes = 0;
    for (; line !== undefined; line = this.#lines.next()) {
      batch.push(this.#parse(line));
      bytes += line.bytes?.length ?? 0;
      const isFull = batch.length >= importLinesPerBatch || bytes >= importBytesPerBatch;
      if (isFull || performance.now() >= until) break;
    }
    return batch;
  }

  /** Waits for a whole line, within one time limit that single bytes don't extend. */
  async #arrivalOfLine(): Promise<NdjsonLine | undefined> {
    const end = Promise.withResolvers<never>();
    const cancel = this.#limitWait(end.reject);
    try {
      for (;;) {
        const chunk = await Promise.race([this.#parts.context.streamedBody?.next(), end.promise]);
        if (chunk === undefined) this.#lines.end();
        else this.#lines.add(chunk);
        const line = this.#lines.next();
        if (line !== undefined || chunk === undefined) return line;
      }
    } finally {
      cancel();
    }
  }

  /** Rejects a wait that takes too long, or when the service stops. Returns a function that cancels this. */
  #limitWait(reject: (problem: Problem) => void): () => void {
    const { timers, stopping } = this.#options;
    const cancelLate = timers.after(importLineMilliseconds, () => reject(tooSlow()));
    // the client may be waiting for the results of the lines that it has sent
    const cancelQuiet = timers.after(importQuietMilliseconds, () => this.#results.flush());
    const stop = (): void => reject(serviceStopping());
    if (stopping.aborted) stop();
    stopping.addEventListener('abort', stop);
    return () => {
      cancelLate();
      cancelQuiet();
      stopping.removeEventListener('abort', stop);
    };
  }

  #parse(line: NdjsonLine): Item<T> {
    const { number } = line;
    const json = parseLine(line, importLineBytesMax);
    if (json instanceof Problem) return { number, result: resultOf(json) };
    return { number, parsed: this.#parts.rules.parse(json.value, this.#options.now()) };
  }

  #write(batch: readonly Item<T>[]): Promise<LineResult[]> {
    const { database } = this.#parts.context;
    return database.write((writer) => this.#writeAll(writer, batch));
  }

  #writeAll(writer: Connection, batch: readonly Item<T>[]): LineResult[] {
    const { context, rules } = this.#parts;
    const permit = context.authorizeWrite(writer);
    const now = this.#options.now();
    return batch.map((item) => ('parsed' in item ? rules.write(permit, item.parsed, now) : item.result));
  }

  async #sendResults(
    batch: readonly Item<T>[],
    written: Promise<LineResult[]>,
    previous: Promise<void> | undefined,
  ): Promise<void> {
    const { stream } = this.#parts;
    const [result] = await Promise.allSettled([written, previous]);
    if (stream.isOver) return;
    if (result.status === 'rejected') return this.#abort(result.reason, batch[0]?.number ?? 0);
    const texts = result.value.map((each, index) => resultText(batch[index]?.number ?? 0, each));
    this.#count(result.value);
    this.#results.write(texts.join(''));
  }

  async #allSent(): Promise<void> {
    await this.#pending.at(-1);
  }

  /** Sends a last line that says why, and no last chunk. */
  #abort(error: unknown, number: number): void {
    const { context, stream } = this.#parts;
    if (stream.isOver) return;
    const problem = error instanceof Problem ? error : this.#logUnexpected(error);
    const result = resultOf(problem);
    this.#count([result]);
    this.#results.write(resultText(number, result));
    this.#results.flush();
    const reason = context.hasExpired() ? 'expired' : endReasonOf(problem.code);
    stream.abortOnceSent(this.#options.stopping.aborted ? 'stopping' : reason);
  }

  /** Counts the results. The log has one line for all lines that were rejected for lack of rights. */
  #count(results: readonly LineResult[]): void {
    const { context, count } = this.#parts;
    for (const result of results) {
      count(result.status);
      if (result.status !== 403 || this.#isDenialReported) continue;
      this.#isDenialReported = true;
      const code = result.issues[0]?.code ?? 'forbidden';
      context.reportSecurityEvent({ name: 'authz_fail', code });
    }
  }

  #logUnexpected(error: unknown): Problem {
    const cause = causeOf(error);
    this.#options.log.write('error', 'an import failed and was aborted', { cause });
    return new Problem('internal-error', 'An unexpected error occurred; the log has its cause.');
  }
}

/** Waits until the client has read enough of the response, and for a later turn of the event loop. */
async function waitForClientAndTurn(stream: ResponseStream): Promise<void> {
  if (stream.unsentBytes > importUnsentBytesMax)
    await new Promise<void>((resolve) => stream.whenDrained(resolve));
  await stream.nextTurn();
}

function serviceStopping(): Problem {
  return unavailable('The service is stopping; send the rest again.');
}

function tooSlow(): Problem {
  const seconds = importLineMilliseconds / 1000;
  return new Problem('request-timeout', `No whole line arrived within ${seconds} seconds.`);
}

function resultOf({ code, detail, members }: Problem): LineFailure {
  const status = members.status ?? problemStatus(code, 422);
  return { status, issues: members.issues ?? [{ pointer: '', code, detail }] };
}

function resultText(line: number, result: LineResult): string {
  if ('id' in result) return `{"line":${line},"status":${result.status},"id":${result.id}}\n`;
  const { status, issues } = result;
  return `${JSON.stringify({ line, status, errors: issues.slice(0, issuesMax).map(issueMember) })}\n`;
}

function endReasonOf(code: ProblemCode): StreamEndReason {
  if (code === 'invalid-token' || code === 'forbidden' || code === 'insufficient-scope')
    return 'unauthorized';
  return code === 'request-timeout' ? 'slow' : 'failed';
}
