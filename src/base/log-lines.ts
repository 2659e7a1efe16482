// The format of a line of the log: one JSON object for programs, or text for people on a terminal.
import { minuteMilliseconds } from './durations.ts';
import { timestampOf } from './timestamp.ts';

/** Texts that a client sent are truncated to this length in a log line. */
const loggedCharsMax = 200;

export const levels = ['debug', 'info', 'warn', 'error', 'off'] as const;
export type Level = (typeof levels)[number];
export type Details = Readonly<Record<string, unknown>>;

/** `path` has no query, since a query may contain an API key. */
export type RequestLogLine = {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** The client's address, or null if the request was not parsed. */
  readonly address: string | null;
  readonly principal: string | null;
  readonly traceparent: string | undefined;
  /** Why a stream ended; `client` also for any other response whose client left before its end. */
  readonly end?: string | undefined;
  readonly bytes?: number | undefined;
};

type MessageLogLine = {
  readonly time: number;
  readonly level: Level;
  readonly message: string;
  readonly details: Details;
};

export type LogLines = {
  message(line: MessageLogLine): string;
  request(line: RequestLogLine, level: Level, time: number): string;
};

export class JsonLines implements LogLines {
  message({ time, level, message, details }: MessageLogLine): string {
    return `${json({ time: timestampOf(time), level, message, ...details })}\n`;
  }

  request(line: RequestLogLine, level: Level, time: number): string {
    const { requestId, method, status, address, principal, end, bytes } = line;
    const traceparent = line.traceparent && shorten(line.traceparent);
    const request = { requestId, method, path: shorten(line.path), status, durationMs: durationOf(line) };
    const further = { address, principal, traceparent, end, bytes };
    return `${escapeControls(JSON.stringify({ time: timestampOf(time), level, ...request, ...further }))}\n`;
  }
}

export class TerminalLines implements LogLines {
  readonly #hasColor: boolean;

  constructor(hasColor: boolean) {
    this.#hasColor = hasColor;
  }

  message({ time, level, message, details }: MessageLogLine): string {
    let text = message;
    for (const [name, value] of Object.entries(details))
      text += ` ${name}=${typeof value === 'string' ? value : json(value)}`;
    const lines = text.split('\n').map(escapeControls);
    return `${localTime(time)} ${this.#paint(level)} ${lines.join('\n    ')}\n`;
  }

  request(line: RequestLogLine, level: Level, time: number): string {
    const { requestId, method, path, status, address, principal, end, bytes } = line;
    const what = `${status} ${method.padEnd(6)} ${escapeControls(shorten(path))} ${durationOf(line)} ms`;
    const who = `${address ?? '-'} ${principal ?? 'nobody'} ${requestId}`;
    let more = end === undefined ? '' : ` end=${end}`;
    if (bytes !== undefined) more += ` bytes=${bytes}`;
    return `${localTime(time)} ${this.#paint(level)} ${what} ${who}${more}\n`;
  }

  #paint(level: Level): string {
    const color = level === 'error' ? 31 : level === 'warn' ? 33 : 2;
    return this.#hasColor ? `\x1b[${color}m${level.padEnd(5)}\x1b[0m` : level.padEnd(5);
  }
}

/** Returns the stack of an unexpected error. Expected errors are logged as `String(error)`. */
export function causeOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Truncates a text from a request: it may be 8 kB, and costs the client nothing. */
export function truncate(text: string, charsMax = loggedCharsMax): string {
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
}

/** Truncates the text; to a sixth if its escapes, which take six characters each, make it too long. */
function shorten(text: string): string {
  const truncated = truncate(text);
  const isTooLong = json(truncated).length > loggedCharsMax + '"…"'.length;
  return isTooLong ? truncate(text, Math.floor(loggedCharsMax / 6)) : truncated;
}

/** Returns milliseconds, rounded to microseconds. */
function durationOf({ milliseconds }: RequestLogLine): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** Returns the local time with its offset, such as `10:30:00 +01:00`. */
function localTime(time: number): string {
  const minutesAhead = -new Date(time).getTimezoneOffset();
  const local = new Date(time + minutesAhead * minuteMilliseconds).toISOString().slice(11, 19);
  const sign = minutesAhead < 0 ? '-' : '+';
  const offset = new Date(Math.abs(minutesAhead) * minuteMilliseconds).toISOString().slice(11, 16);
  return `${local} ${sign}${offset}`;
}

/**
 * Returns one line of JSON without characters that a terminal would interpret. Errors become their messages.
 */
function json(value: unknown): string {
  return escapeControls(
    JSON.stringify(value, (_, each: unknown) => (each instanceof Error ? each.message : each)),
  );
}

/** Escapes controls, line separators and marks that change the direction of writing. */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
