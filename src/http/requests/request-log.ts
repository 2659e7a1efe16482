// Logs exchanges, with their security events. What no rate admitted shares an allowance of lines: such requests
// cost a client next to nothing, and with a line for each a few clients could fill the disk.
import type { RequestLogLine } from '../../base/log-lines.ts';
import { minuteMilliseconds } from '../../base/durations.ts';
import type { Logger } from '../../base/logger.ts';
import type { Timers } from '../../base/timers.ts';
import { securityEventLevels } from '../../security-event.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Exchange } from './exchange.ts';

/** The log lines for requests that no rate admitted: about 200 MB a day. */
const unratedLinesPerMinuteMax = 600;
/** An API key that was sent in the path by mistake. */
const keyInText = /ord_\d{1,16}_[A-Za-z0-9_-]{43}/g;

export type RequestLogOptions = {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly timers: Timers;
  readonly now: () => number;
};

type Outcome = Pick<RequestLogLine, 'status' | 'milliseconds' | 'end' | 'bytes'>;

export class RequestLog {
  readonly #options: RequestLogOptions;
  #lines = 0;
  /** The number of responses without a line in this minute, by status. */
  readonly #suppressed = new Map<number, number>();
  #cancelTimer: (() => void) | undefined = undefined;

  constructor(options: RequestLogOptions) {
    this.#options = options;
  }

  /** Whether the exchange is logged: always if a rate admitted it. */
  takeLine(exchange: Exchange, status: number): boolean {
    return (exchange.drawsOnRate && status !== 429) || this.#takeUnrated(status);
  }

  /** Writes the line of the exchange when its response is sent, or when its stream ends. */
  write(exchange: Exchange, { status, milliseconds, end, bytes }: Outcome): void {
    const { requestId, method, path, caller, clientAddress: address, headers } = exchange;
    // a stream ends long after its request began
    const now = end === undefined ? exchange.beganAt : this.#options.now();
    const line = { requestId, method, path: path.replace(keyInText, 'ord_…'), status, milliseconds, address };
    const { traceparent } = headers;
    this.#options.log.request(
      { ...line, principal: caller?.principal ?? null, traceparent, end, bytes },
      now,
    );
  }

  /** Writes the line of bytes that are no request, if the allowance has one left. */
  writeUnparsed(requestId: string, status: number, address: string): void {
    if (!this.#takeUnrated(status)) return;
    const line = { requestId, method: '-', path: '-', status, address, milliseconds: 0 };
    this.#options.log.request({ ...line, principal: null, traceparent: undefined }, this.#options.now());
  }

  /** Counts the security events of the exchange; also logs them if the exchange is logged. */
  reportSecurityEvents(exchange: Exchange, isLogged: boolean): void {
    const { log, metrics } = this.#options;
    for (const { name, ...details } of exchange.takeSecurityEvents()) {
      metrics.countSecurityEvent(name);
      if (!isLogged) continue;
      const { requestId, clientAddress: address, caller } = exchange;
      const principal = caller?.principal ?? null;
      log.write(securityEventLevels[name], name, { requestId, address, principal, ...details });
    }
  }

  /** Logs how many lines were suppressed, and begins a new minute. */
  endMinute(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#lines = 0;
    if (this.#suppressed.size === 0) return;
    const statuses = Object.fromEntries(this.#suppressed);
    this.#options.log.write('info', 'request log lines suppressed', { statuses });
    this.#suppressed.clear();
  }

  #takeUnrated(status: number): boolean {
    this.#cancelTimer ??= this.#options.timers.after(minuteMilliseconds, () => this.endMinute());
    this.#lines += 1;
    if (this.#lines <= unratedLinesPerMinuteMax) return true;
    this.#suppressed.set(status, (this.#suppressed.get(status) ?? 0) + 1);
    return false;
  }
}
