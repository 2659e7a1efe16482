// The entry point: who is signed in, the frame around the views, and which view the address names.
import { accountView } from './account-view.ts';
import { ApiClient, pause, Rejection } from './api-client.ts';
import type { User } from './api-types.ts';
import { BrowserSession } from './browser-session.ts';
import { type App, isStaff, type View } from './console-app.ts';
import { customersView, customerView, newCustomerView } from './customers-view.ts';
import { dayView } from './day-view.ts';
import { notify } from './dialogs.ts';
import { fill, h, icon, icons } from './elements.ts';
import { healthView } from './health-view.ts';
import { LiveEvents } from './live-events.ts';
import { newOrderView } from './new-order-view.ts';
import { orderView } from './order-view.ts';
import { ordersView } from './orders-view.ts';
import { peopleView, personView } from './people-view.ts';
import { confirmIdentity, signInView } from './sign-in-view.ts';
import { todayView } from './today-view.ts';
import { webhooksView } from './webhooks-view.ts';

type NavigationItem = {
  readonly title: string;
  readonly icon: keyof typeof icons;
  readonly roles: readonly User['role'][];
  readonly isPrimary: boolean;
};
const staff = ['staff', 'admin'] as const;
const everyone = ['user', 'staff', 'admin'] as const;
const navigationItems: Readonly<Record<string, NavigationItem>> = {
  today: { title: 'Today', icon: 'today', roles: staff, isPrimary: true },
  orders: { title: 'Orders', icon: 'orders', roles: everyone, isPrimary: true },
  new: { title: 'New order', icon: 'add', roles: everyone, isPrimary: true },
  customers: { title: 'Customers', icon: 'customers', roles: everyone, isPrimary: true },
  people: { title: 'People', icon: 'people', roles: ['admin'], isPrimary: false },
  webhooks: { title: 'Webhooks', icon: 'webhooks', roles: ['admin'], isPrimary: false },
  health: { title: 'Health', icon: 'health', roles: ['admin'], isPrimary: false },
  account: { title: 'My account', icon: 'people', roles: everyone, isPrimary: false },
};
const views: Readonly<Record<string, View>> = {
  today: todayView,
  day: dayView,
  orders: ordersView,
  'orders/': orderView,
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
    state.user = user;
    runFrame({ client, session, live, user }, element, signal);
    void live.start();
  }
  session.addEventListener('user', () => void run(container));
  await run(container);
}

/** Retries as long as the service can't be reached. */
async function retryUntilReached<T>(request: () => Promise<T>, container: HTMLElement): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      const isFinal = error instanceof Rejection && error.status < 429;
      if (isFinal) throw error;
      fill(
        container,
        h('p', { class: 'start', role: 'status' }, 'The service can’t be reached. Trying again …'),
      );
      await pause(1_500);
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
    fill(bar, navigation(app, name === 'day' ? 'today' : (name.split('/', 1)[0] ?? '')));
    const view = (Object.hasOwn(views, name) ? views[name] : undefined) ?? missingView;
    view({ ...app, main, id, parameters, signal: state.ending.signal });
    if (isSamePage)
      [...main.querySelectorAll('a')].find((link) => link.getAttribute('href') === key)?.focus();
    else if (state.path !== '') focusHeading(main);
    state.path = path;
  }
  signal.addEventListener('abort', () => state.ending.abort(new Error('signed out')));
  window.addEventListener('hashchange', draw, { signal });
  app.client.addEventListener('unreachable', () => fill(banner, awayNotice()), { signal });
  app.client.addEventListener(
    'reachable',
    () => {
      fill(banner);
      app.live.catchUp();
    },
    { signal },
  );
  draw();
}

function awayNotice(): HTMLElement {
  return h(
    'p',
    { class: 'banner' },
    'The service can’t be reached. What you see may be old; it is read again as soon as the service is back.',
  );
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

/** `#/orders/7?x=y` is the view `orders/` with id 7; an empty path is the user's first view. */
function routeOf(hash: string, app: App): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const first = isStaff(app) ? 'today' : 'orders';
  const known = path === '' ? first : path;
  const [, name = '', id = ''] = /^(\w+\/)([1-9]\d{0,15})$/.exec(known) ?? [];
  const parameters = new URLSearchParams(search);
  return { path: known, name: id === '' ? known : name, id: Number(id), parameters };
}

function navigation({ user, session }: App, current: string): HTMLElement[] {
  const link = ([name, { title, icon: drawing, isPrimary }]: [string, NavigationItem]): HTMLElement =>
    h(
      'a',
      {
        href: `#/${name}`,
        'aria-current': name === current && 'page',
        class: isPrimary ? 'primary-item' : 'other-item',
      },
      icon(icons[drawing]),
      h('span', {}, title),
    );
  const allowed = Object.entries(navigationItems).filter(([, { roles }]) => roles.includes(user.role));
  const more = h(
    'a',
    {
      href: '#/more',
      class: 'more-item',
      'aria-current': navigationItems[current]?.isPrimary !== true && 'page',
    },
    icon(icons.more),
    h('span', {}, 'More'),
  );
  const out = h('button', { type: 'button', class: 'quiet', onclick: () => signOut(session) }, 'Sign out');
  return [
    h('a', { class: 'brand', href: '#/' }, h('span', { class: 'mark', 'aria-hidden': 'true' }), 'orderly'),
    ...allowed.map(link),
    more,
    h(
      'div',
      { class: 'account' },
      h('span', { class: 'clip' }, user.name),
      h('span', { class: 'soft' }, user.role),
      out,
    ),
  ];
}

function signOut(session: BrowserSession): void {
  session
    .signOut()
    .catch(() => notify('You are still signed in: the service can’t be reached. Try again in a moment.'));
}

/** On a phone: the views that have no room in the navigation bar. */
function moreView(page: App & { readonly main: HTMLElement }): void {
  document.title = 'More · orderly';
  const others = Object.entries(navigationItems).filter(
    ([, { roles, isPrimary }]) => !isPrimary && roles.includes(page.user.role),
  );
  const links = others.map(([name, { title, icon: drawing }]) =>
    h('a', { href: `#/${name}` }, icon(icons[drawing]), title),
  );
  const out = h(
    'button',
    { type: 'button', onclick: () => signOut(page.session) },
    `Sign out ${page.user.name}`,
  );
  fill(
    page.main,
    h('h1', { tabindex: -1 }, 'More'),
    h('div', { class: 'more' }, links, h('a', { href: '/docs' }, icon(icons.orders), 'API documentation')),
    out,
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
