// The entry point: signs in, draws the frame around the views, and finds the view that the URL names.
import { ApiClient, pause } from './api-client.ts';
import type { User } from './api-types.ts';
import { BrowserSession } from './browser-session.ts';
import { changeOrderView } from './change-order-view.ts';
import { isTemporary, Rejection } from './request-errors.ts';
import type { officeViews } from './office-views.ts';
import { type App, failure, isStaff, setPageTitle, skeleton, type View } from './view.ts';
import { customersView, customerView, newCustomerView } from './customers-view.ts';
import { dayView } from './day-view.ts';
import { notify } from './dialogs.ts';
import { Drafts } from './drafts.ts';
import { Drawing, keepFocus } from './drawing.ts';
import { type Child, fill, h } from './elements.ts';
import { messageOf } from './forms.ts';
import { Histories } from './histories.ts';
import { KeptPage } from './kept-page.ts';
import { LiveEvents } from './live-events.ts';
import { isAllowed, moreView, navigation } from './navigation.ts';
import { newOrderView } from './new-order-view.ts';
import { OrderSteps } from './order-steps.ts';
import { orderView } from './order-view.ts';
import { ordersView } from './orders-view.ts';
import { ScrollPlaces, scrollOnceLoaded } from './scroll-places.ts';
import { watchShortcuts } from './shortcuts.ts';
import { confirmIdentity, signInView } from './sign-in-view.ts';
import { todayView } from './today-view.ts';
import { UnsentForms } from './unsent-forms.ts';

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
  'customers/import': officeView('customers/import'),
  products: officeView('products'),
  'products/import': officeView('products/import'),
  people: officeView('people'),
  'people/': officeView('people/'),
  webhooks: officeView('webhooks'),
  health: officeView('health'),
  account: officeView('account'),
  more: moreView,
};

/** Draws the view once its file has been loaded, which takes a moment the first time. */
function officeView(name: keyof typeof officeViews): View {
  return (page) => {
    const { main, signal } = page;
    fill(main, setPageTitle('…'), skeleton(6));
    import('./office-views.ts').then(
      ({ officeViews }) => !signal.aborted && keepFocus(main, () => officeViews[name](page)),
      () => !signal.aborted && fill(main, setPageTitle('Not loaded'), failure(notLoaded, reload)),
    );
  };
}

/** A service of another version may have another file. */
const notLoaded = new Error('This page can’t be loaded. Is the service away, or a new one?');

async function reload(): Promise<void> {
  location.reload();
}

/** Shows the sign-in, or the frame and the views of the user who is signed in. */
class Console {
  readonly #container: HTMLElement;
  readonly #session = new BrowserSession();
  readonly #client: ApiClient;
  readonly #live: LiveEvents;
  #user: User | undefined;
  /** Aborted when `run` is called again. */
  #running = new AbortController();
  /** Aborted when the page is replaced for good. */
  #ending = new AbortController();
  #kept: KeptPage | undefined;
  #isChecking = false;

  constructor(container: HTMLElement) {
    this.#container = container;
    this.#client = new ApiClient(this.#session, () =>
      confirmIdentity(this.#session, this.#user?.email ?? ''),
    );
    this.#live = new LiveEvents(this.#client);
    this.#session.addEventListener('user', () => void this.run());
    this.#live.addEventListener('ended', () => void this.#checkAccount());
    this.#client.addEventListener('forbidden', () => void this.#checkAccount());
  }

