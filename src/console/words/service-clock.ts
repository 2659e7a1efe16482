// The time by the service's clock: that of a device may be wrong.

/** The `Date` of a response is in whole seconds, and a response takes some time. */
const exactMilliseconds = 5_000;
const wrongMilliseconds = 120_000;

/** Dispatches `wrong` when the device's clock turns out to be off by more than two minutes. */
class ServiceClock extends EventTarget {
  #aheadMilliseconds = 0;

  /** By how much the device's clock is ahead; less than 0 if it is behind. */
  get aheadMilliseconds(): number {
    return this.#aheadMilliseconds;
  }

  get isWrong(): boolean {
    return Math.abs(this.#aheadMilliseconds) > wrongMilliseconds;
  }

  now(): Date {
    return new Date(Date.now() - this.#aheadMilliseconds);
  }

  /** Compares the clocks by a response that has just arrived. */
  compare({ headers }: Response): void {
    const ahead = Date.now() - Date.parse(headers.get('date') ?? '');
    if (Number.isNaN(ahead) || Math.abs(ahead - this.#aheadMilliseconds) < exactMilliseconds) return;
    const wasWrong = this.isWrong;
    this.#aheadMilliseconds = Math.abs(ahead) < exactMilliseconds ? 0 : ahead;
    if (this.isWrong && !wasWrong) this.dispatchEvent(new Event('wrong'));
  }
}

export const serviceClock = new ServiceClock();

export function now(): Date {
  return serviceClock.now();
}
