// Logs and counts exchanges: a line for each, their security events, and their problems.
import type { RequestLogLine } from '../../base/log-lines.ts';
import { minuteMilliseconds } from '../../base/durations.ts';
import type { Logger } from '../../base/logger.ts';
import type { Timers } from '../../base/timers.ts';
import type { Problem } from '../../problem.ts';
import { securityEventLevels, type SecurityEvent } from '../../security-event.ts';
import type { Exchange } from './exchange.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export type ExchangeLogOptions = {
  readonly log: Logger;
  readonly requestLogLimiter: RequestLogLimiter;
  readonly metrics: Metrics;
  readonly now: () => number;
};

type Unparsed = Pick<RequestLogLine, 'requestId' | 'status'> & { readonly address: string };
type Outcome = Pick<RequestLogLine, 'status' | 'milliseconds' | 'end' | 'bytes'>;

/** An API key that was sent in the path by mistake. */
const keyInText = /ord_\d{1,16}_[A-Za-z0-9_-]{43}/g;

export class ExchangeLog {
  readonly #options: ExchangeLogOptions;

  constructor(options: ExchangeLogOptions) {
    this.#options = options;
  }

  countProblem({ code }: Problem): void {
    const { rejections } = this.#options.metrics;
    if (code === 'quota-exceeded') rejections.rate += 1;
    if (code === 'unavailable') rejections.unavailable += 1;
  }

  /**
   * Returns whether the exchange is logged. Requests admitted by a rate are always logged; others share an
   * allowance of lines per minute.
   */
  takeLine(exchange: Exchange, status: number): boolean {
    if (exchange.drawsOnRate && status !== 429) return true;
    return this.#options.requestLogLimiter.takeLine(status);
  }

  /** Counts the security events of the exchange; also logs them if the exchange is logged. */
  reportSecurityEvents(exchange: Exchange, { isLogged }: { readonly isLogged: boolean }): void {
    const events = exchange.takeSecurityEvents();
    for (const { name } of events) this.#options.metrics.countSecurityEvent(name);
    if (isLogged && events.length > 0) this.#logSecurityEvents(exchange, events);
  }

  /** Writes the line of the exchange when its response is sent, or when its stream ends. */
  write(exchange: Exchange, { status, milliseconds, end, bytes }: Outcome): void {
    const { requestId, method, path, caller, clientAddress, headers } = exchange;
    // a stream ends long after its request began
    const now = end === undefined ? exchange.beganAt : this.#options.now();
    const principal = caller?.principal ?? null;
    this.#options.log.request(
      {
        requestId,
        method,
        path: path.replace(keyInText, 'ord_…'),
        status,
        milliseconds,
        address: clientAddress,
        principal,
        traceparent: headers['traceparent'],
        end,
        bytes,
      },
      now,
    );
  }

  /** Writes the line of bytes that are no request, if the allowance has one left. */
  writeUnparsed({ requestId, status, address }: Unparsed): void {
    if (!this.#options.requestLogLimiter.takeLine(status)) return;
    const line = { requestId, method: '-', path: '-', status, address, milliseconds: 0 };
    this.#options.log.request({ ...line, principal: null, traceparent: undefined }, this.#options.now());
  }

  #logSecurityEvents(exchange: Exchange, events: readonly SecurityEvent[]): void {
    const { requestId, clientAddress: address, caller } = exchange;
    for (const { name, ...details } of events) {
      const principal = caller?.principal ?? null;
      this.#options.log.write(securityEventLevels[name], name, { requestId, address, principal, ...details });
    }
  }
}

/** The log lines for requests that no rate admitted: about 200 MB a day. */
const unratedLinesPerMinuteMax = 600;

type RequestLogLimiterOptions = { readonly log: Logger; readonly timers: Timers };

/**
 * Limits the log lines of requests that draw on no rate, or that a rate rejects. Such requests cost a client
 * next to nothing: with a line for each, a few clients could fill the disk.
 */
export class RequestLogLimiter {
  readonly #options: RequestLogLimiterOptions;
  #lines = 0;
  /** The number of responses without a line in this minute, by status. */
  readonly #suppressed = new Map<number, number>();
  #cancelTimer: (() => void) | undefined = undefined;

  constructor(options: RequestLogLimiterOptions) {
    this.#options = options;
  }

  /** Takes a line for the response. Returns false if none is left; the minute's summary then counts it. */
  takeLine(status: number): boolean {
    this.#cancelTimer ??= this.#options.timers.after(minuteMilliseconds, () => this.endMinute());
    this.#lines += 1;
    if (this.#lines <= unratedLinesPerMinuteMax) return true;
    this.#suppressed.set(status, (this.#suppressed.get(status) ?? 0) + 1);
    return false;
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
}
