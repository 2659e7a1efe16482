// Keys without Ctrl.
import { isOfInputMethod } from './browser-gaps.ts';
import { DeviceSwitch } from './device-switch.ts';

export const singleKeys = new DeviceSwitch('single-keys', true);

/** Longer than between two keys of a scan. */
const nextKeyMilliseconds = 120;

/** Runs once no other key has followed: a letter may begin a code that is scanned. */
export function unlessKeysFollow(run: () => void): void {
  const stopped = new AbortController();
  const timer = setTimeout(() => {
    stopped.abort();
    run();
  }, nextKeyMilliseconds);
  const stop = (): void => {
    clearTimeout(timer);
    stopped.abort();
  };
  window.addEventListener('keydown', stop, { capture: true, signal: stopped.signal });
}

/** Whether a key was pressed that is no text for a field, while keys without Ctrl are on. */
export function isSingleKey(event: KeyboardEvent): boolean {
  const { ctrlKey, metaKey, altKey, repeat, defaultPrevented, target } = event;
  if (ctrlKey || metaKey || altKey || repeat || defaultPrevented || isOfInputMethod(event)) return false;
  if (!singleKeys.isOn) return false;
  const isText =
    target instanceof Element && target.closest('input:not([type="checkbox"]), select, textarea');
  return isText === null && document.querySelector('dialog') === null;
}

/** What the key says; where the layout has no Latin letters, what its place says: `n` for `т` (KeyN). */
export function latinKey({ key, code }: KeyboardEvent): string {
  const isForeign = /^(?!\p{Script=Latin})\p{L}$/u.test(key) && /^Key[A-Z]$/.test(code);
  return isForeign ? code.slice(3).toLowerCase() : key;
}
