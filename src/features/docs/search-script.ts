// The search of the documentation page: operations, guides, fields and problem types; `/` or Ctrl-K opens it.
import type { PageDocument, PageElement, PageEvent } from './docs-dom.ts';
import type { PageTools } from './page-tools.ts';

declare const document: PageDocument;

export function searchScript({ one, make, go }: PageTools): void {
  type Entry = {
    readonly text: string;
    readonly about: string;
    readonly id: string;
    readonly rank: number;
    readonly words?: string;
  };
  const resultsMax = 30;
  const dialog = one('#search');
  const input = one('#search-text');
  const list = one('#search-results');
  let entries: readonly Entry[] = [];
  let shown: readonly Entry[] = [];
  let chosen = 0;

  one('#search-button').addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    const isShortcut = event.key === 'k' && (event.ctrlKey === true || event.metaKey === true);
    const isSlash = event.key === '/' && !event.target.matches('input, textarea, select');
    if (!isShortcut && !isSlash) return;
    event.preventDefault();
    open();
  });
  input.addEventListener('input', () => find(input.value));
  input.addEventListener('keydown', move);
  list.addEventListener('click', ({ target }) => {
    const option = target.closest('[role="option"]');
    if (option !== null) follow(Number(option.dataset['index']));
  });

  function open(): void {
    if (dialog.open) return;
    if (entries.length === 0) entries = [...operations(), ...fields(), ...problems()];
    input.value = '';
    find('');
    dialog.showModal();
  }

  function operations(): Entry[] {
    return [...document.querySelectorAll('main article')].map((article) => {
      const about = article.querySelector('.endpoint')?.textContent ?? 'guide';
      const words = article.textContent.toLowerCase();
      return { text: one('h3', article).textContent, about, id: article.id, rank: 0, words };
    });
  }

  /** Returns the fields of resources, parameters and bodies, each with the place of its description. */
  function fields(): Entry[] {
    return [...document.querySelectorAll('main [id] .about .fields dt code')].map((code) => {
      const place = code.closest('[id]');
      const title = place?.querySelector('h3')?.textContent ?? '';
      return { text: code.textContent, about: `in ${title}`, id: place?.id ?? '', rank: 2 };
    });
  }

  function problems(): Entry[] {
    return [...document.querySelectorAll('#problem-list dt')].map((term) => ({
      text: one('code', term).textContent,
      about: `problem type, ${one('span', term).textContent}`,
      id: term.id,
      rank: 1,
    }));
  }

  /**
   * Lists the entries that contain every word: first those that begin with the typed text, last those that
   * have the words only in their descriptions.
   */
  function find(text: string): void {
    const wanted = text.trim().toLowerCase();
    const words = wanted.split(/\s+/);
    const scored: { entry: Entry; score: number }[] = [];
    for (const entry of entries) {
      const own = entry.text.toLowerCase();
      const all = `${own} ${entry.about.toLowerCase()}`;
      const { words: described = '' } = entry;
      if (!words.every((word) => all.includes(word) || described.includes(word))) continue;
      let score = entry.rank;
      if (!words.every((word) => all.includes(word))) score += 3;
      if (own.startsWith(wanted)) score -= 3;
      else if (own.includes(wanted)) score -= 1;
      scored.push({ entry, score });
    }
    scored.sort((a, b) => a.score - b.score);
    show(scored.slice(0, resultsMax).map(({ entry }) => entry));
    one('#search-count').textContent = wanted === '' ? '' : `${scored.length} found`;
  }

  function show(found: readonly Entry[]): void {
    shown = found;
    list.replaceChildren(...found.map(optionOf));
    list.hidden = found.length === 0;
    input.ariaExpanded = String(found.length > 0);
    choose(0);
  }

  function optionOf({ text, about }: Entry, index: number): PageElement {
    const option = Object.assign(make('li'), { id: `search-result-${index}`, role: 'option' });
    option.dataset['index'] = String(index);
    option.append(make('span', text), ' ', make('small', about));
    return option;
  }

  function choose(index: number): void {
    chosen = index;
    for (const [place, option] of [...list.querySelectorAll('[role="option"]')].entries())
      option.ariaSelected = String(place === chosen);
    input.setAttribute('aria-activedescendant', shown.length === 0 ? '' : `search-result-${chosen}`);
    list.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }

  function move(event: PageEvent): void {
    const { key = '' } = event;
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[key];
    if (key !== 'Enter' && step === undefined) return;
    event.preventDefault();
    if (shown.length === 0) return;
    if (step === undefined) follow(chosen);
    else choose((chosen + step + shown.length) % shown.length);
  }

  function follow(index: number): void {
    dialog.close();
    const found = shown[index];
    if (found !== undefined) go(found.id);
  }
}
