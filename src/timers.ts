// Timers that tests can replace: a delivery is retried for days.

export type Timers = {
  /** Runs `work` once, later; the result cancels it. */
  after(milliseconds: number, work: () => void): () => void;
};

/** They don't keep the process running. */
export const systemTimers: Timers = {
  after(milliseconds, work) {
    const timer = setTimeout(work, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
