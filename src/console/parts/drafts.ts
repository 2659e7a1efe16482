// New orders that are not placed yet: kept on this device for their user, so that they survive a reload and a
// crash. A draft ends when it is placed or given up, when its user signs out, or after 30 days. A tab has one draft,
// which it locks, so that no other tab shows or overwrites it; the others are parked until somebody goes on with them.
import { deferred, heldLocks, storage, withLock } from './browser-gaps.ts';
import type { Entered } from './forms.ts';
import { t } from './texts.ts';

type Kept = {
  readonly entered: Entered;
  /** The parameters of the URL that the form began with. */
  readonly from: string;
  readonly begunAt: number;
  readonly savedAt: number;
  /** Whether it was sent and no answer has arrived: the order may exist. */
  readonly isSent: boolean;
  /** Whether it waits until it is asked for. */
  readonly isParked: boolean;
};

const prefix = 'orderly-draft';
const daysMax = 30;
const draftsMax = 10;
const uuidLength = 36;

/** The drafts of one user. The tab holds its lock until the signal is aborted: the user is gone then. */
export class Drafts {
  readonly #prefix: string;
  readonly #signal: AbortSignal;
  #current: Draft | undefined;
  /** What the next form continues: a draft of a tab that is gone, the one with this name, or none but its own. */
  #wanted: { readonly name?: string; readonly said?: string | undefined } | undefined = {};

  constructor(userId: number, signal: AbortSignal) {
    this.#prefix = `${prefix}-${userId}-`;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#current?.leave());
  }

  get isEmpty(): boolean {
    return this.#newestFirst().length === 0;
  }

  /**
   * Resolves to the draft of this tab, which any other form of it loses, or else to a new one. A form for a certain
   * customer or a copy continues only its own; the draft that is in its way is parked.
   */
  async open(from: string): Promise<Draft> {
    removeOutdated();
    const wanted = this.#wanted;
    this.#wanted = undefined;
    const before = this.#current;
    const kept = before?.kept;
    const isFit = (other: Kept): boolean => from === '' || other.from === from;
    if (before !== undefined && kept !== undefined && wanted === undefined && isFit(kept))
      return this.#begin(before.name, { from, release: before.handOver() }, kept);
    if (kept !== undefined) before?.park();
    before?.leave();
    const candidates = this.#newestFirst().filter(([name, other]) => {
      if (wanted === undefined) return false;
      return wanted.name === undefined ? !other.isParked && isFit(other) : name === wanted.name;
    });
    for (const [name, found] of candidates) {
      const release = await this.#lock(name);
      if (release !== undefined) return this.#begin(name, { from, release, said: wanted?.said }, found);
    }
    const name = `${this.#prefix}${crypto.randomUUID()}`;
    const release = (await this.#lock(name)) ?? (() => undefined); // nobody else has this name
    return this.#begin(name, { from, release });
  }

  #begin(name: string, form: Form, kept?: Kept): Draft {
    this.#current = new Draft(name, form, kept);
    return this.#current;
  }

  /** The next form is empty. */
  park(): void {
    this.#current?.park();
  }

  /** Returns the names of those that neither this tab nor another one shows, the oldest first. */
  async parked(): Promise<readonly string[]> {
    const shown = await heldLocks();
    const names = this.#newestFirst().map(([name]) => name);
    return names.filter((name) => !shown.has(name)).reverse();
  }

  /** The next form continues this draft. */
  goOn(name: string): void {
    this.#wanted = { name };
  }

  /** The next form has this input again, as a new order, and says so. */
  bringBack(entered: Entered, said?: string): void {
    const name = `${this.#prefix}${crypto.randomUUID()}`;
    const now = Date.now();
    const kept: Kept = { entered, from: '', begunAt: now, savedAt: now, isSent: false, isParked: false };
    storage.write(name, JSON.stringify(kept));
    this.#wanted = { name, said };
  }

  discardAll(): void {
    for (const [name] of this.#newestFirst()) storage.remove(name);
  }

  #newestFirst(): (readonly [name: string, kept: Kept])[] {
    return drafts().filter(([name]) => name.startsWith(this.#prefix));
  }

  /** Resolves to what releases the lock, as the browser does if the tab crashes; undefined if another tab has it. */
  #lock(name: string): Promise<(() => void) | undefined> {
    const { promise, resolve } = deferred<(() => void) | undefined>();
    void withLock<void>(name, { ifAvailable: true }, (hasLock) => {
      if (!hasLock) return resolve(undefined);
      const held = deferred<void>();
      this.#signal.addEventListener('abort', () => held.resolve());
      resolve(held.resolve);
      return held.promise;
    });
    return promise;
  }
}

