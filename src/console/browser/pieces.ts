// Long work in pieces, between which the page handles events.
const turnMilliseconds = 10;

/** Calls `call` with each value. Rejects with what it throws, or with the reason of the aborted signal. */
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
