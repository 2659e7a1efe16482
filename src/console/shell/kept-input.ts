// What was entered and not sent yet, kept in this tab: the page of a user whose session has expired, and the views
// that were left, for whoever goes back to their URL. Whoever closes or reloads the tab is warned.
import { notify } from '../parts/dialogs.ts';
import { fill } from '../parts/elements.ts';
import { unkept, unsent } from '../parts/forms.ts';
import { t } from '../parts/texts.ts';

/** What an element contains, to be shown again after something else. */
export class KeptContent {
  readonly #element: HTMLElement;
  readonly #content: readonly ChildNode[];
  readonly #focused = document.activeElement;
  readonly #title = document.title;

  constructor(element: HTMLElement) {
    this.#element = element;
    this.#content = [...element.childNodes];
  }

  has(selector: string): boolean {
    return this.#content.some((node) => node instanceof Element && node.querySelector(selector) !== null);
  }

  show(): void {
    fill(this.#element, ...this.#content);
    for (const dialog of this.#element.querySelectorAll('dialog')) {
      dialog.removeAttribute('open');
      dialog.showModal();
    }
    document.title = this.#title;
    if (this.#focused instanceof HTMLElement && this.#element.contains(this.#focused)) this.#focused.focus();
  }
}

const viewsMax = 10;
const linkMilliseconds = 1_000;

type Left = { readonly content: KeptContent; readonly ending: AbortController };

/** The views that were left before their form was sent, by their URLs. They end when they can't be found again. */
export class KeptViews {
  readonly #main: HTMLElement;
  readonly #frame: HTMLElement;
  readonly #left = new Map<string, Left>();
  /** When a link to another program was followed last. */
  #followedAt = -linkMilliseconds;

  /** The frame contains `main` and the dialogs over it; the signal is aborted when their user is gone. */
  constructor(main: HTMLElement, frame: HTMLElement, signal: AbortSignal) {
    this.#main = main;
    this.#frame = frame;
    window.addEventListener('beforeunload', (event) => this.#warn(event), { signal });
    window.addEventListener('click', (event) => this.#follow(event), { signal });
    signal.addEventListener('abort', () => this.#left.forEach(({ ending }) => ending.abort()));
  }

  /** Keeps the view of this URL if it has a form with input that was not sent, or else ends it. */
  leave(url: string, ending: AbortController): void {
    const content = new KeptContent(this.#main);
    if (!content.has(unsent)) return ending.abort(new Error('left'));
    this.#left.set(url, { content, ending });
    const [oldest] = this.#left.keys();
    if (this.#left.size > viewsMax && oldest !== undefined) this.#take(oldest)?.ending.abort();
  }

  /** Shows the form that was left at this URL, and returns what ends it, if there is one. */
  restore(url: string): AbortController | undefined {
    const left = this.#take(url);
    if (left?.content.has(unsent) !== true) {
      left?.ending.abort(); // it was sent meanwhile
      return undefined;
    }
    left.content.show();
    notify(t('What you had entered is still here.'));
    return left.ending;
  }

  #take(url: string): Left | undefined {
    const left = this.#left.get(url);
    this.#left.delete(url);
    return left;
  }

  #warn(event: Event): void {
    const isLost =
      this.#frame.querySelector(unkept) !== null ||
      [...this.#left.values()].some(({ content }) => content.has(unkept));
    if (isLost && event.timeStamp - this.#followedAt > linkMilliseconds) event.preventDefault();
  }

  /** Browsers dispatch `beforeunload` also for `mailto:` and `tel:`, which leave the page as it is. */
  #follow({ target, timeStamp }: Event): void {
    if (target instanceof Element && target.closest('a[href*=":"]') !== null) this.#followedAt = timeStamp;
  }
}
