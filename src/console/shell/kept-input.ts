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

/** The views that were left before their form was sent, by their URLs. */
export class KeptViews {
  readonly #main: HTMLElement;
  readonly #frame: HTMLElement;
  readonly #left = new Map<string, KeptContent>();
  /** When a link to another program was followed last. */
  #followedAt = -linkMilliseconds;

  /** The frame contains `main` and the dialogs over it; the signal is aborted when their user is gone. */
  constructor(main: HTMLElement, frame: HTMLElement, signal: AbortSignal) {
    this.#main = main;
    this.#frame = frame;
    window.addEventListener('beforeunload', (event) => this.#warn(event), { signal });
    window.addEventListener('click', (event) => this.#follow(event), { signal });
  }

  /** Keeps the view of this URL if it has a form with input that was not sent. */
  keep(url: string): void {
    this.#left.delete(url);
    const left = new KeptContent(this.#main);
    if (!left.has(unsent)) return;
    this.#left.set(url, left);
    const [oldest] = this.#left.keys();
    if (this.#left.size > viewsMax && oldest !== undefined) this.#left.delete(oldest);
  }

  /** Shows the form that was left at this URL; returns false if there is none. */
  restore(url: string): boolean {
    const left = this.#left.get(url);
    this.#left.delete(url);
    if (left === undefined || !left.has(unsent)) return false; // it may have been sent meanwhile
    left.show();
    notify(t('What you had entered is still here.'));
    return true;
  }

  #warn(event: Event): void {
    const isLost =
      this.#frame.querySelector(unkept) !== null || [...this.#left.values()].some((left) => left.has(unkept));
    if (isLost && event.timeStamp - this.#followedAt > linkMilliseconds) event.preventDefault();
  }

  /** Browsers dispatch `beforeunload` also for `mailto:` and `tel:`, which leave the page as it is. */
  #follow({ target, timeStamp }: Event): void {
    if (target instanceof Element && target.closest('a[href*=":"]') !== null) this.#followedAt = timeStamp;
  }
}
