// Imports: lines are taken as they arrive, checked and written a few at a time, and answered in their order
// once they are on disk. What is cut short never looks complete.
import type { Caller } from '../auth/access.ts';
import {
  importBytesAtOnce,
  importLineBytesMax,
  importLineMilliseconds,
  importLinesAtOnce,
  importQuietMilliseconds,
  importSliceMillisecondsMax,
  importUnsentBytesMax,
  importWritesMax,
  importsMax,
} from '../limits.ts';
import { causeOf } from '../log-lines.ts';
import type { Logger } from '../logger.ts';
import { Problem, unavailable, type ProblemKind } from '../problem.ts';
import type { Issue } from '../schema/schema.ts';
import type { Connection } from '../storage/connection.ts';
import type { Permit } from '../storage/permit.ts';
import type { Timers } from '../timers.ts';
import { HeldAnswers } from './held-answers.ts';
import { ndjson } from './media-types.ts';
import { NdjsonLines, parseLine, type NdjsonLine } from './ndjson-lines.ts';
import { statusOf } from './problem-kinds.ts';
import { issueMember } from './problem-response.ts';
import { streamed, type Representation } from './representation.ts';
import type { ResponseStream, StreamEnd } from './response-stream.ts';
import type { Context } from './route.ts';
import type { ImportCounts } from './transfer-metrics.ts';

/** What lines become; `now` is in milliseconds since 1970. */
export type LineRules<T> = {
  /** What is to be written of a line's value, or why it is invalid. */
  check(value: unknown, now: number): { readonly accepted: T } | { readonly issues: readonly Issue[] };
  /** Called in a write that several lines share: for a line that it rejects it must have changed nothing. */
  write(permit: Permit<Caller>, accepted: T, now: number): LineOutcome;
};

type LineOutcome =
  | { readonly status: 200 | 201; readonly id: number }
  | { readonly status: 403 | 422; readonly issues: readonly Issue[] };

type ImportContext = Pick<
  Context<object, object, undefined, Caller>,
  'streamedBody' | 'db' | 'authorizeWrite' | 'isHttp10'
>;

type ImportsOptions = {
  readonly log: Logger;
  readonly now: () => number;
  readonly timers: Timers;
  readonly isStopping: () => boolean;
};

/** What routes use of it. */
export type ImportStarter = Pick<Imports, 'start'>;

export class Imports {
  readonly #options: ImportsOptions;
  /** By the status of their answer. */
  readonly #lines = new Map<number, number>();
  #running = 0;

  constructor(options: ImportsOptions) {
    this.#options = options;
  }