type Form = { readonly from: string; readonly release: () => void; readonly said?: string | undefined };

/** What one form keeps. */
export class Draft {
  readonly name: string;
  /** Of the order: placing it again after a reload places no second one. */
  readonly idempotencyKey: string;
  readonly entered: Entered | undefined;
  /** What is said once it is shown again. */
  readonly said: string;
  readonly #form: Form;
  #begunAt: number | undefined;
  #isSent: boolean;
  #hasEnded = false;
  /** Called when the form has the draft no more. */
  onLeave: () => void = () => undefined;

  constructor(name: string, form: Form, kept?: Kept) {
    this.name = name;
    this.idempotencyKey = name.slice(-uuidLength);
    this.entered = kept?.entered;
    this.#isSent = kept?.isSent ?? false;
    this.#begunAt = kept?.begunAt;
    this.said = form.said ?? t('What you had entered is still here.');
    this.#form = kept === undefined ? form : { ...form, from: kept.from };
    if (kept?.isParked === true) this.keep(kept.entered);
  }

  get isSent(): boolean {
    return this.#isSent;
  }

  /** Forgets what was entered before if nothing is now. Returns whether there was room for it. */
  keep(entered: Entered | undefined): boolean {
    return this.#save(entered, false);
  }

  #save(entered: Entered | undefined, isParked: boolean): boolean {
    if (this.#hasEnded) return true;
    const savedAt = Date.now();
    this.#begunAt = entered === undefined ? undefined : (this.#begunAt ?? savedAt);
    const begunAt = this.#begunAt ?? savedAt;
    const kept = { entered, from: this.#form.from, begunAt, savedAt, isSent: this.#isSent, isParked };
    if (entered !== undefined) return storage.write(this.name, JSON.stringify(kept));
    storage.remove(this.name);
    return true;
  }

  /** What this device keeps of it now. */
  get kept(): Kept | undefined {
    return this.#hasEnded ? undefined : (keptAs(this.name) ?? undefined);
  }

  /** To be called before the order is sent, and once it was rejected. */
  markSent(isSent: boolean, entered: Entered): void {
    this.#isSent = isSent;
    this.keep(entered);
  }

  /** Nothing is kept of it any more. */
  end(): void {
    this.keep(undefined);
    this.leave();
  }

  park(): void {
    this.#save(this.kept?.entered, true);
    this.leave();
  }

  leave(): void {
    if (!this.#hasEnded) this.handOver()();
  }

  /** What is kept of it is for another form, which gets the lock. */
  handOver(): () => void {
    this.#hasEnded = true;
    this.onLeave();
    return this.#form.release;
  }
}

function removeOutdated(): void {
  const oldest = Date.now() - daysMax * 86_400_000;
  for (const [index, [name, { savedAt }]] of drafts().entries())
    if (savedAt < oldest || index >= draftsMax) storage.remove(name);
}

/** Returns the drafts of all users, the newest first. */
function drafts(): (readonly [name: string, kept: Kept])[] {
  const names = storage.names.filter((name) => name.startsWith(`${prefix}-`));
  return names
    .map((name) => [name, keptAs(name)] as const)
    .filter((draft): draft is readonly [string, Kept] => draft[1] !== null)
    .sort(([, a], [, b]) => b.savedAt - a.savedAt);
}

function keptAs(name: string): Kept | null {
  return JSON.parse(storage.read(name) ?? 'null'); // as `keep` wrote it
}
