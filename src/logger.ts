// The log: one JSON object a line, or lines for people on a terminal; gathered for some milliseconds, never a
// secret.
import { counted } from './counted.ts';
import { memoizeLast } from './memoize-last.ts';
import { logBacklogBytesMax } from './limits.ts';

export const levels = ['debug', 'info', 'warn', 'error', 'off'] as const;
export type Level = (typeof levels)[number];

const gatherMilliseconds = 10;
const gatherBytesMax = 64 * 1024;
/** Lines become bytes some at a time, which costs half of what it does line by line. */
const joinedCharsMax = 4 * 1024;

/** Done with what it was given once `writableLength` is 0. */
type Sink = { write(lines: string | Uint8Array): unknown; readonly writableLength: number };
type Details = Readonly<Record<string, unknown>>;

/** What a request's line tells. `path` is without its query, which may hold a key. */
export type RequestLine = {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** The client's, null where the request was never understood. */
  readonly address: string | null;
  readonly principal: string | null;
  readonly traceparent: string | undefined;
};

export type Logger = {
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, details?: Details): void;
  request(line: RequestLine, now: number): void;
  flush(): void;
};

export function createLogger(options: {
  readonly level: Level;
  readonly sink: Sink;
  readonly isTerminal: boolean;
  readonly hasColor: boolean;
  readonly now: () => number;
}): Logger {
  const { sink, isTerminal, hasColor, now } = options;
  const threshold = levels.indexOf(options.level);
  const [writesInfo, writesError] = [writes('info'), writes('error')];
  const clock = memoizeLast((time: number) => new Date(time).toISOString());
  const localClock = memoizeLast(localTime);
  const beginInfo = memoizeLast((time: number) => `{"time":"${clock(time)}","level":"info","requestId":"`);
  const beginError = memoizeLast((time: number) => `{"time":"${clock(time)}","level":"error","requestId":"`);
  // Joined here because each part that a line is added up from costs it a fiftieth.
  const methodPart = memoizeLast((method: string) => `","method":"${method}","path":"`);
  const statusPart = memoizeLast((status: number) => `","status":${status},"durationMs":`);
  const addressPart = memoizeLast((address: string | null) =>
    address === null ? ',"address":null' : `,"address":${json(address)}`,
  );
  const principalPart = memoizeLast((principal: string | null) =>
    principal === null ? ',"principal":null' : `,"principal":"${principal}"`,
  );
  let gathered = Buffer.allocUnsafe(gatherBytesMax);
  let used = 0;
  let joined = '';
  let dropped = 0;

  /**
   * One write for what comes close together; when the reader is slow, lines are dropped and counted rather
   * than piled up.
   */
  function add(line: string): void {
    if (sink.writableLength > logBacklogBytesMax) {
      dropped += 1;
      return;
    }
    if (isTerminal) return void sink.write(line);
    if (used === 0 && joined === '') setTimeout(flush, gatherMilliseconds);
    joined += line;
    if (joined.length > joinedCharsMax) gather();
  }

  function gather(): void {
    const text = joined;
    joined = '';
    if (used + 3 * text.length > gatherBytesMax) flush();
    if (3 * text.length > gatherBytesMax) return void sink.write(text);
    used += gathered.write(text, used);
  }

  function flush(): void {
    if (joined !== '') gather();
    if (used === 0) return;
    sink.write(gathered.subarray(0, used));
    used = 0;
    if (sink.writableLength > 0) gathered = Buffer.allocUnsafe(gatherBytesMax); // it isn't written yet
    if (dropped > 0)
      sink.write(
        render(
          now(),
          'warn',
          `dropped ${counted(dropped, 'log line')}: the reader of the log is too slow`,
          {},
        ),
      );
    dropped = 0;
  }

  function render(time: number, level: Level, message: string, details: Details): string {
    if (!isTerminal) return `${json({ time: clock(time), level, message, ...details })}\n`;
    const rest = Object.entries(details)
      .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : json(value)}`)
      .join('');
    const lines = (message + rest).split('\n').map(printable);
    return `${localClock(time)} ${paint(level)} ${lines.join('\n    ')}\n`;
  }

  function paint(level: Level): string {
    const color = level === 'error' ? 31 : level === 'warn' ? 33 : 2;
    return hasColor ? `\x1b[${color}m${level.padEnd(5)}\x1b[0m` : level.padEnd(5);
  }

  function writes(level: Level): boolean {
    return levels.indexOf(level) >= threshold;
  }

  function request(line: RequestLine, time: number): void {
    const level = line.status >= 500 ? 'error' : 'info';
    if (!(level === 'info' ? writesInfo : writesError)) return;
    const { requestId, method, path, status, address, principal, traceparent } = line;
    const duration = Math.round(line.milliseconds * 1000) / 1000;
    if (isTerminal) {
      const target = `${method.padEnd(6)} ${printable(path)}`;
      const client = `${address ?? '-'} ${principal ?? 'nobody'}`;
      const prefix = `${localClock(time)} ${paint(level)} ${status}`;
      return add(`${prefix} ${target} ${duration} ms ${client} ${requestId}\n`);
    }
    const trace = traceparent === undefined ? '' : `,"traceparent":${json(traceparent)}`;
    const safePath = /^[\w/.-]*$/.test(path) ? path : json(path).slice(1, -1);
    const begin = level === 'info' ? beginInfo(time) : beginError(time);
    // Here and in heads texts are added up: a template asks of each part whether it's a text, which is a
    // hundredth of a read.
    add(
      begin +
        requestId +
        methodPart(method) +
        safePath +
        statusPart(status) +
        duration +
        addressPart(address) +
        principalPart(principal) +
        trace +
        '}\n',
    );
  }

  return {
    log: (level, message, details = {}) => {
      if (writes(level)) add(render(now(), level, message, details));
    },
    request,
    flush,
  };
}

/** For people, who look at other clocks beside it: `10:30:00 +01:00`. */
function localTime(time: number): string {
  const minutesAhead = -new Date(time).getTimezoneOffset();
  const local = new Date(time + minutesAhead * 60_000).toISOString().slice(11, 19);
  const sign = minutesAhead < 0 ? '-' : '+';
  const offset = new Date(Math.abs(minutesAhead) * 60_000).toISOString().slice(11, 16);
  return `${local} ${sign}${offset}`;
}

/** JSON of one line that no terminal obeys; of an error what it says. */
function json(value: unknown): string {
  return printable(
    JSON.stringify(value, (_, each: unknown) => (each instanceof Error ? each.message : each)),
  );
}

/** Controls, line separators and marks that turn the direction of writing are spelled out. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
