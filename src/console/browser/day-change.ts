// The change of the day at midnight, in the shop's time zone.

/** A single timer for midnight would be late if the device sleeps or its clock is set. A check sends no request. */
const checkMilliseconds = 20_000;

/**
 * Calls the watcher when `dayNow` returns the name of another day, until the signal is aborted; while the page is hidden,
 * once it is shown.
 */
export function watchDay(signal: AbortSignal, dayNow: () => string, watcher: () => void): void {
  let day = dayNow();
  function check(): void {
    const today = dayNow();
    if (today === day || document.hidden) return;
    day = today;
    watcher();
  }
  const timer = setInterval(check, checkMilliseconds);
  signal.addEventListener('abort', () => clearInterval(timer));
  document.addEventListener('visibilitychange', check, { signal });
}
