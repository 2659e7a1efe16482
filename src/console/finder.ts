// A field that finds things while the user types, as an ARIA combobox. Only an answer to what is in the field now has
// options: with the next letter all earlier ones are void, and Enter waits for the answer.
import { fill, h } from './elements.ts';
import { t } from './texts.ts';

const typingMilliseconds = 40;

export type Found = {
  /** Unique within the answer. */
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly choose: () => void;
};
/** Those of one kind, under its heading. */
export type FoundGroup = { readonly label: string; readonly found: readonly Found[] };

type FinderOptions = {
  readonly label: string;
  readonly placeholder: string;
  /** Rejects if nothing can be found at the moment. */
  readonly lookUp: (q: string, signal: AbortSignal) => Promise<readonly FoundGroup[]>;
};

/** Returns the field and its list, which has to stand below the field. */
export function finder({ label, placeholder, lookUp }: FinderOptions): {
  readonly control: HTMLInputElement;
  readonly list: HTMLElement;
} {
  const listId = `found-${crypto.randomUUID()}`;
  const control = h('input', {
    type: 'text',
    role: 'combobox',
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: 100,
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
  let timer = 0;
  let search = new AbortController();
  let isSearching = false;
  let isEntered = false;

  function typed(): void {
    clearTimeout(timer);
    search.abort(new Error('overtaken'));
    options = [];
    isEntered = false;
    isSearching = control.value.trim() !== '';
    control.removeAttribute('aria-activedescendant');
    for (const option of list.querySelectorAll('[role="option"]')) option.ariaSelected = 'false';
    if (!isSearching) return close();
    list.setAttribute('aria-busy', 'true');
    timer = setTimeout(() => void find(), typingMilliseconds);
  }

  async function find(): Promise<void> {
    search = new AbortController();
    const { signal } = search;
    const groups = await lookUp(control.value.trim(), signal).catch(() => undefined);
    if (signal.aborted) return;
    isSearching = false;
    list.removeAttribute('aria-busy');
    if (groups === undefined) {
      close();
      return fill(status, t('Nothing can be found at the moment: is the service away?'));
    }
    const shown = groups.filter(({ found }) => found.length > 0);
    options = shown.flatMap(({ found }) => found);
    active = 0;
    if (isEntered && options[0] !== undefined) return options[0].choose();
    isEntered = false;
    fill(status, options.length === 0 && t('Nothing was found.'));
    draw(shown);
  }

  function draw(groups: readonly FoundGroup[]): void {
    const parts = groups.map(({ label: heading, found }) =>
      h(
        'div',
        { role: 'group', 'aria-label': heading },
        groups.length > 1 && h('div', { class: 'label', 'aria-hidden': 'true' }, heading),
        found.map(optionOf),
      ),
    );
    fill(list, parts);
    list.hidden = options.length === 0;
    control.setAttribute('aria-expanded', String(!list.hidden));
    mark();
  }

  function optionOf(option: Found): HTMLElement {
    const onpointerdown = (event: Event): void => {
      event.preventDefault(); // the field keeps the focus
      if (options.includes(option)) option.choose();
    };
    return h(
      'div',
      { role: 'option', id: `${listId}-${option.id}`, onpointerdown },
      h('bdi', {}, option.name),
      h('bdi', { class: 'soft' }, option.about),
    );
  }

  function mark(): void {
    for (const [index, option] of list.querySelectorAll('[role="option"]').entries())
      option.ariaSelected = String(index === active);
    const current = options[active];
    if (current === undefined) return control.removeAttribute('aria-activedescendant');
    const id = `${listId}-${current.id}`;
    control.setAttribute('aria-activedescendant', id);
    document.getElementById(id)?.scrollIntoView({ block: 'nearest' });
  }

  function pressed(event: KeyboardEvent): void {
    const { key, isComposing } = event;
    if (isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (key === 'Enter') {
      if (isSearching) isEntered = true;
      else options[active]?.choose();
    } else if (step !== undefined && options.length > 0) {
      active = (active + step + options.length) % options.length;
      mark();
    } else return;
    event.preventDefault();
  }

  function close(): void {
    options = [];
    isSearching = false;
    list.hidden = true;
    list.removeAttribute('aria-busy');
    control.setAttribute('aria-expanded', 'false');
    fill(status);
  }

  control.addEventListener('input', typed);
  control.addEventListener('keydown', pressed);
  control.addEventListener('blur', close);
  return { control, list: h('div', { class: 'found' }, list, status) };
}
