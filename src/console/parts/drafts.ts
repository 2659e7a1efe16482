// New orders that are not placed yet: kept on this device for their user, so that they survive a reload and a
// crash. A draft ends when it is placed or given up, when its user signs out, or after 30 days. Each form has a
// draft of its own, which it locks, so a second tab never shows or overwrites the draft of the first.
import type { Entered } from './forms.ts';

type Kept = {
  readonly entered: Entered;
  /** The parameters of the URL that the form began with. */
  readonly from: string;
  readonly savedAt: number;
  /** Whether it was sent and no answer has arrived: the order may exist. */
  readonly isSent: boolean;
};

const prefix = 'orderly-draft';
const daysMax = 30;
const draftsMax = 10;
const uuidLength = 36;

/** The drafts of one user. The tab holds its locks until the signal is aborted: the user is gone then. */
export class Drafts {
  readonly #prefix: string;
  readonly #signal: AbortSignal;
  readonly #gone: Promise<unknown>;
  /** Whether the user has asked for an empty form. */
  #isFresh = false;

  constructor(userId: number, signal: AbortSignal) {
    this.#prefix = `${prefix}-${userId}-`;
    this.#signal = signal;
    this.#gone = new Promise((resolve) => signal.addEventListener('abort', resolve));
  }

  get isEmpty(): boolean {
    return this.#newestFirst().length === 0;
  }

  /**
   * Resolves to the newest draft that no form has, or else to a new one. A form for a certain customer or a copy
   * continues only its own.
   */
  async open(from: string): Promise<Draft> {
    removeOutdated();
    const kept = this.#isFresh ? [] : this.#newestFirst();
    this.#isFresh = false;
    for (const [name, found] of kept) {
      const isFit = from === '' || found.from === from;
      if (isFit && (await this.#lock(name))) return new Draft(name, { from, signal: this.#signal }, found);
    }
    const name = `${this.#prefix}${crypto.randomUUID()}`;
    await this.#lock(name);
    return new Draft(name, { from, signal: this.#signal });
  }

  /**
   * Ends the draft; the next form is empty, even if there are drafts of other tabs. Returns what makes a draft of the
   * same input again, for the form after that.
   */
  startOver(draft: Draft): () => void {
    const { kept } = draft;
    draft.end();
    this.#isFresh = true;
    return () => {
      this.#isFresh = false;
      const about = { from: kept?.from ?? '', signal: this.#signal };
      const again = new Draft(`${this.#prefix}${crypto.randomUUID()}`, about);
      again.keep(kept?.entered);
    };
  }

  discardAll(): void {
    for (const [name] of this.#newestFirst()) localStorage.removeItem(name);
  }

  #newestFirst(): (readonly [name: string, kept: Kept])[] {
    return drafts().filter(([name]) => name.startsWith(this.#prefix));
  }

  /** Resolves to whether this tab has the lock now; the browser releases it if the tab crashes or is closed. */
  #lock(name: string): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock === null ? undefined : this.#gone;
    });
    return promise;
  }
}

/** What one form keeps. */
export class Draft {
  /** Of the order: placing it again after a reload places no second one. */
  readonly idempotencyKey: string;
  readonly entered: Entered | undefined;
  readonly #name: string;
  readonly #from: string;
  readonly #signal: AbortSignal;
  #isSent: boolean;
  #hasEnded = false;

  /** The signal is aborted when its user is gone: a field that is removed then must not keep it again. */
  constructor(
    name: string,
    { from, signal }: { readonly from: string; readonly signal: AbortSignal },
    kept?: Kept,
  ) {
    this.idempotencyKey = name.slice(-uuidLength);
    this.entered = kept?.entered;
    this.#isSent = kept?.isSent ?? false;
    this.#name = name;
    this.#from = from;
    this.#signal = signal;
  }

  get isSent(): boolean {
    return this.#isSent;
  }

  /** Forgets what was entered before if nothing is now. Returns whether there was room for it. */
  keep(entered: Entered | undefined): boolean {
    if (this.#hasEnded || this.#signal.aborted) return true;
    const kept = { entered, from: this.#from, savedAt: Date.now(), isSent: this.#isSent };
    try {
      if (entered === undefined) localStorage.removeItem(this.#name);
      else localStorage.setItem(this.#name, JSON.stringify(kept));
      return true;
    } catch {
      return false;
    }
  }

  /** What this device keeps of it now. */
  get kept(): Kept | undefined {
    return keptAs(this.#name) ?? undefined;
  }

  /** To be called before the order is sent, and once it was rejected. */
  markSent(isSent: boolean, entered: Entered): void {
    this.#isSent = isSent;
    this.keep(entered);
  }

  end(): void {
    this.keep(undefined);
    this.#hasEnded = true;
  }
}

function removeOutdated(): void {
  const oldest = Date.now() - daysMax * 86_400_000;
  for (const [index, [name, { savedAt }]] of drafts().entries())
    if (savedAt < oldest || index >= draftsMax) localStorage.removeItem(name);
}

/** Returns the drafts of all users, the newest first. */
function drafts(): (readonly [name: string, kept: Kept])[] {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(`${prefix}-`));
  return names
    .map((name) => [name, keptAs(name)] as const)
    .filter((draft): draft is readonly [string, Kept] => draft[1] !== null)
    .sort(([, a], [, b]) => b.savedAt - a.savedAt);
}

function keptAs(name: string): Kept | null {
  return JSON.parse(localStorage.getItem(name) ?? 'null'); // as `keep` wrote it
}
