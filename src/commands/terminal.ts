// The output of commands: results on stdout, and the progress of long commands on stderr, as a bar on a
// terminal, elsewhere as an occasional line.
const columnsMax = 80;
const barMilliseconds = 100;
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
 * Runs a task and shows its progress; `reportProgress` takes a share from 0 to 1. A bar is redrawn in its
 * line, without colours or other escapes. A task that fails before its first report has no bar.
 */
export async function withProgress<T>(
  label: string,
  work: (reportProgress: (share: number) => void) => T | Promise<T>,
): Promise<T> {
  const { stderr } = process;
  const pause = stderr.isTTY ? barMilliseconds : lineMilliseconds;
  let next = stderr.isTTY ? 0 : performance.now() + pause;
  let isDrawn = false;
  const show = (share: number): void => {
    isDrawn = true;
    stderr.write(
      stderr.isTTY
        ? `\r${bar(label, share, Math.min(stderr.columns || columnsMax, columnsMax))}`
        : `${label}: ${percent(share)}\n`,
    );
  };
  try {
    const result = await work((share) => {
      if (performance.now() < next) return;
      next = performance.now() + pause;
      show(share);
    });
    if (stderr.isTTY) show(1);
    return result;
  } finally {
    if (stderr.isTTY && isDrawn) stderr.write('\n');
  }
}

function bar(label: string, share: number, columns: number): string {
  const width = Math.max(columns - 32, 5);
  const full = Math.floor(share * width);
  return `${label.padEnd(22)} [${'='.repeat(full)}${' '.repeat(width - full)}] ${percent(share).padStart(5)}`;
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}
