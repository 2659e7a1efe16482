// The log: messages and requests of a minimum level. It never contains a secret. Lines are gathered for some
// milliseconds; while the reader of the log is too slow, they are dropped and counted.
import { counted } from './message-words.ts';
import {
  JsonLines,
  levels,
  TerminalLines,
  type Details,
  type Level,
  type LogLines,
  type RequestLogLine,
} from './log-lines.ts';

const gatherMilliseconds = 10;
const gatheredCharsMax = 64 * 1024;
const backlogBytesMax = 4 * 1024 * 1024;

/** A stream. Once `writableLength` is 0, everything has been written. */
type Sink = { write(lines: string): unknown; readonly writableLength: number };

type LoggerOptions = {
  readonly level: Level;
  readonly sink: Sink;
  /** Lines for people, each written immediately. */
  readonly isTerminal: boolean;
  readonly hasColor: boolean;
  readonly now: () => number;
};

export type Logger = {
  write(level: Exclude<Level, 'off'>, message: string, details?: Details): void;
  request(line: RequestLogLine, time: number): void;
  flush(): void;
};

export class LineLogger implements Logger {
  readonly #options: LoggerOptions;
  readonly #threshold: number;
  readonly #lines: LogLines;
  #gathered = '';
  #dropped = 0;

  constructor(options: LoggerOptions) {
    this.#options = options;
    this.#threshold = levels.indexOf(options.level);
    this.#lines = options.isTerminal ? new TerminalLines(options.hasColor) : new JsonLines();
  }

  write(level: Exclude<Level, 'off'>, message: string, details: Details = {}): void {
    if (this.#writes(level)) this.#add(this.#message(level, message, details));
  }

  request(line: RequestLogLine, time: number): void {
    const level = levelOf(line.status);
    if (this.#writes(level)) this.#add(this.#lines.request(line, level, time));
  }

  flush(): void {
    const { sink } = this.#options;
    if (this.#gathered !== '') sink.write(this.#gathered);
    this.#gathered = '';
    if (this.#dropped === 0 || this.#isBehind()) return;
    const what = `dropped ${counted(this.#dropped, 'log line')}: the reader of the log is too slow`;
    sink.write(this.#message('warn', what, {}));
    this.#dropped = 0;
  }

  #add(line: string): void {
    if (this.#isBehind()) {
      this.#dropped += 1;
      return;
    }
    const { isTerminal } = this.#options;
    if (this.#gathered === '' && !isTerminal) setTimeout(() => this.flush(), gatherMilliseconds);
    this.#gathered += line;
    if (isTerminal || this.#gathered.length > gatheredCharsMax) this.flush();
  }

  #isBehind(): boolean {
    return this.#options.sink.writableLength > backlogBytesMax;
  }

  #message(level: Level, message: string, details: Details): string {
    return this.#lines.message({ time: this.#options.now(), level, message, details });
  }

  #writes(level: Level): boolean {
    return levels.indexOf(level) >= this.#threshold;
  }
}

/**
 * A 503 is no failure of the request: a bound was reached, or the service can't write, which has a line of its
 * own. A 505 is the client's failure: its version of HTTP is too old.
 */
function levelOf(status: number): Exclude<Level, 'off'> {
  if (status < 500 || status === 505) return 'info';
  return status === 503 ? 'warn' : 'error';
}
