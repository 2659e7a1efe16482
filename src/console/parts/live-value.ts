// A value that is loaded when it is needed, and again only after events that concern it.
import type { ServiceEvent } from './api-types.ts';
import type { LiveEvents } from './live-events.ts';

type Loadable<T, From> = {
  readonly load: (from: From) => Promise<T>;
  /** Returns whether the event makes the value stale; it is undefined while it has not been loaded. */
  readonly concerns: (event: ServiceEvent, value: T | undefined) => boolean;
};

export class LiveValue<T, From> {
  readonly #content: Loadable<T, From>;
  #version = 0;
  #loaded: { readonly version: number; readonly value: T } | undefined;

  constructor(live: LiveEvents, signal: AbortSignal, content: Loadable<T, From>) {
    this.#content = content;
    live.watch(signal, (events) => {
      const value = this.#loaded?.value;
      const isStale = events.length === 0 || events.some((event) => content.concerns(event, value));
      if (isStale) this.outdate();
    });
  }

  /** Lets the value be loaded again when it is needed next. */
  outdate(): void {
    this.#version += 1;
  }

  /** Resolves to a value that is as new as the events before the call. */
  async get(from: From): Promise<T> {
    if (this.#loaded?.version === this.#version) return this.#loaded.value;
    const version = this.#version; // events may come while it is loaded
    const value = await this.#content.load(from);
    this.#loaded = { version, value };
    return value;
  }
}
