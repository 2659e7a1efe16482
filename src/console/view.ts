// The context of a view (user, API client, URL, element to draw into), and the parts that views share.
import { type ApiClient, pause } from './api-client.ts';
import type { ServiceEvent, User } from './api-types.ts';
import type { BrowserSession } from './browser-session.ts';
import { notify } from './dialogs.ts';
import { Drawing } from './drawing.ts';
import { type Child, h } from './elements.ts';
import { messageOf } from './forms.ts';
import type { Histories } from './histories.ts';
import type { LiveEvents } from './live-events.ts';
import { isTemporary, Rejection } from './request-errors.ts';

export type App = {
  readonly client: ApiClient;
  readonly session: BrowserSession;
  readonly live: LiveEvents;
  readonly histories: Histories;
  readonly user: User;
};

export type Page = App & {
  readonly main: HTMLElement;
  /** The id in the path: 7 in `#/orders/7`. */
  readonly id: number;
  readonly parameters: URLSearchParams;
  /** Aborted when another view replaces this one. */
  readonly signal: AbortSignal;
};

/** Loads the view's data again and draws it. */
export type Reload = () => Promise<void>;

/** Draws into `main` immediately, and the rest when it is loaded. */
export type View = (page: Page) => void;

export function isStaff({ user }: Pick<App, 'user'>): boolean {
  return user.role !== 'user';
}

/** Gives the document this title, and returns the heading that shows it: both name the page. */
export function setPageTitle(title: string, ...tools: readonly Child[]): HTMLElement {
  document.title = `${title} · orderly`;
  return h(
    'header',
    { class: 'heading' },
    h('h1', { tabindex: -1 }, title),
    h('div', { class: 'tools' }, tools),
  );
}

type Content<T> = {
  /** The page’s signal is aborted when another load replaces this one. */
  readonly load: (page: Page) => Promise<T>;
  readonly draw: (value: T, reload: Reload) => Child;
  /** Returns whether to load again after this event. Without it only an action of the user does. */
  readonly concerns?: (event: ServiceEvent) => boolean;
};

/**
 * Loads a value and draws it into the element, now, after events that concern it, and when the returned
 * function is called, which replaces a load that has begun before.
 */
export function reloadable<T>(page: Page, element: HTMLElement, content: Content<T>): Reload {
  const loads = new Loads(page, element, content);
  void loads.restart();
  return () => loads.restart();
}

/**
 * One load at a time; what events ask for meanwhile is one more after it. The old content stays until then,
 * even if the service can’t be reached (which the banner says) or rejects the load for a while.
 */
class Loads<T> {
  readonly #page: Page;
  readonly #content: Content<T>;
  readonly #drawing: Drawing;
  #latest = new AbortController();
  #isRunning = false;
  /** Whether the running load may have been too early to see a change. */
  #isStale = false;
  #isLoaded = false;

  constructor(page: Page, element: HTMLElement, content: Content<T>) {
    this.#page = page;
    this.#content = content;
    this.#drawing = new Drawing(element);
    page.signal.addEventListener('abort', () => this.#latest.abort(page.signal.reason));
    const { concerns } = content;
    if (concerns === undefined) return;
    page.live.watch(page.signal, (events) => {
      if (events.length > 0 && !events.some(concerns)) return;
      if (this.#isRunning) this.#isStale = true;
      else void this.restart();
    });
  }

  async restart(): Promise<void> {
    if (this.#page.signal.aborted) return;
    this.#latest.abort(new Error('overtaken'));
    this.#latest = new AbortController();
    const { signal } = this.#latest;
    this.#isRunning = true;
    this.#isStale = false;
    this.#drawing.element.setAttribute('aria-busy', 'true');
    await this.#load(signal);
    if (signal.aborted) return;
    this.#isRunning = false;
    if (this.#isStale) return this.restart();
    this.#drawing.element.removeAttribute('aria-busy');
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { load, draw } = this.#content;
    const reload = (): Promise<void> => this.restart();
    try {
      const value = await load({ ...this.#page, signal });
      if (signal.aborted) return;
      this.#drawing.show(draw(value, reload));
      this.#isLoaded = true;
    } catch (error) {
      if (signal.aborted) return;
      if (!this.#isLoaded || !isTemporary(error)) this.#drawing.show(failure(error, reload));
      else if (error instanceof Rejection) this.#retry(error, signal);
    }
  }

  #retry({ message, retryAfterSeconds }: Rejection, signal: AbortSignal): void {
    notify(`This page may be out of date. ${message}`);
    const waiting = pause(Math.max(retryMilliseconds, retryAfterSeconds * 1_000), signal);
    void waiting.then(() => this.restart()).catch(() => undefined);
  }
}

const retryMilliseconds = 5_000;

/** Shows the error, and a button that calls `retry`. */
export function failure(error: unknown, retry: Reload): Child {
  const again = h('button', { type: 'button', onclick: () => void retry() }, 'Try again');
  return h('div', { class: 'empty', role: 'alert' }, h('p', {}, messageOf(error)), again);
}

/** Explains why nothing is shown, and what to do next. */
export function emptyState(title: string, text: string, next?: Child): HTMLElement {
  return h('div', { class: 'empty' }, h('h2', {}, title), h('p', {}, text), next);
}

export function skeleton(rows: number): HTMLElement {
  const bars = Array.from({ length: rows }, () => h('div', { class: 'bar' }));
  return h('div', { class: 'skeleton', 'aria-hidden': 'true' }, bars);
}

/** Navigates to another view of the console. */
export function goTo(path: string): void {
  location.hash = path;
}
