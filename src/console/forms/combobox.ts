// A field that finds things while the user types, as an ARIA combobox. Only what answers the text in the field can be
// chosen: with the next letter earlier answers are void, and Enter waits for the next one.
import { isOfInputMethod } from '../browser/browser-gaps.ts';
import { fill, h } from '../browser/elements.ts';
import { uncorrected } from './forms.ts';
import { t } from '../words/texts.ts';

/** The pause after a letter before the search, since another letter may follow. */
export const typingMilliseconds = 40;

export type Found = {
  /** Unique within the answer. */
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly choose: () => void;
};
/** What was found of one kind, under its heading. */
export type FoundGroup = { readonly label: string; readonly found: readonly Found[] };

type ComboboxOptions = {
  readonly label: string;
  readonly placeholder: string;
  /** Rejects if nothing can be found at the moment. */
  readonly lookUp: (q: string, signal: AbortSignal) => Promise<readonly FoundGroup[]>;
  /** Receives each key with the option that Enter would choose. Returns true if the key is dealt with. */
  readonly onKey?: (event: KeyboardEvent, active: Found | undefined) => boolean;
};

export type Combobox = {
  readonly control: HTMLInputElement;
  /** Has to stand below the field. */
  readonly list: HTMLElement;
  /** Looks up what is in the field. */
  readonly find: () => void;
  /** Hides the list, and cancels the look-up. */
  readonly close: () => void;
};

export function combobox({ label, placeholder, lookUp, onKey }: ComboboxOptions): Combobox {
  const listId = `found-${crypto.randomUUID()}`;
  const control = h('input', {
    type: 'text',
    role: 'combobox',
    ...uncorrected,
    dir: 'auto',
    placeholder,
    'aria-label': label,
    'aria-autocomplete': 'list',
    'aria-controls': listId,
    'aria-expanded': 'false',
  });
  const list = h('div', { role: 'listbox', id: listId, 'aria-label': label, hidden: true });
  const status = h('p', { role: 'status', class: 'hint' });
  /** Empty unless the list answers what is in the field. */
  let options: readonly Found[] = [];
  let active = 0;
  /** The look-up that waits or runs. */
  let search: AbortController | undefined;
  /** The text in the field when Enter was pressed during the look-up: a scan may have passed through the field since. */
  let awaited = '';

  /** The earlier options stay in sight until the answer, but can't be chosen. */
  function findAfter(milliseconds: number): void {
    if (control.value.trim() === '') return close();
    cancel();
    search = new AbortController();
    const { signal } = search;
    list.setAttribute('aria-busy', 'true');
    setTimeout(() => !signal.aborted && void answer(signal), milliseconds);
  }

  function cancel(): void {
    search?.abort(new Error('overtaken'));
    search = undefined;
    options = [];
    mark();
  }

  async function answer(signal: AbortSignal): Promise<void> {
    const groups = await lookUp(control.value.trim(), signal).catch(() => undefined);
    if (signal.aborted) return;
    const isAwaited = control.value === awaited;
    close();
    if (document.activeElement !== control) return;
    if (groups === undefined)
      return fill(status, t('Nothing can be found at the moment: is the service away?'));
    offer(groups.filter(({ found }) => found.length > 0));
    if (isAwaited) choose(options[0]);
  }

  function offer(groups: readonly FoundGroup[]): void {
    options = groups.flatMap(({ found }) => found);
    active = 0;
    fill(status, options.length === 0 && t('Nothing was found.'));
    const parts = groups.map(({ label: heading, found }) => {
      const title = groups.length > 1 && h('div.label', { 'aria-hidden': 'true' }, heading);
      return h('div', { role: 'group', 'aria-label': heading }, title, found.map(optionOf));
    });
    fill(list, parts);
    open(options.length > 0);
    mark();
  }

  function open(isOpen: boolean): void {
    list.hidden = !isOpen;
    control.setAttribute('aria-expanded', String(isOpen));
  }

  function optionOf(option: Found): HTMLElement {
    const onpointerdown = (event: Event): void => {
      event.preventDefault(); // the field keeps the focus
      if (options.includes(option)) choose(option);
    };
    const attributes = { role: 'option', id: `${listId}-${option.id}`, onpointerdown };
    return h('div', attributes, h('bdi', option.name), h('bdi.soft', option.about));
  }

  function choose(option: Found | undefined): void {
    if (option === undefined) return;
    close();
    option.choose();
  }

  /** Marks the option that Enter would choose. */
  function mark(): void {
    const current = options[active];
    const id = current === undefined ? '' : `${listId}-${current.id}`;
    for (const option of list.querySelectorAll('[role="option"]')) {
      option.ariaSelected = String(option.id === id);
      if (option.id === id) option.scrollIntoView({ block: 'nearest' });
    }
    control.setAttribute('aria-activedescendant', id);
  }

  function pressed(event: KeyboardEvent): void {
    if (isOfInputMethod(event) || event.ctrlKey || event.metaKey) return;
    if (onKey?.(event, options[active]) === true || isTaken(event)) event.preventDefault();
  }

  function isTaken({ key }: KeyboardEvent): boolean {
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (key === 'Enter') entered();
    else if (step !== undefined && options.length > 0) {
      active = (active + step + options.length) % options.length;
      mark();
    } else if (key === 'Escape' && !list.hidden && control.closest('dialog') === null) close();
    else return false;
    return true;
  }

  function entered(): void {
    if (search !== undefined) awaited = control.value;
    else if (options.length > 0) choose(options[active]);
    else findAfter(0);
  }

  function close(): void {
    cancel();
    awaited = '';
    open(false);
    list.removeAttribute('aria-busy');
    fill(status);
  }

  control.addEventListener('input', () => findAfter(typingMilliseconds));
  control.addEventListener('keydown', pressed);
  control.addEventListener('blur', close);
  const element = h('div.found', list, status);
  return { control, list: element, find: () => findAfter(0), close };
}
