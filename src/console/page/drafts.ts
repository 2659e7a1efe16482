// New orders that are not placed yet: kept on this device for their user, so that they survive a reload and a
// crash. A draft ends when it is placed or given up, when its user signs out, or after 30 days; a device keeps the ten
// newest. A tab has one draft, which it locks, so that no other tab shows or overwrites it. Its next form goes on with
// the draft of a tab that is gone; a parked one waits until somebody goes on with it.
import { deferred, heldLocks, storage, withLock } from '../browser/browser-gaps.ts';
import type { Entered } from '../forms/forms.ts';
import { t } from '../words/texts.ts';

type Kept = {
  /** With the `total` as it was shown. */
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

const prefix = 'orderly-draft-';
const daysMax = 30;
const draftsMax = 10;
const uuidLength = 36;

export type Drafts = ReturnType<typeof draftsOf>;

/** The drafts of one user. The tab holds the lock of its own until the signal is aborted: the user is gone then. */
export function draftsOf(userId: number, signal: AbortSignal) {
  const ownPrefix = `${prefix}${userId}-`;
  let current: Draft | undefined;
  let release = (): void => undefined;
  /** What the next form continues: a draft of a tab that is gone, or the one with this name; at first any. */
  let wanted: { readonly name?: string; readonly said?: string | undefined } | undefined = {};

  function own(): readonly (readonly [name: string, kept: Kept])[] {
    return draftsOfAll().filter(([name]) => name.startsWith(ownPrefix));
  }

  function newName(): string {
    return `${ownPrefix}${crypto.randomUUID()}`;
  }

  /** Resolves to whether this tab has the lock, which the browser releases if the tab crashes. */
  function lock(name: string): Promise<boolean> {
    const { promise, resolve } = deferred<boolean>();
    void withLock<void>(name, { ifAvailable: true }, (hasLock) => {
      resolve(hasLock);
      if (!hasLock) return undefined;
      const held = deferred<void>();
      signal.addEventListener('abort', () => held.resolve());
      release = held.resolve;
      return held.promise;
    });
    return promise;
  }

  signal.addEventListener('abort', () => current?.leave());
  return {
    /** As they were shown. */
    get totals(): readonly string[] {
      return own().map(([, kept]) => totalIn(kept));
    },

    /**
     * Resolves to the draft of this tab, which any other form of it loses, or else to a new one. A form for a certain
     * customer or a copy continues only its own; the draft that is in its way is parked.
     */
    async open(from: string): Promise<Draft> {
      removeOutdated();
      const next = wanted;
      wanted = undefined;
      const [before, kept] = [current, current?.kept];
      const isFit = (other: Kept): boolean => from === '' || other.from === from;
      if (before !== undefined && kept !== undefined && next === undefined && isFit(kept)) {
        before.leave();
        return (current = draftOf(before.name, from, kept));
      }
      const parked = before?.park();
      release();
      for (const [name, found] of next === undefined ? [] : own()) {
        const isMeant = next?.name === undefined ? !found.isParked && isFit(found) : name === next.name;
        if (!isMeant || !(await lock(name))) continue;
        const said = [next?.said, parked].filter((text) => text !== undefined).join(' ');
        return (current = draftOf(name, from, found, said));
      }
      const name = newName();
      await lock(name); // nobody else has this name
      return (current = draftOf(name, from));
    },

    /** The next form is empty. Returns what there is to say of it. */
    park(): string | undefined {
      return current?.park();
    },

    /** Returns those that neither this tab nor another one shows, the oldest first. */
    async parked(): Promise<readonly { readonly name: string; readonly total: string }[]> {
      const shown = await heldLocks();
      const others = own().filter(([name]) => !shown.has(name));
      return others.map(([name, kept]) => ({ name, total: totalIn(kept) })).reverse();
    },

    /** The next form continues this draft. */
    goOn(name: string): void {
      wanted = { name };
    },

    /** The next form has this input again, as a new order, and says so. */
    bringBack(entered: Entered, said?: string): void {
      const name = newName();
      keep(name, { entered });
      wanted = { name, said };
    },

    discardAll(): void {
      for (const [name] of own()) storage.remove(name);
    },
  };
}

export type Draft = ReturnType<typeof draftOf>;

/** Returns what one form keeps. `before` was kept earlier; `said` is shown when the form shows it again. */
function draftOf(name: string, from: string, before?: Kept, said = '') {
  let hasEnded = false;

  /** Returns whether there was room for it. */
  function save(changes: Partial<Kept>): boolean {
    return hasEnded || keep(name, changes, from);
  }

  const draft = {
    name,
    /** The order's Idempotency-Key: placing the order again after a reload places no second one. */
    idempotencyKey: name.slice(-uuidLength),
    entered: before?.entered,
    said: said || t('What you had entered is still here.'),
    /** Called when the form has the draft no more. */
    onLeave: (): void => undefined,

    get isSent(): boolean {
      return draft.kept?.isSent === true;
    },

    /** What this device keeps of it now. */
    get kept(): Kept | undefined {
      return hasEnded ? undefined : keptAs(name);
    },

    /** Forgets what was entered before if nothing is now. Returns whether there was room for it. */
    keep(entered: Entered | undefined): boolean {
      if (entered !== undefined) return save({ entered });
      if (!hasEnded) storage.remove(name);
      return true;
    },

    /** To be called before the order is sent, and once it was rejected. */
    markSent(isSent: boolean, entered: Entered): void {
      save({ isSent, entered });
    },

    /** Nothing is kept of it any more. */
    end(): void {
      draft.keep(undefined);
      draft.leave();
    },

    /** Returns what there is to say of it: nothing if nothing is kept. */
    park(): string | undefined {
      const { kept } = draft;
      if (kept !== undefined) save({ isParked: true });
      draft.leave();
      return kept && t('Parked: {total}.', { total: totalIn(kept) });
    },

    /** What is kept of it is for another form. */
    leave(): void {
      if (hasEnded) return;
      hasEnded = true;
      draft.onLeave();
    },
  };
  if (before?.isParked === true) save({ isParked: false });
  return draft;
}

function totalIn({ entered }: Kept): string {
  return String(entered['total'] ?? '');
}

function removeOutdated(): void {
  const oldest = Date.now() - daysMax * 86_400_000;
  for (const [index, [name, { savedAt }]] of draftsOfAll().entries())
    if (savedAt < oldest || index >= draftsMax) storage.remove(name);
}

/** Returns the drafts of all users, the newest first. */
function draftsOfAll(): readonly (readonly [name: string, kept: Kept])[] {
  return storage.names
    .filter((name) => name.startsWith(prefix))
    .map((name) => [name, keptAs(name)] as const)
    .filter((draft): draft is readonly [string, Kept] => draft[1] !== undefined)
    .sort(([, a], [, b]) => b.savedAt - a.savedAt);
}

/** Returns whether there was room for it. */
function keep(name: string, changes: Partial<Kept>, from = ''): boolean {
  const savedAt = Date.now();
  const first = { from, begunAt: savedAt, isSent: false, isParked: false };
  return storage.write(name, JSON.stringify({ ...first, ...keptAs(name), ...changes, savedAt }));
}

function keptAs(name: string): Kept | undefined {
  try {
    return JSON.parse(storage.read(name) ?? 'null') ?? undefined; // as `keep` wrote it
  } catch {
    return undefined; // damaged: nothing of it can be shown
  }
}
