// Timers that tests can replace: a delivery is retried for days.

export type Timers = {
  /** Calls `callback` once after this time; the function returned cancels it. */
  after(milliseconds: number, callback: () => void): () => void;
};

/** They don't keep the process running. */
export const systemTimers: Timers = {
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
