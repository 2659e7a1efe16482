// The entry point: who is signed in, the frame around the views, and which view the address names.
import { accountView } from './account-view.ts';
import { ApiClient, pause, Rejection } from './api-client.ts';
import type { User } from './api-types.ts';
import { BrowserSession } from './browser-session.ts';
import { changeOrderView } from './change-order-view.ts';
import { type App, isStaff, type View } from './view.ts';
import { customersView, customerView, newCustomerView } from './customers-view.ts';
import { dayView } from './day-view.ts';
import { notify } from './dialogs.ts';
import { type Child, fill, h } from './elements.ts';
import { messageOf } from './forms.ts';
import { healthView } from './health-view.ts';
import { LiveEvents } from './live-events.ts';
import { isAllowed, moreView, navigation } from './navigation.ts';
import { newOrderView } from './new-order-view.ts';
import { orderView } from './order-view.ts';
import { ordersView } from './orders-view.ts';
import { peopleView, personView } from './people-view.ts';
import { confirmIdentity, signInView } from './sign-in-view.ts';
import { todayView } from './today-view.ts';
import { webhooksView } from './webhooks-view.ts';

const views: Readonly<Record<string, View>> = {
  today: todayView,
  day: dayView,
  orders: ordersView,
  'orders/': orderView,
  'orders//change': changeOrderView,
  new: newOrderView,
  customers: customersView,
  'customers/': customerView,
  'customers/new': newCustomerView,
  people: peopleView,
  'people/': personView,
  webhooks: webhooksView,
  health: healthView,
  account: accountView,
  more: moreView,
};

void start();

async function start(): Promise<void> {
  const container = document.getElementById('page');
  if (container === null) return;
  const session = new BrowserSession();
  const state: { user?: User } = {};
  const client = new ApiClient(session, () => confirmIdentity(session, state.user?.email ?? ''));
  const live = new LiveEvents(client);
  const shown = { ending: new AbortController() };
  async function run(element: HTMLElement): Promise<void> {
    shown.ending.abort();
    shown.ending = new AbortController();
    const { signal } = shown.ending;
    live.stop();
    for (const dialog of document.querySelectorAll('dialog')) dialog.close();
    const isSignedIn =
      session.userId !== undefined || (await retryUntilReached(() => session.resume(), element));
    if (!isSignedIn && !signal.aborted) await signInView(element, session);
    const user = await retryUntilReached(() => client.get<User>(`/api/users/${session.userId}`), element);
    if (signal.aborted) return; // somebody else has signed in meanwhile, in another tab
    const before = state.user;
    const isOther = before !== undefined && before.id !== user.id;
    if (isOther) history.replaceState(null, '', '#/'); // not the page of the user before
    state.user = user;
    runFrame({ client, session, live, user }, element, signal);
    if (before?.id === user.id && before.role !== user.role) notify(`Your role is ${user.role} now.`);
    void live.start();
  }
  session.addEventListener('user', () => void run(container));
  const checkAccount = accountCheck(client, state, () => void run(container));
  live.addEventListener('ended', checkAccount);
  client.addEventListener('forbidden', checkAccount);
  await run(container);
}

/** Loads the own account again: its role may have changed while the console is open. */
function accountCheck(client: ApiClient, state: { readonly user?: User }, onChange: () => void): () => void {
  const check = { isRunning: false };
  async function run(): Promise<void> {
    const { user } = state;
    if (user === undefined || check.isRunning) return;
    check.isRunning = true;
    const now = await client.get<User>(`/api/users/${user.id}`).catch(() => undefined);
    check.isRunning = false;
    if (now === undefined || state.user !== user) return;
    if (JSON.stringify(now) !== JSON.stringify(user)) onChange();
  }
  return () => void run();
}

/** Retries as long as the service can't be reached. */
async function retryUntilReached<T>(request: () => Promise<T>, container: HTMLElement): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      const { status = 503, retryAfterSeconds = 0 } = error instanceof Rejection ? error : {};
      if (status < 429) throw error;
      const text = status === 429 ? messageOf(error) : 'The service can’t be reached. Trying again …';
      fill(container, h('p', { class: 'start', role: 'status' }, text));
      await pause(Math.max(1_500, retryAfterSeconds * 1_000));
    }
  }
}

