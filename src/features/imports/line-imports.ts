// Imports: reads lines as they arrive, writes each of them, and sends the results in order once they are on disk. A
// truncated response never looks complete.
import type { Caller } from '../../auth/access.ts';
import { causeOf } from '../../base/log-lines.ts';
import { counter, gauge, labelledSamples, type Family } from '../../base/prometheus.ts';
import { ndjsonType } from '../../http/responses/media-types.ts';
import { issueMember } from '../../http/responses/problem-response.ts';
import { problemStatus } from '../../http/responses/problem-types.ts';
import type { ResponseStream, StreamEndReason } from '../../http/responses/response-stream.ts';
import type { Streamed } from '../../http/routing/reply.ts';
import type { Call } from '../../http/routing/route.ts';
import { Problem, unavailable, type ProblemCode } from '../../problem.ts';
import type { LineOutcome } from '../../resource/imported-object-store.ts';
import type { Permit } from '../../storage/permit.ts';
import type { FeatureServices } from '../feature.ts';
import type { ArrivingLine, ImportLine, LineReader } from './import-lines.ts';

export const importsMax = 2;
/** The connection of a client that sends no whole line for this long is closed. */
export const importLineMilliseconds = 30_000;
/** Lines are read from pieces of this length, each in another turn: a longer piece may have thousands of rows. */
const pieceBytes = 8 * 1024;
/** The lines of an import that wait for one sync of the disk. */
const linesAtOnceMax = 16;
/** The characters of results that are kept while the client still sends. */
export const unsentCharsMax = 8 * 1024 * 1024;
/** While the client leaves more bytes of the response unread, no further lines are read. */
export const importUnsentBytesMax = 8 * 1024 * 1024;
const retrySeconds = 10;

type ImportCall = Pick<
  Call<object, object, undefined, Caller>,
  'streamedBody' | 'write' | 'hasExpired' | 'isHttp10' | 'reportSecurityEvent'
>;

/** How the lines of one import are read and written. */
type LineHandling = {
  readonly read: LineReader;
  readonly write: (permit: Permit<Caller>, line: ImportLine) => LineOutcome;
  /** Whether all changes are undone. */
  readonly isDryRun: boolean;
};

export class Imports {
  readonly #services: Pick<FeatureServices, 'log' | 'timers' | 'stopping'>;
  /** Counts of lines, by the status of their result. */
  readonly #counts = new Map<number, number>();
  #running = 0;

  constructor(services: Pick<FeatureServices, 'log' | 'timers' | 'stopping'>) {
    this.#services = services;
  }

