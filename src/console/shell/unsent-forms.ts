// Forms that were left before they were sent: whoever goes back to their URL finds what was entered, and
// whoever closes or reloads the tab is warned.
import { notify } from '../parts/dialogs.ts';
import { fill } from '../parts/elements.ts';
import { unkept, unsent } from '../parts/forms.ts';
import { t } from '../parts/texts.ts';

type Left = { readonly title: string; readonly content: readonly ChildNode[] };

const formsMax = 10;
const linkMilliseconds = 1_000;

export class UnsentForms {
  readonly #main: HTMLElement;
  readonly #frame: HTMLElement;
  readonly #signal: AbortSignal;
  readonly #left = new Map<string, Left>();

  /** The frame contains `main` and the dialogs over it; the signal is aborted when their user is gone. */
  constructor(main: HTMLElement, frame: HTMLElement, signal: AbortSignal) {
    this.#main = main;
    this.#frame = frame;
    this.#signal = signal;
    for (const type of ['input', 'change', 'discard'])
      window.addEventListener(type, () => this.#updateWarning(), { signal });
    window.addEventListener('click', (event) => this.#allowLink(event), { signal });
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
    notify(t('What you had entered is still here.'));
    return true;
  }

  /** Without input to lose there is no listener: it could exclude the page from the back/forward cache. */
  #updateWarning(): void {
    const shownOrLeft = [this.#frame, ...[...this.#left.values()].flatMap(({ content }) => content)];
    if (shownOrLeft.some(hasUnkept)) window.addEventListener('beforeunload', warn, { signal: this.#signal });
    else window.removeEventListener('beforeunload', warn);
  }

  /** Browsers dispatch `beforeunload` also for `mailto:` and `tel:`, which leave the page as it is. */
  #allowLink({ target }: Event): void {
    if (!(target instanceof Element) || target.closest('a[href*=":"]') === null) return;
    window.removeEventListener('beforeunload', warn);
    setTimeout(() => this.#updateWarning(), linkMilliseconds);
  }
}

function hasUnsent(node: Node): boolean {
  return node instanceof Element && node.querySelector(unsent) !== null;
}

function hasUnkept(node: Node): boolean {
  return node instanceof Element && node.querySelector(unkept) !== null;
}

function warn(event: Event): void {
  event.preventDefault();
}
