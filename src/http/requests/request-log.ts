// Logs requests, with their security events. Requests that count against no rate have a bounded number of lines: they
// cost a client next to nothing, and with a line for each a few clients could fill the disk.
import { minuteMilliseconds } from '../../base/durations.ts';
import type { RequestLogLine } from '../../base/log-lines.ts';
import type { Logger } from '../../base/logger.ts';
import type { Timers } from '../../base/timers.ts';
import { securityEventLevels, type SecurityEvent } from '../../security-event.ts';
import type { RequestHead } from './request-head.ts';

/** The log lines for requests that count against no rate: about 200 MB a day. */
const unratedLinesPerMinuteMax = 600;
/** An API key that was sent in the path by mistake. */
const keyInText = /ord_\d{1,16}_[A-Za-z0-9_-]{43}/g;

type LoggedHead = Pick<RequestHead, 'requestId' | 'method' | 'path' | 'address' | 'headers'>;
type Outcome = Pick<RequestLogLine, 'principal' | 'status' | 'milliseconds' | 'end' | 'bytes'>;

export class RequestLog {
  readonly #log: Logger;
  readonly #timers: Timers;
  #lines = 0;
  /** The number of responses without a line in this minute, by status. */
  readonly #suppressed = new Map<number, number>();
  #cancelTimer: (() => void) | undefined = undefined;

  constructor(log: Logger, timers: Timers) {
    this.#log = log;
    this.#timers = timers;
  }

  /** Whether a request that counts against no rate may have a line; if not, only its status is counted. */
  consumeLine(status: number): boolean {
    this.#cancelTimer ??= this.#timers.after(minuteMilliseconds, () => this.endMinute());
    this.#lines += 1;
    if (this.#lines <= unratedLinesPerMinuteMax) return true;
    this.#suppressed.set(status, (this.#suppressed.get(status) ?? 0) + 1);
    return false;
  }

  /** Writes the line of a request when its response is sent, or when its stream ends. */
  write(
    { requestId, method, path: sent, address, headers: { traceparent } }: LoggedHead,
    outcome: Outcome,
    time: number,
  ): void {
    const path = sent.replace(keyInText, 'ord_…');
    this.#log.request({ requestId, method, path, address, traceparent, ...outcome }, time);
  }

  writeSecurityEvent(
    { requestId, address }: LoggedHead,
    principal: string | null,
    { name, ...details }: SecurityEvent,
  ): void {
    this.#log.write(securityEventLevels[name], name, { requestId, address, principal, ...details });
  }

  /** Logs how many lines were suppressed, and begins a new minute. */
  endMinute(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#lines = 0;
    if (this.#suppressed.size === 0) return;
    this.#log.write('info', 'request log lines suppressed', {
      statuses: Object.fromEntries(this.#suppressed),
    });
    this.#suppressed.clear();
  }
}
