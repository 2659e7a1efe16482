// The context of a view (user, API client, URL, element to draw into), and the parts that views share.
import { type ApiClient, pause } from '../service/api-client.ts';
import type { Role, ServiceEvent, User } from '../words/api-types.ts';
import type { BrowserSession } from '../service/browser-session.ts';
import { notify } from '../forms/dialogs.ts';
import type { Drafts } from './drafts.ts';
import { Drawing } from '../browser/drawing.ts';
import { type Attributes, button, type Child, fill, h, icon, icons } from '../browser/elements.ts';
import { messageOf } from '../forms/forms.ts';
import type { LiveEvents } from '../service/live-events.ts';
import type { Scans } from './scans.ts';
import type { OrderSteps } from './order-steps.ts';
import { isTemporary, Rejection, retryPause } from '../service/request-errors.ts';
import { t } from '../words/texts.ts';

export type App = {
  readonly client: ApiClient;
  readonly session: BrowserSession;
  readonly live: LiveEvents;
  readonly steps: OrderSteps;
  readonly drafts: Drafts;
  readonly scans: Scans;
  readonly user: User;
  /** The pages that the service’s document has made. */
  readonly documentPages: readonly DocumentPages[];
};

/** The pages of a kind of objects that the console knows from the service’s document alone. */
export type DocumentPages = {
  /** In the URL and in the API. */
  readonly name: string;
  readonly title: string;
  readonly list: View;
  readonly one: View;
};

