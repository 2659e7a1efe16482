// Keys that work on every page, and the list of all of them. Keys without Ctrl can be turned off, since they get in
// the way of speech input (WCAG 2.1.4): this device remembers that.
import { show } from './dialogs.ts';
import { button, h } from './elements.ts';
import { checkRow } from './forms.ts';
import { openQuickSearch } from './quick-search.ts';
import { type App, goTo } from './view.ts';
import { t } from './texts.ts';

const storageKey = 'orderly-single-keys';

const keys: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['/', t('Ctrl+K')], t('Search orders, customers and products')],
  [['n'], t('New order')],
  [['?'], t('This list')],
  [['x'], t('Select the order of the row with the focus or under the pointer')],
  [[t('Shift+click')], t('Select all orders from the last one to this one')],
  [['Enter'], t('In a search: open the only one that was found')],
  [[t('Ctrl+Enter')], t('In a form: send it')],
];

export function watchShortcuts(app: App, signal: AbortSignal): void {
  document.addEventListener('keydown', (event) => pressed(app, event), { signal });
}

function pressed(app: App, event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey } = event;
  const isFind = (ctrlKey || metaKey) && key.toLowerCase() === 'k';
  if (!isFind && !isSingleKey(event)) return;
  if (isFind || key === '/') findAll(app);
  else if (key === 'n') goTo('/new');
  else if (key === '?') void showKeys();
  else return;
  event.preventDefault();
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
  if (localStorage.getItem(storageKey) === 'off') return false;
  const isText =
    target instanceof Element && target.closest('input:not([type="checkbox"]), select, textarea');
  return isText === null && document.querySelector('dialog') === null;
}

/** Opens the search over all pages. */
export function findAll(app: App): void {
  const showHelp = (): void => {
    help.closest('dialog')?.close();
    void showKeys();
  };
  const help = button(t('Keys'), showHelp, { class: 'quiet' });
  openQuickSearch(app, h('div', { class: 'buttons' }, help));
}

async function showKeys(): Promise<void> {
  const rows = keys.map(([names, meaning]) =>
    h(
      'div',
      {},
      h('dt', {}, meaning),
      h(
        'dd',
        {},
        names.map((name) => h('kbd', {}, name)),
      ),
    ),
  );
  const isOn = h('input', {
    type: 'checkbox',
    id: 'single-keys',
    checked: localStorage.getItem(storageKey) !== 'off',
  });
  isOn.addEventListener('change', () => {
    if (isOn.checked) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, 'off');
  });
  await show(t('Keys'), [
    h('dl', { class: 'facts keys' }, rows),
    checkRow(isOn, t('Keys without Ctrl, on this device')),
  ]);
}
