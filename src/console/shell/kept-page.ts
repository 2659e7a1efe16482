// The page of a user whose session has expired: out of sight, with all that was entered, until they are back.
import type { User } from '../parts/api-types.ts';
import { fill } from '../parts/elements.ts';

export class KeptPage {
  readonly #user: User;
  readonly #container: HTMLElement;
  readonly #content: readonly ChildNode[];
  readonly #focused = document.activeElement;
  readonly #title = document.title;

  /** Takes the page out of the container. */
  constructor(user: User, container: HTMLElement) {
    this.#user = user;
    this.#container = container;
    this.#content = [...container.childNodes];
    fill(container);
  }

  /** A user with another role or another name sees another page. */
  isOf(user: User): boolean {
    return JSON.stringify(user) === JSON.stringify(this.#user);
  }

  show(): void {
    fill(this.#container, ...this.#content);
    for (const dialog of this.#container.querySelectorAll('dialog')) {
      dialog.removeAttribute('open');
      dialog.showModal();
    }
    document.title = this.#title;
    if (this.#focused instanceof HTMLElement) this.#focused.focus();
  }
}
