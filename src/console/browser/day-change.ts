// The change of the day at midnight, in the shop's time zone.

/** Short enough for a device that has slept, or whose clock or time zone was set. It costs no request. */
const checkMilliseconds = 20_000;

/** `dayNow` returns the name of the day. Calls the watcher after midnight until the signal is aborted; a hidden page waits until it is shown. */
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
