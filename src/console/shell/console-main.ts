// The entry point: signs in, and shows the frame with the views, whose file is loaded meanwhile.
import { ApiClient, pause } from '../parts/api-client.ts';
import type { User } from '../parts/api-types.ts';
import { BrowserSession } from '../parts/browser-session.ts';
import { isTemporary, Rejection, retryPause } from '../parts/request-errors.ts';
import { failure } from '../parts/view.ts';
import { roleNames } from '../parts/column-names.ts';
import { notify } from '../parts/dialogs.ts';
import { fill, h } from '../parts/elements.ts';
import { messageOf } from '../parts/forms.ts';
import type { showFrame } from './frame.ts';
import { KeptContent } from './kept-input.ts';
import { language } from '../parts/language.ts';
import { LiveEvents } from '../parts/live-events.ts';
import { confirmIdentity, signInView } from './sign-in-view.ts';
import { t } from '../parts/texts.ts';

type ShowFrame = typeof showFrame;

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
  /** The page of a user whose session has expired: out of sight, with all that was entered, until they are back. */
  #kept: KeptContent | undefined;
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
    const loadingFrame = import('./frame.ts');
    loadingFrame.catch(() => undefined); // it is awaited below
    try {
      await this.#signIn(signal);
      const request = (): Promise<User> => this.#client.get<User>(`/api/users/${this.#session.userId}`);
      const loading = retryUntilReached(request, this.#container);
      const [user, cursor] = await Promise.all([loading, this.#live.latest()]);
      const { showFrame } = await loadingFrame.catch(throwNotLoaded);
      if (signal.aborted) return; // another user has signed in meanwhile, in another tab
      void this.#live.start(cursor);
      this.#show(user, showFrame);
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
    if (!hasExpired || !isShown) return this.#end();
    this.#kept = new KeptContent(this.#container);
    fill(this.#container);
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

  #show(user: User, showFrame: ShowFrame): void {
    if (this.#kept !== undefined && isSameUser(user, this.#user)) return this.#goOn(this.#kept);
    if (this.#kept !== undefined) this.#end();
    const before = this.#user;
    const isOther = before !== undefined && before.id !== user.id;
    if (isOther) history.replaceState(null, '', '#/'); // the URL names a page of the user before
    this.#user = user;
    const { signal } = this.#ending;
    showFrame(
      { client: this.#client, live: this.#live, session: this.#session, user },
      this.#container,
      signal,
    );
    if (before?.id === user.id && before.role !== user.role)
      notify(t('Your role is {role} now.', { role: roleNames[user.role] }));
  }

  #goOn(kept: KeptContent): void {
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
    if (!isSameUser(now, user)) void this.run();
  }
}

/** A user with another role or another name sees another page. */
function isSameUser(user: User, before: User | undefined): boolean {
  return JSON.stringify(user) === JSON.stringify(before);
}

/** A service of another version may have other files. */
function throwNotLoaded(): never {
  throw new Error(t('This page can’t be loaded. Is the service away, or a new one? Reload it in a moment.'));
}

const reachMilliseconds = 1_500;

/** Retries while the service can't be reached, or rejects requests for a while. */
async function retryUntilReached<T>(request: () => Promise<T>, container: HTMLElement): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!isTemporary(error)) throw error;
      const isLimited = error instanceof Rejection && error.status === 429;
      const text = isLimited ? messageOf(error) : t('The service can’t be reached. Trying again …');
      fill(container, h('p.start', { role: 'status' }, text));
      await pause(retryPause(error, reachMilliseconds));
    }
  }
}

/** A key that is held presses one button, not also the next one, which has got the focus meanwhile. */
function ignoreRepeatedEnter(event: KeyboardEvent): void {
  if (event.repeat && event.key === 'Enter' && event.target instanceof HTMLButtonElement)
    event.preventDefault();
}

document.documentElement.lang = language;
document.addEventListener('keydown', ignoreRepeatedEnter);
const container = document.getElementById('page');
if (container !== null) void new Console(container).run();
