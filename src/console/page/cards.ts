// Cards, and the facts, addresses and secrets in them and in dialogs.
import { button, type Child, fill, h } from '../browser/elements.ts';
import { t } from '../words/texts.ts';

export function card(title: string, ...content: readonly Child[]): HTMLElement {
  return h('section.card', h('h2', title), content);
}

/** A card whose head has something beside the title. */
export function headedCard(head: Child, ...content: readonly Child[]): HTMLElement {
  return h('section.card', h('header.card-head', head), content);
}

export function addressBlock(lines: readonly string[]): HTMLElement {
  return h(
    'address',
    lines.map((line) => h('span', { dir: 'auto' }, line)),
  );
}

export function factList(facts: readonly (readonly [string, Child])[]): HTMLElement {
  return h(
    'dl.facts',
    facts.map(([name, value]) => h('div', h('dt', name), h('dd', value))),
  );
}

/** A secret with a button that copies it. */
export function secret(label: string, text: string): HTMLElement {
  const outcome = h('span', { role: 'status', class: 'hint' });
  const copy = button(t('Copy'), () => {
    navigator.clipboard.writeText(text).then(
      () => fill(outcome, t('Copied.')),
      () => fill(outcome, t('The browser does not allow it: select the text and copy it.')),
    );
  });
  return h('div.secret', h('p.label', label), h('code', text), copy, outcome);
}
