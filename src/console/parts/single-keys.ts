// Keys without Ctrl, and whether they are on: this device remembers it.
const storageKey = 'orderly-single-keys';

export function areSingleKeysOn(): boolean {
  return localStorage.getItem(storageKey) !== 'off';
}

export function turnSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, 'off');
}

/** Whether a key was pressed that is no text for a field, while keys without Ctrl are on. */
export function isSingleKey({
  ctrlKey,
  metaKey,
  altKey,
  repeat,
  isComposing,
  target,
}: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || repeat || isComposing) return false;
  if (!areSingleKeysOn()) return false;
  const isText =
    target instanceof Element && target.closest('input:not([type="checkbox"]), select, textarea');
  return isText === null && document.querySelector('dialog') === null;
}
