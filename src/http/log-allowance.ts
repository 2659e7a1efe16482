// Limits the log lines of requests that draw on no rate, or are rejected by one, to some a minute. Such requests
// cost next to nothing, so with a line for each, a few clients could fill the disk.
import { minuteMilliseconds } from '../base/durations.ts';
import type { Logger } from '../base/logger.ts';
import type { Timers } from '../base/timers.ts';

/** The log lines for requests that no rate admitted: about 200 MB a day. */
const unratedLinesPerMinuteMax = 600;

type LogAllowanceOptions = { readonly log: Logger; readonly timers: Timers };

export class LogAllowance {
  readonly #options: LogAllowanceOptions;
  #lines = 0;
  /** The responses of this minute without lines, by status. */
  readonly #leftOut = new Map<number, number>();
  #cancelTimer: (() => void) | undefined = undefined;

  constructor(options: LogAllowanceOptions) {
    this.#options = options;
  }

  /** Takes a line for the response. Returns false if none is left; the minute's summary then counts it. */
  takeLine(status: number): boolean {
    this.#cancelTimer ??= this.#options.timers.after(minuteMilliseconds, () => this.endMinute());
    this.#lines += 1;
    if (this.#lines <= unratedLinesPerMinuteMax) return true;
    this.#leftOut.set(status, (this.#leftOut.get(status) ?? 0) + 1);
    return false;
  }

  /** Logs how many lines were left out, and begins a new minute. */
  endMinute(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#lines = 0;
    if (this.#leftOut.size === 0) return;
    const statuses = Object.fromEntries(this.#leftOut);
    this.#options.log.write('info', 'left out request lines', { statuses });
    this.#leftOut.clear();
  }
}
