// The signals that stop a service: the first one gracefully, a later one at once.
import { isatty } from 'node:tty';

type Options = {
  /** Finishes what runs; called once. */
  readonly stop: (reason: string) => void;
  readonly stopAtOnce: () => void;
  /** Milliseconds, on a clock that only moves forward. */
  readonly now: () => number;
};

/** npm and process groups deliver one signal twice: both count once when they arrive within this time. */
const repeatMillisecondsMax = 2_000;

/** Returns what is to be called with each SIGTERM and SIGINT. */
export function createStopper({ stop, stopAtOnce, now }: Options): (reason: string) => void {
  let firstAt: number | undefined;
  return (reason) => {
    if (firstAt !== undefined && now() - firstAt > repeatMillisecondsMax) return stopAtOnce();
    if (firstAt !== undefined) return;
    firstAt = now();
    stop(reason);
  };
}

type Listener = { readonly stop: (reason: string) => void; readonly reload: () => void };

/**
 * Listens to SIGTERM and SIGINT, and to SIGHUP, which reloads. The kernel sends SIGHUP, too, when the
 * terminal that the service was started on is closed: nobody is left who could stop the service by hand.
 */
export function listenToSignals({ stop, reload }: Listener): void {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const ofStart = process.listeners(signal); // start.js listens while the code is loaded
    process.on(signal, stop);
    for (const each of ofStart) process.off(signal, each);
  }
  process.on('SIGHUP', () => {
    const isGone = terminals.some((descriptor) => !isatty(descriptor)); // closed, it is a terminal no more
    if (isGone) stop('SIGHUP, the terminal is closed');
    else reload();
  });
}
