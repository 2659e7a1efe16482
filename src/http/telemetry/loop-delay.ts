// Samples the delay of the event loop while requests arrive. It never wakes an idle process.
import { createHistogram } from 'node:perf_hooks';

/** Each step wakes the process: at a shop's rate, one in 10 ms would take a tenth of what all requests take. */
const stepMilliseconds = 50;
/** The number of steps without a request after which sampling stops. */
const quietStepsMax = 2;

export class LoopDelay {
  /** Delays in microseconds, at least 1. */
  readonly #delays = createHistogram();
  #timer: NodeJS.Timeout | undefined = undefined;
  #last = 0;
  #quietSteps = 0;

  get isSampling(): boolean {
    return this.#timer !== undefined;
  }

  /** Called with each request. */
  sample(): void {
    this.#quietSteps = 0;
    if (this.#timer !== undefined) return;
    this.#last = performance.now();
    this.#timer = setInterval(() => this.#step(), stepMilliseconds).unref();
  }

  /** Returns a percentile, in seconds, of the samples since the last `reset`; 0 without samples. */
  seconds(percentile: number): number {
    return this.#delays.count === 0 ? 0 : this.#delays.percentile(percentile) / 1e6;
  }

  reset(): void {
    this.#delays.reset();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #step(): void {
    const now = performance.now();
    const late = now - this.#last - stepMilliseconds;
    this.#last = now;
    this.#delays.record(Math.max(1, Math.round(late * 1_000)));
    this.#quietSteps += 1;
    if (this.#quietSteps >= quietStepsMax) this.stop();
  }
}