  get counts(): ImportCounts {
    return { running: this.#running, lines: this.#lines };
  }

  /** Throws where the request can't be an import, or too many run. */
  start<T>(context: ImportContext, rules: LineRules<T>): Representation<never> {
    // without chunks the end of the connection is the end of the response, and a cut one looks whole
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
  /** Called with the status of each line that is answered. */
  readonly count: (status: number) => unknown;
};

type Answer = LineOutcome | { readonly status: number; readonly issues: readonly Issue[] };
/** A line that was checked: what is to be written, or why it is rejected. */
type Item<T> = { readonly number: number; readonly found: { readonly accepted: T } | Answer };

class ImportRun<T> {
  readonly #options: ImportsOptions;
  readonly #parts: RunParts<T>;
  readonly #answers: HeldAnswers;
  readonly #lines = new NdjsonLines(importLineBytesMax);
  /** The number of the line that is taken next. */
  #number = 1;
  /** The answers that are still to come, in their order. */
  readonly #pending: Promise<void>[] = [];

  constructor(options: ImportsOptions, parts: RunParts<T>) {
    this.#options = options;
    this.#parts = parts;
    this.#answers = new HeldAnswers(parts.stream);
  }

  async run(): Promise<void> {
    try {
      await this.#importAll();
    } catch (error) {
      await this.#allAnswered();
      this.#breakOff(error, this.#number);
    }
  }

  async #importAll(): Promise<void> {
    const { stream } = this.#parts;
    for (let batch = await this.#nextBatch(); batch.length > 0; batch = await this.#nextBatch()) {
      if (stream.isOver) return;
      const previous = this.#pending.at(-1);
      this.#pending.push(this.#answer(batch, this.#write(batch), previous));
      if (this.#pending.length >= importWritesMax) await this.#pending.shift();
    }
    await this.#allAnswered();
    this.#answers.open();
    stream.finish();
  }

  /** The lines of one slice; none at the end. */
  async #nextBatch(): Promise<Item<T>[]> {
    const { stream } = this.#parts;
    this.#number = this.#lines.number;
    let line = this.#lines.next() ?? (await this.#arrivalOfLine());
    const batch: Item<T>[] = [];
    if (line === undefined) return batch;
    this.#number = line.number;
    await nextTurn(stream);
    if (this.#options.isStopping()) throw unavailable('The service is stopping; send the rest again.');
    const until = performance.now() + importSliceMillisecondsMax;
    let bytes = 0;
    for (; line !== undefined; line = this.#lines.next()) {
      batch.push(this.#check(line));
      bytes += line.bytes?.length ?? 0;
      const isFull = batch.length >= importLinesAtOnce || bytes >= importBytesAtOnce;
      if (isFull || performance.now() >= until) break;
    }
    return batch;
  }

  /** A client that sends a byte now and then is as slow as one that sends nothing. */
  async #arrivalOfLine(): Promise<NdjsonLine | undefined> {
    const { timers } = this.#options;
    const late = Promise.withResolvers<never>();
    const cancelLate = timers.after(importLineMilliseconds, () => late.reject(tooSlow()));
    // it may wait for the answers to what it has sent
    const cancelQuiet = timers.after(importQuietMilliseconds, () => this.#answers.open());
    try {
      for (;;) {
        const piece = await Promise.race([this.#parts.context.streamedBody?.next(), late.promise]);
        if (piece === undefined) this.#lines.end();
        else this.#lines.add(piece);
        const line = this.#lines.next();
        if (line !== undefined || piece === undefined) return line;
      }
    } finally {
      cancelLate();
      cancelQuiet();
    }
  }

  #check(line: NdjsonLine): Item<T> {
    const { number } = line;
    const parsed = parseLine(line, importLineBytesMax);
    if (parsed instanceof Problem) return { number, found: answerOf(parsed) };
    const found = this.#parts.rules.check(parsed.value, this.#options.now());
    return { number, found: 'accepted' in found ? found : { status: 422, issues: found.issues } };
  }

  #write(batch: readonly Item<T>[]): Promise<Answer[]> {
    const { db } = this.#parts.context;
    return db.write((writer) => this.#writeAll(writer, batch));
  }

  #writeAll(writer: Connection, batch: readonly Item<T>[]): Answer[] {
    const { context, rules } = this.#parts;
    const permit = context.authorizeWrite(writer);
    const now = this.#options.now();
    return batch.map(({ found }) => ('accepted' in found ? rules.write(permit, found.accepted, now) : found));
  }

  async #answer(
    batch: readonly Item<T>[],
    written: Promise<Answer[]>,
    previous: Promise<void> | undefined,
  ): Promise<void> {
    const { stream, count } = this.#parts;
    const [result] = await Promise.allSettled([written, previous]);
    if (stream.isOver) return;
    if (result.status === 'rejected') return this.#breakOff(result.reason, batch[0]?.number ?? 0);
    const texts = result.value.map((answer, index) => answerText(batch[index]?.number ?? 0, answer));
    for (const { status } of result.value) count(status);
    this.#answers.write(texts.join(''));
  }

  async #allAnswered(): Promise<void> {
    await this.#pending.at(-1);
  }

  /** The last line says why, and no last chunk follows it. */
  #breakOff(error: unknown, number: number): void {
    const { stream, count } = this.#parts;
    if (stream.isOver) return;
    const problem = error instanceof Problem ? error : this.#logged(error);
    const answer = answerOf(problem);
    count(answer.status);
    this.#answers.write(answerText(number, answer));
    this.#answers.open();
    stream.breakOffOnceSent(endOf(problem.kind));
  }

  #logged(error: unknown): Problem {
    const cause = causeOf(error);
    this.#options.log.write('error', 'an import failed and was broken off', { cause });
    return new Problem('internal-error', 'An unexpected error occurred; the log has its cause.');
  }
}

/** In a later turn, once the client has read enough of the response. */
function nextTurn(stream: ResponseStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.unsentBytes > importUnsentBytesMax) stream.whenDrained(() => stream.runLater(resolve));
    else stream.runLater(resolve);
  });
}

function tooSlow(): Problem {
  const seconds = importLineMilliseconds / 1000;
  return new Problem('request-timeout', `No whole line arrived within ${seconds} seconds.`);
}

function answerOf({ kind, message, details }: Problem): Answer {
  const status = details.status ?? statusOf(kind, 422);
  return { status, issues: details.issues ?? [{ pointer: '', code: kind, detail: message }] };
}

function answerText(line: number, answer: Answer): string {
  if ('id' in answer) return `{"line":${line},"status":${answer.status},"id":${answer.id}}\n`;
  const { status, issues } = answer;
  return `${JSON.stringify({ line, status, errors: issues.map(issueMember) })}\n`;
}

function endOf(kind: ProblemKind): StreamEnd {
  if (kind === 'invalid-token' || kind === 'forbidden' || kind === 'insufficient-scope')
    return 'unauthorized';
  return kind === 'request-timeout' ? 'slow' : 'failed';
}
