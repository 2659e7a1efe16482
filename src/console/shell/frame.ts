// The frame around the views: the navigation bar, the banner, and the view that the URL names.
import { changeOrderView } from '../orders/change-order-view.ts';
import { customerView } from '../customers/customer-view.ts';
import { customersView, newCustomerView } from '../customers/customers-view.ts';
import { dayView } from '../orders/day-view.ts';
import { draftsOf } from '../page/drafts.ts';
import { keptViews } from './kept-input.ts';
import { isAllowed, moreView, navigationBar } from './navigation.ts';
import { newOrderView } from '../orders/new-order-view.ts';
import { Unreachable } from '../service/request-errors.ts';
import { keepsNothing } from '../service/browser-session.ts';
import { OrderSteps } from '../page/order-steps.ts';
import { orderView } from '../orders/order-view.ts';
import { ordersView } from '../orders/orders-view.ts';
import { watchScans } from './scan-places.ts';
import { scrollOnceLoaded, scrollPlaces } from './scroll-places.ts';
import { watchShortcuts } from './shortcuts.ts';
import { todayView } from '../orders/today-view.ts';
import type { Shop } from '../words/api-types.ts';
import { roleNames } from '../words/column-names.ts';
import { warn } from '../forms/dialogs.ts';
import { timeSpan } from '../words/formats.ts';
import {
  type App,
  failure,
  isStaff,
  type Page,
  setPageTitle,
  showMessage,
  skeleton,
  type View,
} from '../page/view.ts';
import { Drawing, keepFocus } from '../browser/drawing.ts';
import { fill, h } from '../browser/elements.ts';
import { isShopAsked, metaText, setShop } from '../words/page-meta.ts';
import { serviceClock } from '../words/service-clock.ts';
import { t } from '../words/texts.ts';

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
  more: moreView,
};

/** Draws another view once its file has been loaded, which takes a moment the first time. */
function officeView(name: string): View {
  return (page) => {
    const { main, signal } = page;
    fill(main, setPageTitle('…'), skeleton(6));
    import('./office-views.ts').then(
      ({ officeViews }) => {
        const view = Object.hasOwn(officeViews, name) ? officeViews[name] : undefined;
        if (!signal.aborted) keepFocus(main, () => (view ?? notFound)(page));
      },
      () => !signal.aborted && fill(main, setPageTitle(t('Not loaded')), failure(notLoaded, reload)),
    );
  };
}

function notFound({ main }: Page): void {
  showMessage(main, t('Not found'), t('There is no such page.'));
}

/** A service of another version may have another file. */
const notLoaded = new Error(t('This page can’t be loaded. Is the service away, or a new one?'));

async function reload(): Promise<void> {
  location.reload();
}

type Reader = Pick<App, 'client' | 'live' | 'session' | 'user'>;

