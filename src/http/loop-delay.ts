// Samples the delay of the event loop while requests come; an idle process is not woken.
import { createHistogram } from 'node:perf_hooks';

const stepMilliseconds = 10;
/** Steps without a request after which the sampling ends. */
const quietStepsMax = 10;

export class LoopDelay {
  /** Microseconds, from 1 on. */
  readonly #delays = createHistogram();
  #timer: NodeJS.Timeout | undefined = undefined;
  #last = 0;
  #quietSteps = 0;

  get isSampling(): boolean {
    return this.#timer !== undefined;
  }

  /** To be called with each request. */
  sample(): void {
    this.#quietSteps = 0;
    if (this.#timer !== undefined) return;
    this.#last = performance.now();
    this.#timer = setInterval(() => this.#step(), stepMilliseconds).unref();
  }

  /** The delay in seconds that this share of the samples since the last `reset` did not exceed. */
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
