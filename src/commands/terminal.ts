// The output of commands: results on stdout, and the progress of long commands on stderr: on a terminal in a line that
// is written anew, elsewhere as an occasional line.
const redrawMilliseconds = 100;
const lineMilliseconds = 10_000;

/**
 * Prints a result. Rejects if the text can't be written, for example on a full disk: no result is lost
 * silently.
 */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) =>
    process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve())),
  );
}

type Tty = NodeJS.WriteStream & { readonly _handle?: { setBlocking?(isBlocking: boolean): unknown } };

/**
 * Makes writes to a terminal asynchronous, for which Node has no public function. By default Node waits for a
 * terminal, so one that accepts no output (after Ctrl-S, or in a hanging window) would stop the whole
 * process.
 */
export function neverBlock(terminal: Tty): void {
  terminal._handle?.setBlocking?.(false);
}

/** Waits until all written text has left the process, but at most `millisecondsMax`. */
export async function waitForDrain(stream: NodeJS.WriteStream, millisecondsMax: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const late = setTimeout(resolve, millisecondsMax);
  stream.write('', () => resolve()); // called once everything before it is written
  await promise;
  clearTimeout(late);
}

/**
 * Runs a task and shows its progress; `reportProgress` takes a share from 0 to 1. A task that fails before its first
 * report shows nothing.
 */
export async function withProgress<T>(
  label: string,
  work: (reportProgress: (share: number) => void) => T | Promise<T>,
): Promise<T> {
  const { stderr } = process;
  const { isTTY } = stderr;
  const pause = isTTY ? redrawMilliseconds : lineMilliseconds;
  let next = isTTY ? 0 : performance.now() + pause;
  let isShown = false;
  const show = (share: number): void => {
    isShown = true;
    const text = `${label}: ${Math.floor(share * 100)} %`;
    stderr.write(isTTY ? `\r${text}` : `${text}\n`);
  };
  try {
    const result = await work((share) => {
      if (performance.now() < next) return;
      next = performance.now() + pause;
      show(share);
    });
    if (isTTY) show(1);
    return result;
  } finally {
    if (isTTY && isShown) stderr.write('\n');
  }
}
