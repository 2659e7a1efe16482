// Timers that tests can replace: deliveries are retried for days.

export type Timers = {
  /** Calls `callback` once after this time. Returns a function that cancels the call. */
  after(milliseconds: number, callback: () => void): () => void;
};

/** Timers that don't keep the process running. */
export const systemTimers: Timers = {
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
