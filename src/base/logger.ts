// The log: messages and requests of a minimum level. It never contains a secret.
import { counted } from './counted.ts';
import { LogBuffer, type Sink } from './log-buffer.ts';
import {
  JsonLines,
  levels,
  TerminalLines,
  type Details,
  type Level,
  type LogLines,
  type RequestLogLine,
} from './log-lines.ts';

type LoggerOptions = {
  readonly level: Level;
  readonly sink: Sink;
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
  readonly #threshold: number;
  readonly #lines: LogLines;
  readonly #buffer: LogBuffer;
  readonly #now: () => number;

  constructor({ level, sink, isTerminal, hasColor, now }: LoggerOptions) {
    this.#threshold = levels.indexOf(level);
    this.#lines = isTerminal ? new TerminalLines(hasColor) : new JsonLines();
    this.#now = now;
    const droppedLine = (count: number): string => this.#dropped(count);
    this.#buffer = new LogBuffer({ sink, isImmediate: isTerminal, droppedLine });
  }

  write(level: Exclude<Level, 'off'>, message: string, details: Details = {}): void {
    if (!this.#writes(level)) return;
    this.#buffer.add(this.#lines.message({ time: this.#now(), level, message, details }));
  }

  request(line: RequestLogLine, time: number): void {
    const level = levelOf(line.status);
    if (this.#writes(level)) this.#buffer.add(this.#lines.request(line, level, time));
  }

  flush(): void {
    this.#buffer.flush();
  }

  #dropped(count: number): string {
    const message = `dropped ${counted(count, 'log line')}: the reader of the log is too slow`;
    return this.#lines.message({ time: this.#now(), level: 'warn', message, details: {} });
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
