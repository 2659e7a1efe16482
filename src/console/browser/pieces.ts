// Work that takes longer than a turn of the event loop, in pieces: the page stays alive meanwhile.
const turnMilliseconds = 10;

/** Calls it with each of them. Rejects with what it throws, or with the reason of the aborted signal. */
export async function inPieces<T>(
  all: Iterable<T>,
  call: (each: T) => void,
  signal?: AbortSignal,
): Promise<void> {
  let until = performance.now() + turnMilliseconds;
  for (const each of all) {
    call(each);
    if (performance.now() < until) continue;
    await new Promise((resume) => setTimeout(resume));
    signal?.throwIfAborted();
    until = performance.now() + turnMilliseconds;
  }
}