function runFrame(app: App, container: HTMLElement, signal: AbortSignal): void {
  const main = h('main', { id: 'main' });
  const banner = h('div', { id: 'banner', role: 'status' });
  const bar = h('nav', { class: 'side', 'aria-label': 'Console' });
  const skip = h('a', { class: 'skip', href: '#main' }, 'Skip to the content');
  skip.addEventListener('click', (event) => {
    event.preventDefault();
    focusHeading(main);
  });
  fill(
    container,
    skip,
    h('div', { class: 'frame' }, bar, h('div', { class: 'body' }, banner, main)),
    h('div', { id: 'notices', role: 'status', 'aria-live': 'polite' }),
  );
  const state = { ending: new AbortController(), path: '' };
  function draw(): void {
    const { path, name, id, parameters } = routeOf(location.hash, app);
    const isSamePage = path === state.path;
    const key = document.activeElement?.getAttribute('href');
    state.ending.abort(new Error('left'));
    state.ending = new AbortController();
    const item = name === 'day' ? 'today' : (name.split('/', 1)[0] ?? '');
    fill(bar, navigation(app, item));
    const known = (Object.hasOwn(views, name) ? views[name] : undefined) ?? missingView;
    const view = isAllowed(item, app.user.role) ? known : forbiddenView;
    view({ ...app, main, id, parameters, signal: state.ending.signal });
    if (isSamePage)
      [...main.querySelectorAll('a')].find((link) => link.getAttribute('href') === key)?.focus();
    else if (state.path !== '') focusHeading(main);
    state.path = path;
  }
  signal.addEventListener('abort', () => state.ending.abort(new Error('signed out')));
  window.addEventListener('hashchange', draw, { signal });
  showConnection(app, banner, signal);
  draw();
}

/** Shows in the banner why the page may be out of date. */
function showConnection({ client, live }: App, banner: HTMLElement, signal: AbortSignal): void {
  const state = { isAway: false };
  function show(): void {
    const { delayReason } = live;
    fill(
      banner,
      state.isAway && notice('The service can’t be reached. ', awayText),
      !state.isAway && delayReason !== null && notice('Not live: ', `${lateText} ${delayReason}`),
    );
  }
  function change(isAway: boolean): void {
    state.isAway = isAway;
    show();
    if (!isAway) live.catchUp();
  }
  client.addEventListener('unreachable', () => change(true), { signal });
  client.addEventListener('reachable', () => change(false), { signal });
  live.addEventListener('delay', show, { signal });
}

const awayText = 'What you see may be old; it is read again as soon as the service is back.';
const lateText = 'changes by others are shown up to half a minute later.';

function notice(...content: readonly Child[]): HTMLElement {
  return h('p', { class: 'banner' }, content);
}

/** A view that has put the focus somewhere keeps it there. */
function focusHeading(main: HTMLElement): void {
  if (!main.contains(document.activeElement)) main.querySelector<HTMLElement>('h1')?.focus();
  window.scrollTo(0, 0);
}

type Route = {
  readonly path: string;
  readonly name: string;
  readonly id: number;
  readonly parameters: URLSearchParams;
};

/**
 * `#/orders/7?x=y` is the view `orders/` with id 7, `#/orders/7/change` the view `orders//change`; an empty
 * path is the user's first view.
 */
function routeOf(hash: string, app: App): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const first = isStaff(app) ? 'today' : 'orders';
  const known = path === '' ? first : path;
  const [, kind = '', id = '', part = ''] = /^(\w+\/)([1-9]\d{0,15})(\/\w+)?$/.exec(known) ?? [];
  const parameters = new URLSearchParams(search);
  return { path: known, name: id === '' ? known : `${kind}${part}`, id: Number(id), parameters };
}

/** The address is of a page that others may see. */
function forbiddenView({ main, user }: { readonly main: HTMLElement; readonly user: User }): void {
  document.title = 'Not allowed · orderly';
  const text = `This page is not for accounts with the role ${user.role}.`;
  fill(
    main,
    h('h1', { tabindex: -1 }, 'Not allowed'),
    h('p', {}, text, ' ', h('a', { href: '#/' }, 'Go to the start')),
  );
}

function missingView({ main }: { readonly main: HTMLElement }): void {
  document.title = 'Not found · orderly';
  const text = 'There is no such page.';
  fill(
    main,
    h('h1', { tabindex: -1 }, 'Not found'),
    h('p', {}, text, ' ', h('a', { href: '#/' }, 'Go to the start')),
  );
}