  get families(): Family[] {
    const samples = labelledSamples('status', this.#counts);
    return [
      gauge('orderly_imports_running', 'Imports under way.', this.#running),
      counter('orderly_import_lines_total', 'Imported lines, by the status of their result.', samples),
    ];
  }

  /** Throws if the request can't be an import, or if too many imports are running. */
  createResult(call: ImportCall, handling: LineHandling): Streamed {
    // without chunks the response ends with the connection, and a truncated response looks complete
    if (call.isHttp10) throw new Problem('bad-request', 'An import needs HTTP/1.1.', { status: 505 });
    if (this.#running >= importsMax)
      throw unavailable('Other imports are running; retry in a moment.', retrySeconds);
    const start = (stream: ResponseStream): void => {
      this.#running += 1;
      stream.onEnd(() => (this.#running -= 1));
      void this.#run(stream, call, handling);
    };
    return { kind: 'stream', mediaType: ndjsonType, start };
  }

  async #run(
    stream: ResponseStream,
    call: ImportCall,
    { read, write, isDryRun }: LineHandling,
  ): Promise<void> {
    const { log, timers, stopping } = this.#services;
    const { streamedBody: body } = call;
    const results = new Results(stream, call, this.#counts);
    const stop = (): void => body?.abort(serviceStopping());
    const limitWait = () => timers.after(importLineMilliseconds, () => body?.abort(tooSlow()));
    let cancelLimit = limitWait();
    if (stopping.aborted) stop();
    stopping.addEventListener('abort', stop);
    try {
      for await (const piece of piecesOf(body)) {
        const lines = read(piece);
        if (lines.length > 0) {
          cancelLimit();
          await writeLines(lines);
          cancelLimit = limitWait(); // only whole lines extend the limit, not single bytes
        }
        await stream.nextTurn();
        if (stream.isOver) return;
      }
      results.send();
      stream.finish();
    } catch (error) {
      if (stream.isOver) return;
      if (!(error instanceof Problem))
        log.write('error', 'an import failed and was aborted', { cause: causeOf(error) });
      const problem = error instanceof Problem ? error : new Problem('internal-error', unexpected);
      results.add(results.next, problem);
      results.send();
      const reason = call.hasExpired() ? 'expired' : endReasonOf(problem.code);
      stream.abortOnceSent(stopping.aborted ? 'stopping' : reason); // without its last chunk
    } finally {
      cancelLimit();
      stopping.removeEventListener('abort', stop);
    }

    /**
     * Several lines wait for one sync of the disk. If one of them ends the import, the results of the others that are on
     * disk are sent first.
     */
    async function writeLines(lines: readonly ArrivingLine[]): Promise<void> {
      for (let start = 0; start < lines.length && !stream.isOver; start += linesAtOnceMax) {
        if (stopping.aborted) throw serviceStopping();
        const written = await Promise.all(lines.slice(start, start + linesAtOnceMax).map(writeLine));
        for (const { number, result } of written) if (result !== undefined) results.add(number, result);
        const failed = written.find(({ result }) => result === undefined);
        if (failed !== undefined) {
          results.next = failed.number;
          throw failed.error;
        }
        await results.untilRead();
      }
    }

    /** Each line is a separate write: if it is rejected, it alone is undone. An error ends the import. */
    async function writeLine({ number, parse }: ArrivingLine): Promise<WrittenLine> {
      let result: LineOutcome | Problem | undefined;
      try {
        await call.write((permit) => {
          result = outcomeOf(() => write(permit, parse()));
          if (isDryRun || result instanceof Problem) throw undone;
        });
      } catch (error) {
        if (error !== undone) return { number, error };
      }
      return { number, result };
    }
  }
}

/** Thrown by a write to undo its changes: its line is rejected, or the import is a dry run. */
const undone = new Error('The changes of a line are undone.');

/** The result of a line, or the problem for which it was rejected. `error` ends the import. */
type WrittenLine = {
  readonly number: number;
  readonly result?: LineOutcome | Problem | undefined;
  readonly error?: unknown;
};

/**
 * The results of an import. They are kept until the whole body was read, or until there are too many: proxies such as
 * nginx stop forwarding a request once its response has begun, and many clients read nothing before they have sent
 * everything.
 */
class Results {
  readonly #stream: ResponseStream;
  readonly #call: ImportCall;
  readonly #counts: Map<number, number>;
  /** The number of the first line without a result. */
  next = 1;
  #unsent = '';
  #hasBegun = false;
  #hasReportedDenial = false;

  constructor(stream: ResponseStream, call: ImportCall, counts: Map<number, number>) {
    this.#stream = stream;
    this.#call = call;
    this.#counts = counts;
  }

  /** The log has one line for all lines that are rejected for lack of rights. */
  add(line: number, result: LineOutcome | Problem): void {
    const { status, ...members } = shown(result);
    if (status === 403 && result instanceof Problem && !this.#hasReportedDenial) {
      this.#hasReportedDenial = true;
      this.#call.reportSecurityEvent({ name: 'authz_fail', code: result.code });
    }
    this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1);
    this.next = line + 1;
    this.#unsent += `${JSON.stringify({ line, status, ...members })}\n`;
  }

  /** From the first call on, results are sent at once. */
  send(): void {
    if (this.#stream.isOver) return;
    if (!this.#hasBegun) this.#stream.begin();
    this.#hasBegun = true;
    if (this.#unsent !== '') this.#stream.write(Buffer.from(this.#unsent));
    this.#unsent = '';
  }

  /** Resolves once the client has read enough of the results. */
  async untilRead(): Promise<void> {
    if (this.#hasBegun || this.#unsent.length > unsentCharsMax) this.send();
    if (this.#stream.unsentBytes <= importUnsentBytesMax) return;
    await new Promise<void>((resolve) => {
      this.#stream.whenDrained(resolve);
      this.#stream.onEnd(() => resolve());
    });
  }
}

/** Yields the body in pieces, and undefined at its end. Reads no faster than the import consumes them. */
async function* piecesOf(body: ImportCall['streamedBody']): AsyncGenerator<Buffer | undefined> {
  for (let chunk = await body?.next(); chunk !== undefined; chunk = await body?.next())
    for (let start = 0; start < chunk.length; start += pieceBytes)
      yield chunk.subarray(start, start + pieceBytes);
  yield undefined;
}

function outcomeOf(write: () => LineOutcome): LineOutcome | Problem {
  try {
    return write();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** The members of a line of the response. */
function shown(result: LineOutcome | Problem) {
  if (!(result instanceof Problem)) return { status: result.result === 'created' ? 201 : 200, ...result };
  const { code, detail, members } = result;
  const { status = problemStatus(code, 422), issues = [{ pointer: '', code, detail }] } = members;
  return { status, errors: issues.map(issueMember) };
}

function serviceStopping(): Problem {
  return unavailable('The service is stopping; send the rest again.');
}

function tooSlow(): Problem {
  const seconds = importLineMilliseconds / 1000;
  return new Problem('request-timeout', `No whole line arrived within ${seconds} seconds.`);
}

const unexpected = 'An unexpected error occurred; the log has its cause.';

function endReasonOf(code: ProblemCode): StreamEndReason {
  if (code === 'invalid-token' || code === 'forbidden' || code === 'insufficient-scope')
    return 'unauthorized';
  return code === 'request-timeout' ? 'slow' : 'failed';
}