export type Page = App & {
  readonly main: HTMLElement;
  /** In the URL: `orders/7`. */
  readonly path: string;
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

const staffRoles: Readonly<Record<Role, boolean>> = { user: false, staff: true, admin: true };

export function isStaff({ user }: { readonly user: Pick<User, 'role'> }): boolean {
  return staffRoles[user.role];
}

/** Gives the document this title, and returns the heading that shows it: both name the page. */
export function setPageTitle(title: string, ...tools: readonly Child[]): HTMLElement {
  document.title = `${title} · orderly`;
  return h('header.heading', h('h1', { tabindex: -1 }, h('bdi', title)), h('div.tools', tools));
}

/** What others have done since the user asked last. */
export type News<T> = {
  readonly shown: T;
  /** The objects that events were about: `/orders/7`. */
  readonly subjects: ReadonlySet<string>;
};

type Content<T> = {
  /**
   * The page’s signal is aborted when another load replaces this one. `show` shows what has come before the
   * rest. With `news` it was not the user who asked: what is shown keeps its place.
   */
  readonly load: (page: Page, show: (value: T) => void, news?: News<T>) => Promise<T>;
  readonly draw: (value: T, reload: Reload) => Child;
  /** Returns whether to load again after this event. Without it only an action of the user does. */
  readonly concerns?: (event: ServiceEvent) => boolean;
  /** How often what leaves no event is loaded again. */
  readonly everyMilliseconds?: number | undefined;
};

/**
 * Loads a value and draws it into the element, now, after events that concern it, and when the returned function is
 * called, which replaces a load that has begun before. There is one load at a time; what events ask for meanwhile is one
 * more after it. The old content stays until then, even if the service can’t be reached (which the banner says) or
 * rejects the load for a while.
 */
export function reloadable<T>(page: Page, element: HTMLElement, content: Content<T>): Reload {
  const { steps, live, signal: ending } = page;
  const { load, draw, concerns, everyMilliseconds } = content;
  const drawing = new Drawing(element);
  let latest = new AbortController();
  let isRunning = false;
  /** Whether the running load may have been too early to see a change. */
  let isStale = false;
  let shown: { readonly value: T } | undefined;
  /** Whether the user has asked for what is loaded next. */
  let isAsked = false;
  /** What events were about since the user asked last. */
  let subjects = new Set<string>();

  function hear(about: readonly string[]): void {
    for (const subject of about) subjects.add(subject);
    if (isRunning) isStale = true;
    else void restart();
  }

  /** Loads what the user has asked for: it is shown as it is. */
  function reload(): Promise<void> {
    isAsked = true;
    subjects = new Set();
    element.setAttribute('data-asked', '');
    return restart();
  }

  async function restart(): Promise<void> {
    if (ending.aborted) return;
    latest.abort(new Error('overtaken'));
    latest = new AbortController();
    const { signal } = latest;
    isRunning = true;
    isStale = false;
    element.setAttribute('aria-busy', 'true');
    const show = (value: T): void => {
      if (signal.aborted) return;
      isAsked = false;
      shown = { value };
      redraw();
    };
    const news = isAsked || shown === undefined ? undefined : { shown: shown.value, subjects };
    await load({ ...page, signal }, show, news)
      .then(show)
      .catch((error: unknown) => fail(error, signal));
    if (signal.aborted) return;
    isRunning = false;
    if (isStale) return restart();
    for (const name of ['aria-busy', 'data-asked']) element.removeAttribute(name);
  }

  function redraw(): void {
    if (shown !== undefined) drawing.show(draw(shown.value, reload));
  }

  function fail(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    if (page.id > 0 && error instanceof Rejection && error.status === 404)
      showMessage(page.main, t('Not found'), error.message);
    else if (shown === undefined || !isTemporary(error)) {
      shown = undefined;
      drawing.show(failure(error, reload));
    } else if (error instanceof Rejection) {
      notify(t('This page may be out of date. {message}', { message: error.message }));
      const waiting = pause(retryPause(error, retryMilliseconds), signal);
      void waiting.then(restart).catch(() => undefined);
    }
  }

  ending.addEventListener('abort', () => latest.abort(ending.reason));
  if (everyMilliseconds !== undefined) {
    const timer = setInterval(() => !document.hidden && hear([]), everyMilliseconds);
    ending.addEventListener('abort', () => clearInterval(timer));
  }
  if (concerns !== undefined) {
    steps.addEventListener('change', redraw, { signal: ending });
    const follow = (): void => {
      redraw();
      hear(steps.subjects);
    };
    steps.addEventListener('stale', follow, { signal: ending });
    live.watch(ending, (events) => {
      if (events.length === 0 || events.some(concerns)) hear(events.map(({ subject }) => subject));
    });
  }
  void restart();
  return reload;
}

const retryMilliseconds = 5_000;

/** Shows why there is no such page, or none for this user, instead of it. */
export function showMessage(main: HTMLElement, title: string, text: string): void {
  const start = h('a', { href: '#/' }, t('Go to the start'));
  fill(main, setPageTitle(title), h('p', text, ' ', start));
}

/** Shows the error, and a button that calls `retry`. */
export function failure(error: unknown, retry: Reload): Child {
  const again = button(t('Try again'), () => void retry());
  return h('div.empty', { role: 'alert' }, h('p', messageOf(error)), again);
}

/** Explains why nothing is shown, and what to do next. */
export function emptyState(title: string, text: string, next?: Child): HTMLElement {
  return h('div.empty', h('h2', title), h('p', text), next);
}

export function skeleton(rows: number): HTMLElement {
  const bars = Array.from({ length: rows }, () => h('div.slab'));
  return h('div.skeleton', { 'aria-hidden': 'true' }, bars);
}

export function printButton(label: string, attributes: Attributes = {}): HTMLElement {
  return button([icon(icons.print), label], () => window.print(), attributes);
}

/** The URL of the page with another value of a parameter; without one if it is empty. Lists begin anew. */
export function urlWith({ path, parameters }: Page, name: string, value: string): string {
  return `#/${path}?${changeParameter(new URLSearchParams(parameters), name, value)}`;
}

/** Changes the URL without an entry in the history. */
export function setParameter(page: Page, name: string, value: string): void {
  history.replaceState(history.state, '', urlWith(page, name, value));
  changeParameter(page.parameters, name, value);
}

function changeParameter(parameters: URLSearchParams, name: string, value: string): URLSearchParams {
  parameters.delete('cursor');
  if (value === '') parameters.delete(name);
  else parameters.set(name, value);
  return parameters;
}

/** Navigates to another view of the console. */
export function goTo(path: string): void {
  location.hash = path;
}
