// Gathers log lines for some milliseconds. Drops and counts lines while the reader of the log is too slow.

const logBacklogBytesMax = 4 * 1024 * 1024;

/** A stream. Once `writableLength` is 0, everything has been written. */
export type Sink = { write(lines: string | Uint8Array): unknown; readonly writableLength: number };

type LogBufferOptions = {
  readonly sink: Sink;
  /** Writes each line immediately, for people on a terminal. */
  readonly isImmediate: boolean;
  /** Returns the line that reports how many lines were dropped. */
  readonly droppedLine: (count: number) => string;
};

const gatherMilliseconds = 10;
const gatherBytesMax = 64 * 1024;
/** Lines are converted to bytes in groups of this length, at half the cost of single lines. */
const joinedCharsMax = 4 * 1024;
const utf8BytesPerCharMax = 3;

export class LogBuffer {
  readonly #options: LogBufferOptions;
  #bytes = Buffer.allocUnsafe(gatherBytesMax);
  #used = 0;
  #joined = '';
  #dropped = 0;

  constructor(options: LogBufferOptions) {
    this.#options = options;
  }

  add(line: string): void {
    const { sink, isImmediate } = this.#options;
    if (sink.writableLength > logBacklogBytesMax) {
      this.#dropped += 1;
      return;
    }
    if (isImmediate) {
      sink.write(line);
      return this.#reportDropped();
    }
    if (this.#used === 0 && this.#joined === '') setTimeout(() => this.flush(), gatherMilliseconds);
    this.#joined += line;
    if (this.#joined.length > joinedCharsMax) this.#encode();
  }

  flush(): void {
    const { sink } = this.#options;
    if (this.#joined !== '') this.#encode();
    if (this.#used > 0) {
      sink.write(this.#bytes.subarray(0, this.#used));
      this.#used = 0;
      if (sink.writableLength > 0) this.#bytes = Buffer.allocUnsafe(gatherBytesMax); // still in use
    }
    this.#reportDropped();
  }

  #reportDropped(): void {
    const { sink, droppedLine } = this.#options;
    if (this.#dropped === 0 || sink.writableLength > logBacklogBytesMax) return;
    sink.write(droppedLine(this.#dropped));
    this.#dropped = 0;
  }

  #encode(): void {
    const text = this.#joined;
    this.#joined = '';
    const bytesMax = utf8BytesPerCharMax * text.length;
    if (this.#used + bytesMax > gatherBytesMax) this.flush();
    if (bytesMax > gatherBytesMax) this.#options.sink.write(text);
    else this.#used += this.#bytes.write(text, this.#used);
  }
}
