// Exports: a whole list as one response, as fast as the client reads it. A truncated response never looks
// complete.
import type { Caller } from '../auth/access.ts';
import type { CsvTable } from '../csv.ts';
import { exportChunkBytesMax, exportSliceMillisecondsMax } from '../limits.ts';
import { causeOf } from '../log-lines.ts';
import type { Logger } from '../logger.ts';
import { Problem } from '../problem.ts';
import type { Issue } from '../schema/schema.ts';
import { csvFormat, ndjsonFormat, type FileFormat } from './file-formats.ts';
import { securityEventOf } from './exchange-log.ts';
import { ExportSlots, RunningExport } from './export-slots.ts';
import type { ExportSource, ExportStep } from './list-export.ts';
import { csv, ndjson } from './media-types.ts';
import { streamed, type Streamed } from './handler-result.ts';
import type { ResponseStream } from './response-stream.ts';
import type { Context } from './route.ts';
import type { ExportCounts } from './transfer-metrics.ts';

/** The name and the columns of an export's file. */
type ExportFormat<T> = {
  /** The beginning of the file's name; the date follows it. */
  readonly name: string;
  readonly table: CsvTable<T>;
};

type ExportContext = Pick<
  Context<object, object, undefined, Caller>,
  | 'caller'
  | 'authorizeRead'
  | 'hasExpired'
  | 'reportSecurityEvent'
  | 'mediaType'
  | 'isHttp10'
  | 'now'
  | 'query'
>;

type ExportsOptions = {
  readonly log: Logger;
  readonly now: () => number;
  /** The users without staff rights whose places are kept. */
  readonly waitingMax?: number;
};

/** The part of `Exports` that routes use. */
export type HandlerExports = Pick<Exports, 'createResult'>;

export class Exports {
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #slots: ExportSlots;
  readonly #ends = new Map<string, number>();
  #bytes = 0;

  constructor({ log, now, waitingMax }: ExportsOptions) {
    this.#log = log;
    this.#now = now;
    this.#slots = new ExportSlots(now, waitingMax);
  }

  get counts(): ExportCounts {
    return { running: this.#slots.taken, bytes: this.#bytes, ends: this.#ends };
  }

  /** Returns the result of an export. Throws if the request can't be one, or if too many are running. */
  createResult<T>(
    context: ExportContext,
    { name, table }: ExportFormat<T>,
    source: ExportSource<T, Caller>,
  ): Streamed {
    // without chunks the file ends with the connection, and a truncated file looks complete
    if (context.isHttp10) throw new Problem('bad-request', 'An export needs HTTP/1.1.', { status: 505 });
    const preempted = this.#slots.claim(context.caller);
    const isCsv = context.mediaType === csv;
    const day = new Date(context.now).toISOString().slice(0, 10);
    const fileName = `${name}-${day}.${isCsv ? 'csv' : 'ndjson'}`;
    const format = isCsv ? csvFormat(table) : ndjsonFormat;
    return streamed(
      isCsv ? `${csv}; charset=utf-8` : ndjson,
      (stream) => {
        preempted?.stream.abort('preempted'); // now, since HEAD begins no export
        this.#run({ stream, context, source, format });
      },
      ['Content-Disposition', `attachment; filename="${fileName}"`],
    );
  }

  #run<T>({ stream, context, source, format }: Run<T>): void {
    const running = new RunningExport({ stream, caller: context.caller, now: this.#now });
    this.#slots.add(running);
    stream.onEnd((reason, bytes) => {
      this.#slots.delete(running);
      this.#ends.set(reason, (this.#ends.get(reason) ?? 0) + 1);
      this.#bytes += bytes;
    });
    writeElements({ running, context, source, format }).catch((error: unknown) => {
      if (isLossOfRights(error)) {
        const event = securityEventOf(error);
        if (event !== undefined) context.reportSecurityEvent(event);
        return stream.abort(context.hasExpired() ? 'expired' : 'unauthorized');
      }
      const cause = causeOf(error);
      this.#log.write('error', 'an export failed and was aborted', { cause });
      stream.abort('failed');
    });
  }
}

/** Parameters that apply only to pages; a search has only one page. */
const pageParameters = ['limit', 'total', 'q'];

/** Whether the request is for an export rather than a page. */
export function isExport({ mediaType }: Pick<ExportContext, 'mediaType'>): boolean {
  return exportTypes.includes(mediaType);
}

type ExportQuery = { readonly mediaType: string; readonly acceptsCursor: boolean };

/** Returns the issues of an export's query. An export has no pages, but may begin at a cursor of the list. */
export function exportIssues(query: object, { mediaType, acceptsCursor }: ExportQuery): Issue[] {
  if (!isExport({ mediaType })) return [];
  const rejected = acceptsCursor ? pageParameters : [...pageParameters, 'cursor'];
  const sent = rejected.filter((name) => Object.hasOwn(query, name));
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

const exportTypes: readonly string[] = [csv, ndjson];

type Run<T> = {
  readonly stream: ResponseStream;
  readonly context: ExportContext;
  readonly source: ExportSource<T, Caller>;
  readonly format: FileFormat<T>;
};

type Writing<T> = Omit<Run<T>, 'stream'> & { readonly running: RunningExport };

/** Writes one slice in a turn of the event loop, each after the system has accepted the previous one. */
async function writeElements<T>({ running, context, source, format }: Writing<T>): Promise<void> {
  const { stream } = running;
  const chunk = new ChunkBuffer(exportChunkBytesMax);
  chunk.add(format.head);
  for (;;) {
    await stream.nextTurn();
    if (stream.isOver) return;
    const reader = context.authorizeRead();
    const until = performance.now() + exportSliceMillisecondsMax;
    let step: ExportStep<T>;
    do {
      step = source.readNext(reader);
      if (step.kind !== 'elements') break;
      for (const element of step.elements) chunk.add(format.textOf(element));
    } while (chunk.length < exportChunkBytesMax && performance.now() < until);
    const isWritten = running.write(chunk.take());
    // together, since `found` may reject while the client is still reading: unawaited, that ends the process
    if (step.kind === 'wait') await Promise.all([isWritten, step.found]);
    else await isWritten;
    if (step.kind === 'end') return stream.finish();
  }
}

/** Reuses its memory for each chunk: new buffers would pile up until the next major garbage collection. */
class ChunkBuffer {
  #bytes: Buffer;
  #length = 0;

  constructor(bytesExpected: number) {
    this.#bytes = Buffer.allocUnsafeSlow(bytesExpected);
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a text that has one character for each byte. */
  add(text: string): void {
    const length = this.#length + text.length;
    if (length > this.#bytes.length) this.#grow(length);
    this.#length += this.#bytes.write(text, this.#length, 'latin1');
  }

  /** Returns the bytes, which are valid until the next `add`. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return bytes;
  }

  #grow(bytesMin: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(bytesMin, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** A Problem during an export means that the caller has lost a right, unless it is `unavailable`. */
function isLossOfRights(error: unknown): error is Problem {
  return error instanceof Problem && error.code !== 'unavailable';
}
