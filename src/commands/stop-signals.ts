// The signals that stop a service: the first one gracefully, a later one immediately.
import { isatty } from 'node:tty';

type StopperOptions = {
  /** Finishes what runs; called once. */
  readonly stop: (reason: string) => void;
  readonly stopAtOnce: () => void;
  /** Returns milliseconds of a monotonic clock. */
  readonly now: () => number;
};

/** npm and process groups deliver one signal twice: both count once when they arrive within this time. */
const repeatMillisecondsMax = 2_000;

/** Returns a function to call with each SIGTERM and SIGINT. */
export function createStopper({ stop, stopAtOnce, now }: StopperOptions): (reason: string) => void {
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
 * Listens to SIGTERM and SIGINT, and to SIGHUP, which reloads. The kernel also sends SIGHUP when the terminal
 * that the service was started on is closed: the service then stops, since nobody could stop it by hand.
 */
export function listenToSignals({ stop, reload }: Listener): void {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const ofStart = process.listeners(signal); // start.js listens while the code is loaded
    process.on(signal, stop);
    for (const each of ofStart) process.off(signal, each);
  }
  process.on('SIGHUP', () => {
    // isatty is false for a closed terminal
    const isGone = terminals.some((descriptor) => !isatty(descriptor));
    if (isGone) stop('SIGHUP, the terminal is closed');
    else reload();
  });
}
