// Which requests have lines in the log though no rate bounds them: some a minute for each address. Such a
// request costs next to nothing, so with a line for each, a few clients could fill the disk.
import { minuteMilliseconds } from '../durations.ts';
import {
  leftOutAddressesMax,
  unlimitedLinesMax,
  unlimitedLinesPerAddressMax,
  unlimitedLinesPerNetworkMax,
} from '../limits.ts';
import type { Logger } from '../logger.ts';
import type { Timers } from '../timers.ts';
import { SharedBound } from './shared-bound.ts';

type LogAllowanceOptions = { readonly log: Logger; readonly timers: Timers };

/** How many responses have no lines, by their status. */
type LeftOut = Map<number, number>;

const bounds = {
  total: unlimitedLinesMax,
  perAddress: unlimitedLinesPerAddressMax,
  perNetwork: unlimitedLinesPerNetworkMax,
};

export class LogAllowance {
  readonly #options: LogAllowanceOptions;
  #used = new SharedBound(bounds);
  /** By address; null for all beyond those that are named. */
  readonly #leftOut = new Map<string | null, LeftOut>();
  #cancelTimer: (() => void) | undefined = undefined;

  constructor(options: LogAllowanceOptions) {
    this.#options = options;
  }

  /** Whether the response has lines of its own; otherwise it is in the summary at the end of the minute. */
  permits(address: string, status: number): boolean {
    this.#cancelTimer ??= this.#options.timers.after(minuteMilliseconds, () => this.endMinute());
    if (this.#used.reserve(address, 1) === undefined) return true;
    this.#countLeftOut(address, status);
    return false;
  }

  /** Logs what was left out; from then on all have lines again. */
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