/** Replaces the page, until the signal is aborted. */
export function showFrame(reader: Reader, container: HTMLElement, signal: AbortSignal): void {
  const steps = new OrderSteps(reader.client);
  const drafts = draftsOf(reader.user.id, signal);
  const scans = watchScans(reader.client, signal);
  let app: App = { ...reader, steps, drafts, scans, documentPages: [] };
  const main = h('main', { id: 'main' });
  const banner = h('div', { id: 'banner', role: 'status' });
  const bar = new Drawing(h('nav.side', { 'aria-label': t('Console') }));
  const frame = h('div.frame', h('div.edge', bar.element, banner), h('div.body', main));
  const onclick = (event: Event): void => {
    event.preventDefault();
    focusHeading(main);
  };
  const skip = h('a.skip', { href: '#main', onclick }, t('Skip to the content'));
  fill(container, skip, frame, h('div', { id: 'notices', role: 'status', 'aria-live': 'polite' }));
  let ending = new AbortController();
  let [currentPath, currentHash] = ['', ''];
  const kept = keptViews(main, frame, signal);
  const switchPage = scrollPlaces();

  function draw(): void {
    const { path, name, id, parameters } = routeOf(location.hash, app);
    const top = switchPage();
    if (location.hash === currentHash) ending.abort(new Error('drawn again'));
    else kept.leave(currentHash, ending);
    currentHash = location.hash;
    bar.show(navigationBar(app, itemOf(name)));
    const view = viewOf(name, app);
    const show = (): void => {
      const found = kept.restore(currentHash, draw);
      ending = found ?? new AbortController();
      if (found === undefined) view({ ...app, main, path, id, parameters, signal: ending.signal });
      else scans.deliver();
    };
    if (path === currentPath) return keepFocus(main, show);
    show();
    if (currentPath !== '') focusHeading(main);
    if (top > 0) scrollOnceLoaded(main, top, ending.signal);
    currentPath = path;
  }

  async function addDocumentPages(): Promise<void> {
    const { readDocumentPages } = await import('./office-views.ts');
    app = { ...app, documentPages: await readDocumentPages(app) };
    if (signal.aborted) return;
    const { name } = routeOf(location.hash, app);
    if (documentView(name, app) !== undefined) draw();
    else bar.show(navigationBar(app, itemOf(name)));
  }

  signal.addEventListener('abort', () => ending.abort(new Error('signed out')));
  window.addEventListener('hashchange', draw, { signal });
  showBanner(app, banner, signal);
  watchShop(app, signal);
  serviceClock.addEventListener('wrong', sayClockIsWrong, { signal });
  if (serviceClock.isWrong) sayClockIsWrong();
  if (!app.session.isKept) warn(keepsNothing);
  watchShortcuts(app, signal);
  if (/^(#\/?)?$/.test(location.hash)) history.replaceState(null, '', `#${firstQuestion(app)}`);
  if (metaText('resources') !== '') void addDocumentPages().catch(() => undefined); // the others are there
  draw();
}

/** What is asked before the first view: for one's own password, then, of an administrator, about the shop. */
function firstQuestion({ session, user }: App): string {
  if (session.passwordMadeBy !== null) return '/account?first';
  return user.role === 'admin' && isShopAsked() ? '/shop?first' : '/';
}

/** Reads the shop again when it has changed, or may have: events of the shop are for administrators. */
function watchShop({ client, live }: App, signal: AbortSignal): void {
  const read = async (): Promise<void> => {
    const shop = await client.get<Shop>('/shop', signal).catch(() => undefined);
    if (shop !== undefined && setShop(shop)) live.catchUp();
  };
  live.watch(signal, (events) => {
    if (events.length === 0 || events.some(({ type }) => type === 'shop.changed')) void read();
  });
  document.addEventListener('visibilitychange', () => !document.hidden && void read(), { signal });
}

function sayClockIsWrong(): void {
  const time = timeSpan(Math.abs(serviceClock.aheadMilliseconds));
  warn(
    t('The clock of this device is off by {time}: days are counted and shown by the service’s.', { time }),
  );
}

/** The item of the navigation bar for the view. */
function itemOf(name: string): string {
  const [first = ''] = name.split('/', 1);
  return { day: 'today', webhooks: 'system' }[first] ?? first;
}

function viewOf(name: string, app: App): View {
  const { role } = app.user;
  if (isAllowed(itemOf(name), role))
    return (Object.hasOwn(views, name) ? views[name] : documentView(name, app)) ?? officeView(name);
  const text = t('This page is not for accounts with the role {role}.', { role: roleNames[role] });
  return ({ main }) => showMessage(main, t('Not allowed'), text);
}

function documentView(name: string, { documentPages }: App): View | undefined {
  const [kind, part] = name.split('/', 2);
  const pages = documentPages.find((each) => each.name === kind);
  return part === undefined ? pages?.list : pages?.one;
}

/** Shows in the banner why the page may be out of date, and that the user has no password of their own yet. */
function showBanner({ client, live, session }: App, banner: HTMLElement, signal: AbortSignal): void {
  const show = (): void => {
    const { delayReason } = live;
    const late = delayReason !== null && [t('Not live: '), `${lateText} ${delayReason}`];
    const content = client.isReachable ? late : [t('The service can’t be reached. '), awayText];
    const { passwordMadeBy } = session;
    const password = passwordMadeBy !== null && passwordBanner(passwordMadeBy === 'service');
    fill(banner, content && h('p.banner', content), password);
  };
  const comeBack = (): void => {
    show();
    for (const each of document.querySelectorAll('.issue'))
      if (each.textContent === new Unreachable().message) fill(each);
    live.catchUp();
  };
  client.addEventListener('unreachable', show, { signal });
  client.addEventListener('reachable', comeBack, { signal });
  live.addEventListener('delay', show, { signal });
  session.addEventListener('password', show, { signal });
  show();
}

function passwordBanner(expires: boolean): HTMLElement {
  const text = expires ? t('Choose your own password within 7 days.') : t('Choose your own password.');
  return h('p.banner', h('a', { href: '#/account?first' }, text));
}

const awayText = t('This page may be out of date; it is updated as soon as the service is back.');
const lateText = t('changes by others are shown up to half a minute later.');

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
