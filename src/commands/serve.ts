// `orderly serve`: runs the service until a signal or a failed disk stops it.
import { flushCompileCache } from 'node:module';
import { isatty } from 'node:tty';
import { LineLogger, type Logger } from '../base/logger.ts';
import type { Config } from '../config/config.ts';
import type { CommandLine } from '../service/command-line.ts';
import { thisMachine } from '../service/own-certificate.ts';
import { startService, type Service } from '../service/running-service.ts';
import { neverBlock, waitForDrain } from './terminal.ts';
import { logStart, welcome } from './welcome.ts';

/** The time for which a stopping process waits until its last log lines are read. */
const finalLogMillisecondsMax = 1_000;

export async function serve({ config }: CommandLine): Promise<number> {
  const { stdout } = process;
  const log = logOn(stdout, config);
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const starting = new AbortController();
  let service: Service | undefined; // undefined while it starts

  function finish(): void {
    service?.stop().then(
      () => end(0),
      () => end(1),
    );
  }
  const stop = createStopper({
    stop(reason) {
      log.write(
        'info',
        `${reason}: finishing open requests; another signal after 2 seconds stops immediately`,
      );
      starting.abort();
      finish();
    },
    stopAtOnce: () => process.exit(1),
    now: () => performance.now(),
  });
  listenToSignals({ stop, reload: () => service?.reload() });
  try {
    service = await startService({ config, log, signal: starting.signal, onFatal: () => end(1) });
    if (starting.signal.aborted) finish();
    else greet(log, config, service);
  } catch (error) {
    if (!starting.signal.aborted) {
      await service?.stop(); // a service that could not announce itself must not go on
      throw error;
    }
    end(0);
  }
  const status = await ended;
  log.write('info', 'stopped');
  log.flush();
  await waitForDrain(stdout, finalLogMillisecondsMax);
  // After a return, Node would wait for a reader that has stopped, and restore the default action of signals
  // some milliseconds before the end: a SIGTERM that npm repeats late would become the exit status.
  process.exit(status);
}

function logOn(stdout: NodeJS.WriteStream, { log: level }: Config): Logger {
  const { NO_COLOR: noColor = '', TERM: terminal } = process.env;
  const isTerminal = stdout.isTTY;
  if (isTerminal) neverBlock(stdout);
  const hasColor = isTerminal && noColor === '' && terminal !== 'dumb';
  return new LineLogger({ level, sink: stdout, isTerminal, hasColor, now: Date.now });
}

function greet(log: Logger, config: Config, service: Service): void {
  const start = { config, service, machine: thisMachine(), now: Date.now() };
  if (process.stdout.isTTY) process.stdout.write(`${welcome(start)}\n`);
  else logStart(log, start);
  flushCompileCache(); // written now, since a killed service writes no cache at its end
}

type StopperOptions = {
  /** Stops the service gracefully; called once. */
  readonly stop: (reason: string) => void;
  readonly stopAtOnce: () => void;
  /** Returns milliseconds of a monotonic clock. */
  readonly now: () => number;
};

/** npm and process groups deliver one signal twice. Two signals within this time count as one. */
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
 * of the service is closed. Then the service stops, since nobody could stop it by hand.
 */
function listenToSignals({ stop, reload }: Listener): void {
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
