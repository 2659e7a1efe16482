// Exports: a whole list as one response, written as fast as the client reads. A truncated response never
// looks complete.
import { isStaff, type Caller } from '../../auth/access.ts';
import { csvLine, csvLines, type CsvTable } from '../../base/csv.ts';
import { causeOf } from '../../base/log-lines.ts';
import type { Logger } from '../../base/logger.ts';
import { counter, gauge, labelledSamples, type Family } from '../../base/prometheus.ts';
import { Slots, type SlotClaim } from '../../base/slots.ts';
import type { Timers } from '../../base/timers.ts';
import { stepMillisecondsMax } from '../../base/turns.ts';
import { Problem, unavailable, securityEventOf } from '../../problem.ts';
import type { Issue } from '../../schema/schema.ts';
import { csvType, ndjsonType } from '../responses/media-types.ts';
import type { ResponseStream } from '../responses/response-stream.ts';
import type { Streamed } from '../routing/reply.ts';
import type { Call } from '../routing/route.ts';

export const exportsMax = 2;
const exportsPerUserMax = 1;
/**
 * An export ends if its client reads less than these bytes in this time (64 KiB/s) although more are ready.
 */
const exportCheckMilliseconds = 10_000;
const exportBytesMin = 10 * 64 * 1024;
/** After a minute an export also ends if its client reads less than 1 MiB/s and another export was refused. */
const exportMillisecondsWhileOthersWait = 60_000;
const exportBytesMinWhileOthersWait = 10 * 1024 * 1024;
/** The bytes of one write. */
export const exportChunkBytesMax = 64 * 1024;

export type ExportCall = Call<object, object, undefined, Caller>;

/** The name and the columns of an export's file. */
export type ExportFile<T> = {
  /** The beginning of the file's name; the date follows it. */
  readonly name: string;
  readonly table: CsvTable<T>;
};

/**
 * Yields all elements, a few at a time; a step may yield none. Calls `authorize` before it reads elements, and throws
 * a Problem if the reader's rights have changed since the beginning.
 */
export type ElementReader<T, C> = (authorize: () => C) => AsyncIterable<readonly T[]>;

/** The part of `Exports` that routes use. */
export type HandlerExports = Pick<Exports, 'createResult'>;

export class Exports {
  readonly #log: Logger;
  readonly #timers: Timers;
  readonly #slots = new Slots({
    running: exportsMax,
    waiting: 0,
    perClient: exportsPerUserMax,
    refuse: (bound) => {
      this.#refused += 1;
      const detail =
        bound === 'perClient'
          ? 'Another export is running, of this user or of another one.'
          : 'Other exports are running; retry in a moment.';
      return unavailable(detail, retrySeconds);
    },
  });
  #refused = 0;
  /** The number of exports that ended, by reason. */
  readonly #ends = new Map<string, number>();

  constructor({ log, timers }: { readonly log: Logger; readonly timers: Timers }) {
    this.#log = log;
    this.#timers = timers;
  }

  families(): Family[] {
    const ends = labelledSamples('reason', this.#ends);
    return [
      gauge('orderly_exports_running', 'Exports under way.', this.#slots.running),
      counter('orderly_exports_ended_total', 'Exports that ended, by how.', ends),
    ];
  }

  /**
   * Returns the result of an export. Throws if the request can't have an export, or if too many exports are
   * running.
   */
  createResult<T>(
    call: ExportCall,
    { name, table }: ExportFile<T>,
    readElements: ElementReader<T, Caller>,
  ): Streamed {
    // without chunks the file ends with the connection, and a truncated file looks complete
    if (call.isHttp10) throw new Problem('bad-request', 'An export needs HTTP/1.1.', { status: 505 });
    this.#slots.checkRoom(claimOf(call));
    const day = new Date(call.now).toISOString().slice(0, 10);
    const isCsv = call.mediaType === csvType;
    const texts = textsOf(
      readElements(() => call.recheckCaller()),
      isCsv ? table : undefined,
    );
    return {
      kind: 'stream',
      mediaType: isCsv ? `${csvType}; charset=utf-8` : ndjsonType,
      fields: ['Content-Disposition', `attachment; filename="${name}-${day}.${isCsv ? 'csv' : 'ndjson'}"`],
      start: (stream) => this.#start(stream, call, texts),
    };
  }

  #start(stream: ResponseStream, call: ExportCall, texts: AsyncIterable<string>): void {
    const ended = Promise.withResolvers<void>();
    stream.onEnd((reason) => {
      ended.resolve();
      this.#ends.set(reason, (this.#ends.get(reason) ?? 0) + 1);
    });
    this.#endIfSlow(stream);
    const held = this.#slots.run(claimOf(call), () => ended.promise); // not earlier: HEAD starts no export
    held.catch(() => stream.abort('failed')); // another export took the slot since `checkRoom`
    writeTexts(stream, texts).catch((error: unknown) => {
      // a Problem during an export means that the caller has lost a right, unless it is `unavailable`
      if (error instanceof Problem && error.code !== 'unavailable') {
        const event = securityEventOf(error);
        if (event !== undefined) call.reportSecurityEvent(event);
        return stream.abort(call.hasExpired() ? 'expired' : 'unauthorized');
      }
      this.#log.write('error', 'an export failed and was aborted', { cause: causeOf(error) });
      stream.abort('failed');
    });
  }

  /** Ends an export whose client reads too slowly, since others wait for its slot. */
  #endIfSlow(stream: ResponseStream): void {
    const refusedBefore = this.#refused;
    let sentBefore = 0;
    let milliseconds = 0;
    const endIfSlow = (): void => {
      const { sentBytes, unsentBytes } = stream;
      milliseconds += exportCheckMilliseconds;
      const isAwaited = milliseconds >= exportMillisecondsWhileOthersWait && this.#refused > refusedBefore;
      const bytesMin = isAwaited ? exportBytesMinWhileOthersWait : exportBytesMin;
      if (unsentBytes > 0 && sentBytes - sentBefore < bytesMin) return stream.abort('slow');
      sentBefore = sentBytes;
      cancel = this.#timers.after(exportCheckMilliseconds, endIfSlow);
    };
    let cancel = this.#timers.after(exportCheckMilliseconds, endIfSlow);
    stream.onEnd(() => cancel());
  }
}

