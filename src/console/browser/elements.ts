// Creates elements from a name, attributes and children. Text is never parsed as markup.

export type Child = Node | string | number | null | undefined | false | readonly Child[];
type Value = string | number | boolean | null | undefined;
/** A function becomes the element’s `onclick`, for example; `true` sets an empty attribute, false none. */
export type Attributes = { readonly [name: string]: Value | ((event: Event) => void) };

/** Creates an element by its name and classes, `p.hint`, with attributes if there are any, and children. */
export function h<Name extends keyof HTMLElementTagNameMap>(
  selector: Name | `${Name}.${string}`,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name];
export function h<Name extends keyof HTMLElementTagNameMap>(
  selector: Name | `${Name}.${string}`,
  attributes: Attributes,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name];
export function h(selector: string, first?: Attributes | Child, ...others: readonly Child[]): HTMLElement {
  const [name = '', ...classes] = selector.split('.');
  const element = document.createElement(name);
  element.classList.add(...classes);
  if (isAttributes(first)) applyAttributes(element, first);
  else element.append(...nodesOf([first]));
  element.append(...nodesOf(others));
  return element;
}

function isAttributes(first: Attributes | Child): first is Attributes {
  return typeof first === 'object' && first !== null && !(first instanceof Node) && !Array.isArray(first);
}

export function svg(name: string, attributes: Attributes = {}, ...children: readonly Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  applyAttributes(element, attributes);
  element.append(...nodesOf(children));
  return element;
}

/** A button for what is done at once: `action` of forms.ts is one for what takes a moment. */
export function button(label: Child, onclick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return h('button', { type: 'button', ...attributes, onclick }, label);
}

/** Replaces the children of the element. */
export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...nodesOf(children));
}

/** Screen readers would say the same text again if it were set again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

function applyAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') Object.assign(element, { [name]: value });
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : String(value));
  }
}

function nodesOf(children: readonly Child[]): (Node | string)[] {
  return children.flatMap((child) => {
    if (child === null || child === undefined || child === false) return [];
    if (child instanceof Node || typeof child === 'string') return [child];
    return typeof child === 'number' ? [String(child)] : nodesOf(child);
  });
}

/** Draws a path of 20 × 20 units, in the colour of the surrounding text. */
export function icon(path: string): SVGElement {
  return svg('svg', { viewBox: '0 0 20 20', class: 'icon', 'aria-hidden': 'true' }, svg('path', { d: path }));
}

export const icons = {
  today: 'M3 17V9M8 17V4M13 17v-6M18 17V7',
  orders: 'M4 3h12v14l-3-2-3 2-3-2-3 2zM7 7h6M7 10.5h6',
  add: 'M10 4v12M4 10h12',
  customers:
    'M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 17c0-3 2.4-5 5.5-5s5.5 2 5.5 5' +
    'M13 3.7a3 3 0 0 1 0 5.6M15 12.3c1.8.7 3 2.4 3 4.7',
  products: 'M3 6.5 10 3l7 3.5v7L10 17l-7-3.5zM3 6.5l7 3.5 7-3.5M10 10v7',
  shop: 'M3 8l1.5-5h11L17 8M3 8a2.3 2.3 0 0 0 4.7 0 2.3 2.3 0 0 0 4.6 0A2.3 2.3 0 0 0 17 8M4.5 10.5V17h11v-6.5M8 17v-4h4v4',
  people: 'M10 10a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3.5 17c.5-3.3 3-5 6.5-5s6 1.7 6.5 5',
  account:
    'M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM10 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4.8 16c.9-2 2.7-3 5.2-3s4.3 1 5.2 3',
  figures: 'M3 3v14h14M6 13l4-5 3 3 4-6',
  system: 'M2 10h4l2-5 4 10 2-5h4',
  more: 'M3 5.5h14M3 10h14M3 14.5h14',
  search: 'M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12zM13.5 13.5 17 17',
  print: 'M6 7V3h8v4M6 14H3.5V7h13v7H14M6 11.5h8V17H6z',
  remove: 'M5 5l10 10M15 5 5 15',
} as const;
