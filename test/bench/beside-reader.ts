// A client that reads a page at intervals while something else runs, and measures how long it waits.
import { setTimeout as pause } from 'node:timers/promises';
import { ask } from './ask.ts';
import { memoryOf } from './children.ts';
import type { Server } from './servers.ts';

const pauseMilliseconds = 10;

type Noticed = {
  /** Milliseconds, as `longest`. */
  readonly p99: number;
  readonly longest: number;
  /** Of the server's memory. */
  readonly peakMb: number;
};

export class BesideReader {
  readonly #times: number[] = [];
  readonly #reading: Promise<void>;
  #peakMb = 0;
  #isOver = false;

  constructor(server: Server, authorization: string) {
    this.#reading = this.#read(server, authorization);
  }

  async end(): Promise<Noticed> {
    this.#isOver = true;
    await this.#reading;
    const times = this.#times.toSorted((a, b) => a - b);
    const p99 = times[Math.floor(times.length * 0.99)] ?? Number.NaN;
    return { p99, longest: times.at(-1) ?? Number.NaN, peakMb: this.#peakMb };
  }

  async #read({ origin, pid }: Server, authorization: string): Promise<void> {
    while (!this.#isOver) {
      const before = performance.now();
      const { status } = await ask(origin, { path: '/orders?limit=20', headers: { authorization } });
      if (status !== 200) throw new Error(`A read was answered with ${status}.`);
      this.#times.push(performance.now() - before);
      this.#peakMb = Math.max(this.#peakMb, memoryOf(pid).rssMb);
      await pause(pauseMilliseconds);
    }
  }
}
