// Keys that work on every page, and the list of all of them. Keys without Ctrl can be turned off, since they get in
// the way of speech input (WCAG 2.1.4).
import { show } from '../forms/dialogs.ts';
import { button, h } from '../browser/elements.ts';
import { isSingleKey, latinKey, singleKeysSwitch, unlessKeysFollow } from '../page/single-keys.ts';
import { openQuickSearch } from './quick-search.ts';
import { type App, goTo } from '../page/view.ts';
import { t } from '../words/texts.ts';

const keys: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['/', t('Ctrl+K')], t('Search orders, customers and products')],
  [['n'], t('New order')],
  [['?'], t('This list')],
  [['x'], t('Select the order of the row with the focus or under the pointer')],
  [[t('Shift+click')], t('Select all orders from the last one to this one')],
  [['Enter'], t('In a search: open the only one that was found')],
  [[t('Ctrl+Enter')], t('In a form: send it')],
  [['F2', 'F4', 'F8'], t('In a new order: place it as paid by card, in cash or by transfer')],
  [['F9'], t('In a new order: handed over')],
];

export function watchShortcuts(app: App, signal: AbortSignal): void {
  document.addEventListener('keydown', (event) => pressedKey(app, event), { signal });
}

function pressedKey(app: App, event: KeyboardEvent): void {
  const { ctrlKey, metaKey } = event;
  const key = latinKey(event);
  if (/^F\d+$/.test(key)) return pressButton(event);
  const isFind = (ctrlKey || metaKey) && key.toLowerCase() === 'k';
  if (!isFind && !isSingleKey(event)) return;
  if (isFind || key === '/') findAll(app);
  else if (key === 'n') unlessKeysFollow(() => goTo('/new'));
  else if (key === '?') void showKeys();
  else return;
  event.preventDefault();
}

/** Presses the button of the page that has this key, whatever has the focus. */
function pressButton(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, shiftKey, repeat } = event;
  const button = document.querySelector<HTMLElement>(`main [aria-keyshortcuts="${key}"]`);
  const isAnother = ctrlKey || metaKey || altKey || shiftKey || document.querySelector('dialog') !== null;
  if (button === null || isAnother) return;
  event.preventDefault();
  if (!repeat) button.click();
}

/** Opens the search over all pages. */
export function findAll(app: App): void {
  const showHelp = (): void => {
    help.closest('dialog')?.close();
    void showKeys();
  };
  const help = button(t('Keys'), showHelp);
  openQuickSearch(app, h('div.buttons', help));
}

async function showKeys(): Promise<void> {
  const rows = keys.map(([names, meaning]) =>
    h(
      'div',
      h('dt', meaning),
      h(
        'dd',
        names.map((name) => h('kbd', name)),
      ),
    ),
  );
  await show(t('Keys'), [h('dl.facts.keys', rows), singleKeysSwitch()]);
}
