// The change of the day at midnight, by the browser's clock and in its time zone.

/** Short enough for a device that has slept, or whose clock or time zone was set. It costs no request. */
const checkMilliseconds = 20_000;

/** Calls the watcher after midnight until the signal is aborted; a hidden page waits until it is shown. */
export function watchDay(signal: AbortSignal, watcher: () => void): void {
  let day = new Date().toDateString();
  function check(): void {
    const today = new Date().toDateString();
    if (today === day || document.hidden) return;
    day = today;
    watcher();
  }
  const timer = setInterval(check, checkMilliseconds);
  signal.addEventListener('abort', () => clearInterval(timer));
  document.addEventListener('visibilitychange', check, { signal });
}
