// Cards, and the facts and addresses in them.
import { type Child, h } from './elements.ts';

export function card(title: string, ...content: readonly Child[]): HTMLElement {
  return h('section', { class: 'card' }, h('h2', {}, title), content);
}

export function addressBlock(lines: readonly string[]): HTMLElement {
  return h(
    'address',
    {},
    lines.map((line) => h('span', { dir: 'auto' }, line)),
  );
}

export function factList(facts: readonly (readonly [string, Child])[]): HTMLElement {
  return h(
    'dl',
    { class: 'facts' },
    facts.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
  );
}
