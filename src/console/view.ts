// What every view receives: who is signed in, the API client, the URL, and the element to draw into.
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

/** Loads what is shown again. */
export type Reload = () => Promise<void>;

/** Draws into `main` at once, and the rest when it is loaded. */
export type View = (page: Page) => void;

export function isStaff({ user }: Pick<App, 'user'>): boolean {
  return user.role !== 'user';
}

export function heading(title: string, ...tools: readonly Child[]): HTMLElement {
  document.title = `${title} · orderly`;
  return h(
    'header',
    { class: 'heading' },
    h('h1', { tabindex: -1 }, title),
    h('div', { class: 'tools' }, tools),
  );
}

/**
 * Draws what `load` resolves to into the element, and again whenever `reload` is called; meanwhile the old
 * content stays. The result of a load that a newer one has overtaken is discarded.
 */
export function reloadable<T>(
  element: HTMLElement,
  signal: AbortSignal,
  { load, draw }: { readonly load: () => Promise<T>; readonly draw: (value: T, reload: Reload) => Child },
): Reload {
  const state = { count: 0 };
  const reload: Reload = async () => {
    state.count += 1;
    const number = state.count;
    element.setAttribute('aria-busy', 'true');
    try {
      const value = await load();
      if (number === state.count && !signal.aborted)
        keepFocus(element.closest('main') ?? element, () => fill(element, draw(value, reload)));
    } catch (error) {
      if (number === state.count && !signal.aborted) fill(element, failure(error, reload));
    }
    if (number === state.count) element.removeAttribute('aria-busy');
  };
  return reload;
}

/** Puts the focus back on the element with the same key, or else on the heading. */
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

function failure(error: unknown, retry: Reload): Child {
  const again = h('button', { type: 'button', onclick: () => void retry() }, 'Try again');
  return h('div', { class: 'empty', role: 'alert' }, h('p', {}, messageOf(error)), again);
}

/** Shown if there is nothing yet: why, and what to do next. */
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
