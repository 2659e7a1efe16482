// Limits the log lines of requests that draw on no rate, or are rejected by one, to some a minute for each
// address. Such requests cost next to nothing, so with a line for each, a few clients could fill the disk.
import { minuteMilliseconds } from '../durations.ts';
import {
  leftOutAddressesMax,
  unratedLinesPerMinuteMax,
  unratedLinesPerMinuteAndClientMax,
} from '../limits.ts';
import type { Logger } from '../logger.ts';
import type { Timers } from '../timers.ts';
import { SharedBound } from './shared-bound.ts';

type LogAllowanceOptions = { readonly log: Logger; readonly timers: Timers };

/** Counts of responses without lines, by status. */
type LeftOut = Map<number, number>;

const bounds = { total: unratedLinesPerMinuteMax, perClient: unratedLinesPerMinuteAndClientMax };

export class LogAllowance {
  readonly #options: LogAllowanceOptions;
  #used = new SharedBound(bounds);
  /** Counts by address; under null, those of all addresses beyond `leftOutAddressesMax`. */
  readonly #leftOut = new Map<string | null, LeftOut>();
  #cancelTimer: (() => void) | undefined = undefined;

  constructor(options: LogAllowanceOptions) {
    this.#options = options;
  }

  /** Takes a line for the response. Returns false if none is left; the minute's summary then counts it. */
  takeLine(address: string, status: number): boolean {
    this.#cancelTimer ??= this.#options.timers.after(minuteMilliseconds, () => this.endMinute());
    if (this.#used.reserve(address, 1) === 'reserved') return true;
    this.#countLeftOut(address, status);
    return false;
  }

  /** Logs how many lines were left out, and begins a new minute. */
  endMinute(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#used = new SharedBound(bounds);
    for (const [address, counts] of this.#leftOut) {
      const statuses = Object.fromEntries(counts);
      this.#options.log.write('info', 'left out request lines', { address, statuses });
    }
    this.#leftOut.clear();
  }

  #countLeftOut(address: string, status: number): void {
    const isNamed = this.#leftOut.has(address) || this.#leftOut.size < leftOutAddressesMax;
    const name = isNamed ? address : null;
    const counts: LeftOut = this.#leftOut.get(name) ?? new Map();
    counts.set(status, (counts.get(status) ?? 0) + 1);
    this.#leftOut.set(name, counts);
  }
}