  /** Replaces the page; called again whenever another user is signed in, or none. */
  async run(): Promise<void> {
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.#live.stop();
    this.#leave();
    try {
      await this.#signIn(signal);
      const request = (): Promise<User> => this.#client.get<User>(`/api/users/${this.#session.userId}`);
      const loading = retryUntilReached(request, this.#container);
      const [user, cursor] = await Promise.all([loading, this.#live.latest()]);
      if (signal.aborted) return; // another user has signed in meanwhile, in another tab
      void this.#live.start(cursor);
      this.#show(user);
    } catch (error) {
      if (!signal.aborted)
        fill(
          this.#container,
          failure(error, () => this.run()),
        );
    }
  }

  /** Ends the page, or keeps it if the same user may go on with it after signing in again. */
  #leave(): void {
    const { hasExpired, userId } = this.#session;
    if (this.#kept !== undefined && (hasExpired || userId !== undefined)) return;
    const isShown = document.getElementById('main') !== null;
    if (hasExpired && isShown && this.#user !== undefined)
      this.#kept = new KeptPage(this.#user, this.#container);
    else this.#end();
  }

  #end(): void {
    this.#kept = undefined;
    this.#ending.abort();
    this.#ending = new AbortController();
    for (const dialog of document.querySelectorAll('dialog')) dialog.close();
  }

  async #signIn(signal: AbortSignal): Promise<void> {
    const isSignedIn =
      this.#session.userId !== undefined ||
      (await retryUntilReached(() => this.#session.resume(), this.#container));
    const email = this.#kept === undefined ? undefined : this.#user?.email;
    if (!isSignedIn && !signal.aborted) await signInView(this.#container, this.#session, email);
  }

  #show(user: User): void {
    if (this.#kept?.isOf(user) === true) return this.#goOn(this.#kept);
    if (this.#kept !== undefined) this.#end();
    const { signal } = this.#ending;
    const before = this.#user;
    const isOther = before !== undefined && before.id !== user.id;
    if (isOther) history.replaceState(null, '', '#/'); // the URL names a page of the user before
    this.#user = user;
    const reader = { client: this.#client, live: this.#live, user };
    const histories = new Histories(reader, signal);
    const steps = new OrderSteps(this.#client, this.#live, signal);
    const drafts = new Drafts(user.id, signal);
    const app = { ...reader, session: this.#session, histories, steps, drafts };
    runFrame(app, this.#container, signal);
    if (before?.id === user.id && before.role !== user.role) notify(`Your role is ${user.role} now.`);
  }

  #goOn(kept: KeptPage): void {
    this.#kept = undefined;
    kept.show();
    this.#live.catchUp();
  }

  /** Loads the user's account again: its role may have changed while the console is open. */
  async #checkAccount(): Promise<void> {
    const user = this.#user;
    if (user === undefined || this.#isChecking) return;
    this.#isChecking = true;
    const now = await this.#client.get<User>(`/api/users/${user.id}`).catch(() => undefined);
    this.#isChecking = false;
    if (now === undefined || this.#user !== user) return;
    if (JSON.stringify(now) !== JSON.stringify(user)) void this.run();
  }
}

/** Retries while the service can't be reached, or rejects requests for a while. */
async function retryUntilReached<T>(request: () => Promise<T>, container: HTMLElement): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!isTemporary(error)) throw error;
      const { status, retryAfterSeconds = 0 } = error instanceof Rejection ? error : {};
      const text = status === 429 ? messageOf(error) : 'The service can’t be reached. Trying again …';
      fill(container, h('p', { class: 'start', role: 'status' }, text));
      await pause(Math.max(1_500, retryAfterSeconds * 1_000));
    }
  }
}

function runFrame(app: App, container: HTMLElement, signal: AbortSignal): void {
  const main = h('main', { id: 'main' });
  const banner = h('div', { id: 'banner', role: 'status' });
  const bar = new Drawing(h('nav', { class: 'side', 'aria-label': 'Console' }));
  const frame = h('div', { class: 'frame' }, bar.element, h('div', { class: 'body' }, banner, main));
  const skip = h('a', { class: 'skip', href: '#main' }, 'Skip to the content');
  skip.addEventListener('click', (event) => {
    event.preventDefault();
    focusHeading(main);
  });
  fill(container, skip, frame, h('div', { id: 'notices', role: 'status', 'aria-live': 'polite' }));
  let ending = new AbortController();
  let [currentPath, currentHash] = ['', ''];
  const forms = new UnsentForms(main, frame, signal);
  const places = new ScrollPlaces();
  function draw(): void {
    const { path, name, id, parameters } = routeOf(location.hash, app);
    const top = places.turn();
    if (location.hash !== currentHash) forms.keep(currentHash);
    currentHash = location.hash;
    ending.abort(new Error('left'));
    ending = new AbortController();
    const item = name === 'day' ? 'today' : (name.split('/', 1)[0] ?? '');
    bar.show(navigation(app, item));
    const known = Object.hasOwn(views, name) ? views[name] : undefined;
    const { role } = app.user;
    const view = isAllowed(item, role)
      ? (known ?? messageView('Not found', 'There is no such page.'))
      : messageView('Not allowed', `This page is not for accounts with the role ${role}.`);
    const show = (): void => {
      if (!forms.restore(currentHash)) view({ ...app, main, id, parameters, signal: ending.signal });
    };
    if (path === currentPath) return keepFocus(main, show);
    show();
    if (currentPath !== '') focusHeading(main);
    if (top > 0) scrollOnceLoaded(main, top, ending.signal);
    currentPath = path;
  }
  signal.addEventListener('abort', () => ending.abort(new Error('signed out')));
  window.addEventListener('hashchange', draw, { signal });
  showConnection(app, banner, signal);
  watchShortcuts(app, signal);
  draw();
}

/** Shows in the banner the reason why the page may be out of date. */
function showConnection({ client, live }: App, banner: HTMLElement, signal: AbortSignal): void {
  let isAway = false;
  function show(): void {
    const { delayReason } = live;
    fill(
      banner,
      isAway && notice('The service can’t be reached. ', awayText),
      !isAway && delayReason !== null && notice('Not live: ', `${lateText} ${delayReason}`),
    );
  }
  function leave(): void {
    isAway = true;
    show();
  }
  function comeBack(): void {
    isAway = false;
    show();
    live.catchUp();
  }
  client.addEventListener('unreachable', leave, { signal });
  client.addEventListener('reachable', comeBack, { signal });
  live.addEventListener('delay', show, { signal });
}

const awayText = 'This page may be out of date; it is updated as soon as the service is back.';
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

/** Shown instead of a page that does not exist, or is not for this role. */
function messageView(title: string, text: string): View {
  const start = h('a', { href: '#/' }, 'Go to the start');
  return ({ main }) => fill(main, setPageTitle(title), h('p', {}, text, ' ', start));
}

/** A key that is held presses one button, not also the next one, which has got the focus meanwhile. */
function ignoreRepeatedEnter(event: KeyboardEvent): void {
  if (event.repeat && event.key === 'Enter' && event.target instanceof HTMLButtonElement)
    event.preventDefault();
}

document.addEventListener('keydown', ignoreRepeatedEnter);
const container = document.getElementById('page');
if (container !== null) void new Console(container).run();