const retrySeconds = 10;

/** All who aren't staff are also one client together, so that they leave a slot to staff. */
function claimOf({ caller }: ExportCall): SlotClaim {
  const user = `user:${caller.userId}`;
  return { clients: isStaff(caller) ? [user] : [user, 'users'] };
}

/** The text of a file: a table, or lines of JSON. */
async function* textsOf<T>(read: AsyncIterable<readonly T[]>, table: CsvTable<T> | undefined) {
  if (table !== undefined) yield csvLine(table.columns);
  for await (const elements of read) {
    const lines = elements.map((each) =>
      table === undefined ? `${JSON.stringify(each)}\n` : csvLines(table, each),
    );
    yield lines.join('');
  }
}

/** Writes the texts slice by slice: each in its own turn, once the system has accepted the slice before. */
async function writeTexts(stream: ResponseStream, texts: AsyncIterable<string>): Promise<void> {
  await stream.nextTurn();
  let slice = '';
  let until = performance.now() + stepMillisecondsMax;
  for await (const text of texts) {
    slice += text;
    if (slice.length < exportChunkBytesMax && performance.now() < until) continue;
    await writeInChunks(stream, slice);
    slice = '';
    await stream.nextTurn();
    if (stream.isOver) return;
    until = performance.now() + stepMillisecondsMax;
  }
  await writeInChunks(stream, slice);
  stream.finish();
}

/** One element may be many chunks long. */
async function writeInChunks(stream: ResponseStream, text: string): Promise<void> {
  const bytes = Buffer.from(text, 'utf8');
  for (let start = 0; start < bytes.length; start += exportChunkBytesMax)
    await stream.writeAndWait(bytes.subarray(start, start + exportChunkBytesMax));
}

/** Whether the request is for an export rather than a page. */
export function isExport({ mediaType }: Pick<ExportCall, 'mediaType'>): boolean {
  return mediaType === csvType || mediaType === ndjsonType;
}

/** Returns an issue for each parameter of pages that the query of an export has. */
export function exportIssues(query: object, mediaType: string, ofPages: readonly string[]): Issue[] {
  if (!isExport({ mediaType })) return [];
  const sent = ofPages.filter((name) => Object.hasOwn(query, name));
  return sent.map((parameter) => ({
    parameter,
    code: 'conflict',
    detail: `An export has no pages: leave out ${parameter}, or accept application/json.`,
  }));
}

/** A sentence for the documentation of lists. */
export const exportDescription =
  'With `Accept: text/csv` or `application/x-ndjson` the response is the whole list as a file, without ' +
  'pages; an incomplete one ends without the last chunk.';
