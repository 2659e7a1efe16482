// Keys without Ctrl.
import { isOfInputMethod, storage } from '../browser/browser-gaps.ts';
import { h } from '../browser/elements.ts';
import { checkbox } from '../forms/forms.ts';
import { t } from '../words/texts.ts';

/** Stored where they are off, for all who work at this device. */
const storedOff = 'orderly-single-keys';

/** A checkbox that turns them on and off, and its label. */
export function singleKeysSwitch(): HTMLElement {
  const box = h('input', { type: 'checkbox', id: storedOff, checked: storage.read(storedOff) === null });
  box.addEventListener('change', () => {
    if (box.checked) storage.remove(storedOff);
    else storage.write(storedOff, 'off');
  });
  return checkbox(box, t('Keys without Ctrl, on this device'));
}

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
  if (storage.read(storedOff) !== null) return false;
  const isText =
    target instanceof Element && target.closest('input:not([type="checkbox"]), select, textarea');
  return isText === null && document.querySelector('dialog') === null;
}

/** What the key says; where the layout has no Latin letters, what its place says: `n` for `т` (KeyN). */
export function latinKey({ key, code }: KeyboardEvent): string {
  const isForeign = /^(?!\p{Script=Latin})\p{L}$/u.test(key) && /^Key[A-Z]$/.test(code);
  return isForeign ? code.slice(3).toLowerCase() : key;
}
