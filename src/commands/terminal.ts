// The output of commands: results on stdout, and on stderr the progress of long commands, as a bar on a
// terminal and as an occasional line elsewhere.
const columnsMax = 80;
const barMilliseconds = 100;
const lineMilliseconds = 10_000;

/** Rejects if the text can't be written, as on a full disk: no result is lost silently. */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) =>
    process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve())),
  );
}

type Tty = NodeJS.WriteStream & { readonly _handle?: { setBlocking?(isBlocking: boolean): unknown } };

/**
 * Node writes to a terminal and waits for it, so one that accepts no more (Ctrl-S, a window that hangs) would
 * stop the whole process. It has no public way to turn that off.
 */
export function neverBlock(terminal: Tty): void {
  terminal._handle?.setBlocking?.(false);
}

/** Waits until all written text has left the process, for at most that long. */
export async function waitForDrain(stream: NodeJS.WriteStream, millisecondsMax: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const late = setTimeout(resolve, millisecondsMax);
  stream.write('', () => resolve()); // called once all that was written before it is
  await promise;
  clearTimeout(late);
}

/**
 * Runs a task and shows its progress; `reportProgress` takes a share from 0 to 1. A bar is redrawn in its
 * line, without colours or other escapes; a task that fails before its first report draws none.
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
