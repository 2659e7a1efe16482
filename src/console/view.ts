// The context of a view (user, API client, URL, element to draw into), and the parts that views share.
import { type ApiClient, pause } from './api-client.ts';
import type { ServiceEvent, User } from './api-types.ts';
import type { BrowserSession } from './browser-session.ts';
import { notify } from './dialogs.ts';
import { Drawing } from './drawing.ts';
import { type Child, h } from './elements.ts';
import { messageOf } from './forms.ts';
import type { LiveEvents } from './live-events.ts';
import { isTemporary, Rejection } from './request-errors.ts';

export type App = {
  readonly client: ApiClient;
  readonly session: BrowserSession;
  readonly live: LiveEvents;
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
  readonly load: () => Promise<T>;
  readonly draw: (value: T, reload: Reload) => Child;
  /** Returns whether to load again after this event. Without it only an action of the user does. */
  readonly concerns?: (event: ServiceEvent) => boolean;
};

/**
 * Loads a value and draws it into the element, now, after each event that concerns it, and when the returned
 * function is called. The old content stays until then, even if the service can’t be reached (which the
 * banner says) or rejects the load for a while. The result of a load is discarded if a newer one has begun.
 */
export function reloadable<T>(
  { live, signal }: Page,
  element: HTMLElement,
  { load, draw, concerns }: Content<T>,
): Reload {
  const drawing = new Drawing(element);
  let latest = 0;
  let isLoaded = false;
  const reload: Reload = async () => {
    latest += 1;
    const number = latest;
    element.setAttribute('aria-busy', 'true');
    try {
      const value = await load();
      if (number !== latest || signal.aborted) return;
      drawing.show(draw(value, reload));
      isLoaded = true;
    } catch (error) {
      if (number !== latest || signal.aborted) return;
      if (!isLoaded || !isTemporary(error)) drawing.show(failure(error, reload));
      else if (error instanceof Rejection) retry(error, number);
    }
    if (number === latest) element.removeAttribute('aria-busy');
  };
  function retry({ message, retryAfterSeconds }: Rejection, number: number): void {
    notify(`This page may be out of date. ${message}`);
    const waiting = pause(Math.max(retryMilliseconds, retryAfterSeconds * 1_000), signal);
    void waiting.then(() => (number === latest ? reload() : undefined)).catch(() => undefined);
  }
  if (concerns !== undefined)
    live.watch(signal, (events) => {
      if (events.length === 0 || events.some(concerns)) void reload();
    });
  void reload();
  return reload;
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
