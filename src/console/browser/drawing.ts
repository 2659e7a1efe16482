// Draws an element’s content again and again. What hasn’t changed stays in the page, and with it the focus, what was
// typed or opened there, and a button that is being pressed.
import { type Child, h } from './elements.ts';

/** Elements that are kept or replaced as a whole: a button must not become another one while it is pressed. */
const units = 'a, button, form, span.action';

export class Drawing {
  readonly element: HTMLElement;
  /** A copy of what was drawn last: users and actions may have changed the element since. */
  #last: Element;

  /** The content that the element already has counts as drawn. */
  constructor(element: HTMLElement) {
    this.element = element;
    this.#last = document.importNode(element, true);
  }

  /** A click’s listener must use no element of the drawing but the clicked one: others may be discarded. */
  show(...children: readonly Child[]): void {
    const next = h('div', children);
    const copy = document.importNode(next, true);
    keepFocus(this.element.closest('main') ?? this.element, () => merge(this.element, this.#last, next));
    this.#last = copy;
  }
}

/** Gives `shown`, whose children were drawn as those of `last`, the children of `next`. */
function merge(shown: Element, last: Element, next: Element): void {
  const drawn = [...last.childNodes];
  const inPage = [...shown.childNodes];
  if (!isIntact(inPage, drawn)) return shown.replaceChildren(...next.childNodes);
  let position = 0;
  for (const child of [...next.childNodes]) {
    const index = drawn.findIndex((each, at) => at >= position && isSameNode(each, child));
    const [before, kept] = [drawn[index], inPage[index]];
    if (before === undefined || kept === undefined) {
      shown.insertBefore(child, inPage[position] ?? null);
      continue;
    }
    for (const gone of inPage.slice(position, index)) gone.remove();
    update(kept, before, child);
    position = index + 1;
  }
  for (const gone of inPage.slice(position)) gone.remove();
}

/** Something else may have changed the page, such as a browser that translates it. */
function isIntact(inPage: readonly Node[], drawn: readonly Node[]): boolean {
  return inPage.length === drawn.length && inPage.every((each, at) => each.nodeName === drawn[at]?.nodeName);
}

/** Units are the same if they are equal; other elements, and forms with a key, if their attributes are. */
function isSameNode(before: Node, after: Node): boolean {
  if (before.nodeName !== after.nodeName) return false;
  if (!(before instanceof Element)) return true;
  const isWhole = before.matches(units) && !before.matches('form[data-key]');
  return isWhole ? before.isEqualNode(after) : before.cloneNode().isEqualNode(after.cloneNode());
}

function update(shown: Node, before: Node, after: Node): void {
  if (shown instanceof Element && before instanceof Element && after instanceof Element) {
    if (shown.matches(units)) takeClick(shown, after);
    else merge(shown, before, after);
  } else if (before.nodeValue !== after.nodeValue) shown.nodeValue = after.nodeValue;
}

/** A button with the same label may act on other data now. A form keeps its listener, which reads its own fields. */
function takeClick(shown: Element, after: Element): void {
  const [to, from] = [buttonOf(shown), buttonOf(after)];
  if (to !== null && from !== null) to.onclick = from.onclick;
}

function buttonOf(unit: Element): HTMLElement | null {
  return unit instanceof HTMLButtonElement ? unit : unit.querySelector('button');
}

/** Returns the focus to the element with the same key, or else to the heading. */
export function keepFocus(scope: Element, change: () => void): void {
  const { activeElement: active } = document;
  const isInside = active instanceof HTMLElement && scope.contains(active);
  const key = isInside ? keyOf(active) : '';
  change();
  if (!isInside || active.isConnected || scope.contains(document.activeElement)) return;
  const others = [...scope.querySelectorAll<HTMLElement>('a, button, input, [tabindex]')];
  const same = key === '' ? undefined : others.find((each) => keyOf(each) === key);
  (same ?? scope.querySelector('h1'))?.focus({ preventScroll: true });
}

function keyOf(element: HTMLElement): string {
  return element.dataset['key'] ?? element.getAttribute('href') ?? '';
}
