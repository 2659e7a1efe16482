// The context of a view (user, API client, URL, element to draw into), and the parts that views share.
import type { ApiClient } from './api-client.ts';
import type { User } from './api-types.ts';
import type { BrowserSession } from './browser-session.ts';
import { type Child, fill, h } from './elements.ts';
import { messageOf } from './forms.ts';
import type { LiveEvents } from './live-events.ts';

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

/**
 * Returns a function that loads a value and draws it into the element. The old content stays until then, and
 * the result of a load is discarded if a newer load has begun.
 */
export function reloadable<T>(
  element: HTMLElement,
  signal: AbortSignal,
  { load, draw }: { readonly load: () => Promise<T>; readonly draw: (value: T, reload: Reload) => Child },
): Reload {
  let latest = 0;
  const reload: Reload = async () => {
    latest += 1;
    const number = latest;
    element.setAttribute('aria-busy', 'true');
    try {
      const value = await load();
      if (number === latest && !signal.aborted)
        keepFocus(element.closest('main') ?? element, () => fill(element, draw(value, reload)));
    } catch (error) {
      if (number === latest && !signal.aborted) fill(element, failure(error, reload));
    }
    if (number === latest) element.removeAttribute('aria-busy');
  };
  return reload;
}

/** Returns the focus to the element with the same key, or else to the heading. */
function keepFocus(scope: Element, change: () => void): void {
  const { activeElement: active } = document;
  const isInside = active instanceof HTMLElement && scope.contains(active);
  const key = isInside ? keyOf(active) : '';
  change();
  if (!isInside || active.isConnected) return;
  const others = [...scope.querySelectorAll<HTMLElement>('a, button, input')];
  const same = key === '' ? undefined : others.find((each) => keyOf(each) === key);
  (same ?? scope.querySelector('h1'))?.focus({ preventScroll: true });
}

function keyOf(element: HTMLElement): string {
  return element.dataset['key'] ?? element.getAttribute('href') ?? '';
}

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
