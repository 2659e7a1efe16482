// The entry point: signs in, and shows the frame with the views, whose file is loaded meanwhile.
import { ApiClient, pause } from '../service/api-client.ts';
import type { User } from '../words/api-types.ts';
import { BrowserSession } from '../service/browser-session.ts';
import { isTemporary, Rejection, retryPause } from '../service/request-errors.ts';
import { failure } from '../page/view.ts';
import { roleNames } from '../words/column-names.ts';
import { notify } from '../forms/dialogs.ts';
import { fill, h } from '../browser/elements.ts';
import { messageOf } from '../forms/forms.ts';
import type { showFrame } from './frame.ts';
import { keepContent, type KeptContent } from './kept-input.ts';
import { language } from '../words/language.ts';
import { LiveEvents } from '../service/live-events.ts';
import { confirmIdentity, signInView } from './sign-in-view.ts';
import { t } from '../words/texts.ts';

type ShowFrame = typeof showFrame;

/** Shows the sign-in, or the frame and the views of the user who is signed in. */
function startConsole(container: HTMLElement): void {
  const session = new BrowserSession();
  const client = new ApiClient(session, () => confirmIdentity(session, user?.email ?? ''));
  const live = new LiveEvents(client);
  let user: User | undefined;
  /** Aborted when `run` is called again. */
  let running = new AbortController();
  /** Aborted when the page is replaced for good. */
  let ending = new AbortController();
  /** The page of a user whose session has expired: out of sight, with all that was entered, until they are back. */
  let kept: KeptContent | undefined;
  let isChecking = false;

  /** Replaces the page; called again whenever another user is signed in, or none. */
  async function run(): Promise<void> {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    live.stop();
    leave();
    const loadingFrame = import('./frame.ts');
    loadingFrame.catch(() => undefined); // it is awaited below
    try {
      await signIn(signal);
      const request = (): Promise<User> => client.get<User>(`/api/users/${session.userId}`);
      const [found, cursor] = await Promise.all([retryUntilReached(request, container), live.latest()]);
      const { showFrame } = await loadingFrame.catch(throwNotLoaded);
      if (signal.aborted) return; // another user has signed in meanwhile, in another tab
      void live.start(cursor);
      show(found, showFrame);
    } catch (error) {
      if (!signal.aborted) fill(container, failure(error, run));
    }
  }

  /** Ends the page, or keeps it if the same user may go on with it after signing in again. */
  function leave(): void {
    const { hasExpired, userId } = session;
    if (kept !== undefined && (hasExpired || userId !== undefined)) return;
    const isShown = document.getElementById('main') !== null;
    if (!hasExpired || !isShown) return end();
    kept = keepContent(container);
    fill(container);
  }

  function end(): void {
    kept = undefined;
    ending.abort();
    ending = new AbortController();
    for (const dialog of document.querySelectorAll('dialog')) dialog.close();
  }

  async function signIn(signal: AbortSignal): Promise<void> {
    const isSignedIn =
      session.userId !== undefined || (await retryUntilReached(() => session.resume(), container));
    const email = kept === undefined ? undefined : user?.email;
    if (!isSignedIn && !signal.aborted) await signInView(container, session, email);
  }

  function show(now: User, showFrame: ShowFrame): void {
    const before = user;
    if (kept !== undefined && isSameUser(now, before)) return goOn(kept);
    if (kept !== undefined) end();
    const isOther = before !== undefined && before.id !== now.id;
    if (isOther) history.replaceState(null, '', '#/'); // the URL names a page of the user before
    user = now;
    showFrame({ client, live, session, user }, container, ending.signal);
    if (before?.id === now.id && before.role !== now.role)
      notify(t('Your role is {role} now.', { role: roleNames[now.role] }));
  }

  function goOn(content: KeptContent): void {
    kept = undefined;
    content.show();
    live.catchUp();
  }

  /** Loads the user's account again: its role may have changed while the console is open. */
  async function checkAccount(): Promise<void> {
    const before = user;
    if (before === undefined || isChecking) return;
    isChecking = true;
    const now = await client.get<User>(`/api/users/${before.id}`).catch(() => undefined);
    isChecking = false;
    if (now !== undefined && user === before && !isSameUser(now, before)) void run();
  }

  session.addEventListener('user', () => void run());
  live.addEventListener('ended', () => void checkAccount());
  client.addEventListener('forbidden', () => void checkAccount());
  void run();
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
if (container !== null) startConsole(container);
