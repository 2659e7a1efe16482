// Forms that were left before they were sent: whoever goes back to their URL finds what was entered.
import { notify } from './dialogs.ts';
import { fill } from './elements.ts';
import { unsent } from './forms.ts';

type Left = { readonly title: string; readonly content: readonly ChildNode[] };

const formsMax = 10;

export class UnsentForms {
  readonly #main: HTMLElement;
  readonly #left = new Map<string, Left>();

  constructor(main: HTMLElement) {
    this.#main = main;
  }

  /** Keeps the view of this URL if it has a form with input that was not sent. */
  keep(url: string): void {
    this.#left.delete(url);
    if (!hasUnsent(this.#main)) return;
    this.#left.set(url, { title: document.title, content: [...this.#main.childNodes] });
    const [oldest] = this.#left.keys();
    if (this.#left.size > formsMax && oldest !== undefined) this.#left.delete(oldest);
  }

  /** Shows the form that was left at this URL; returns false if there is none. */
  restore(url: string): boolean {
    const left = this.#left.get(url);
    this.#left.delete(url);
    if (left === undefined || !left.content.some(hasUnsent)) return false; // it may have been sent meanwhile
    fill(this.#main, ...left.content);
    document.title = left.title;
    notify('What you had entered is still here.');
    return true;
  }
}

function hasUnsent(node: Node): boolean {
  return node instanceof Element && node.querySelector(unsent) !== null;
}
