// New orders that are not placed yet: kept on this device for their user, so that they survive a reload and a
// crash. A draft ends when it is placed or given up, when its user signs out, or after 30 days; a device keeps the ten
// newest. A tab has one draft, which it locks, so that no other tab shows or overwrites it. Its next form goes on with
// the draft of a tab that is gone; a parked one waits until somebody goes on with it.
import { deferred, heldLocks, storage, withLock } from '../browser/browser-gaps.ts';
import type { Entered } from '../forms/forms.ts';
import { t } from '../words/texts.ts';

type StoredDraft = {
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

  function ownDrafts(): readonly (readonly [name: string, draft: StoredDraft])[] {
    return storedDrafts().filter(([name]) => name.startsWith(ownPrefix));
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
    /** The totals of the user's drafts, as they were shown. */
    get totals(): readonly string[] {
      return ownDrafts().map(([, draft]) => totalIn(draft));
    },

    /**
     * Resolves to the draft of this tab, which its former form loses, or else to a new draft. A form for a certain
     * customer or a copy continues only a draft with the same parameters; this tab's other draft is parked.
     */
    async open(from: string): Promise<Draft> {
      removeOutdated();
      const next = wanted;
      wanted = undefined;
      const [before, stored] = [current, current?.stored];
      const isFit = (other: StoredDraft): boolean => from === '' || other.from === from;
      if (before !== undefined && stored !== undefined && next === undefined && isFit(stored)) {
        before.leave();
        return (current = openDraft(before.name, from, stored));
      }
      const parked = before?.park();
      release();
      for (const [name, found] of next === undefined ? [] : ownDrafts()) {
        const isMeant = next?.name === undefined ? !found.isParked && isFit(found) : name === next.name;
        if (!isMeant || !(await lock(name))) continue;
        const said = [next?.said, parked].filter((text) => text !== undefined).join(' ');
        return (current = openDraft(name, from, found, said));
      }
      const name = newName();
      await lock(name); // nobody else has this name
      return (current = openDraft(name, from));
    },

    /** Parks the draft of this tab: the next form is empty. Returns the sentence that says so, if a draft was kept. */
    park(): string | undefined {
      return current?.park();
    },

    /** Returns the drafts that no tab shows, the oldest first. */
    async parked(): Promise<readonly { readonly name: string; readonly total: string }[]> {
      const shown = await heldLocks();
      const others = ownDrafts().filter(([name]) => !shown.has(name));
      return others.map(([name, draft]) => ({ name, total: totalIn(draft) })).reverse();
    },

    /** The next form continues this draft. */
    goOn(name: string): void {
      wanted = { name };
    },

    /** The next form has this input again, as a new order, and says so. */
    bringBack(entered: Entered, said?: string): void {
      const name = newName();
      writeDraft(name, { entered });
      wanted = { name, said };
    },

    discardAll(): void {
      for (const [name] of ownDrafts()) storage.remove(name);
    },
  };
}

export type Draft = ReturnType<typeof openDraft>;

/** Returns the draft of one form. `before` was stored earlier; `said` is shown when the form shows its input again. */
function openDraft(name: string, from: string, before?: StoredDraft, said = '') {
  let hasEnded = false;

  /** Returns whether there was room for the draft. */
  function save(changes: Partial<StoredDraft>): boolean {
    return hasEnded || writeDraft(name, changes, from);
  }

  const draft = {
    name,
    /** The order's Idempotency-Key: placing the order again after a reload places no second one. */
    idempotencyKey: name.slice(-uuidLength),
    entered: before?.entered,
    said: said || t('What you had entered is still here.'),
    /** Called when the form loses the draft. */
    onLeave: (): void => undefined,

    get isSent(): boolean {
      return draft.stored?.isSent === true;
    },

    /** The draft as this device keeps it now. */
    get stored(): StoredDraft | undefined {
      return hasEnded ? undefined : readDraft(name);
    },

    /** Saves the input, or removes the draft if nothing is entered now. Returns whether there was room for it. */
    keep(entered: Entered | undefined): boolean {
      if (entered !== undefined) return save({ entered });
      if (!hasEnded) storage.remove(name);
      return true;
    },

    /** Call this before the order is sent, and once it was rejected. */
    markSent(isSent: boolean, entered: Entered): void {
      save({ isSent, entered });
    },

    /** Removes the draft, once its order is placed or given up. */
    end(): void {
      draft.keep(undefined);
      draft.leave();
    },

    /** Keeps the draft until somebody asks for it. Returns the sentence that says so, if anything was kept. */
    park(): string | undefined {
      const { stored } = draft;
      if (stored !== undefined) save({ isParked: true });
      draft.leave();
      return stored && t('Parked: {total}.', { total: totalIn(stored) });
    },

    /** The form loses the draft, which stays stored for another form. */
    leave(): void {
      if (hasEnded) return;
      hasEnded = true;
      draft.onLeave();
    },
  };
  if (before?.isParked === true) save({ isParked: false });
  return draft;
}

function totalIn({ entered }: StoredDraft): string {
  return String(entered['total'] ?? '');
}

function removeOutdated(): void {
  const oldest = Date.now() - daysMax * 86_400_000;
  for (const [index, [name, { savedAt }]] of storedDrafts().entries())
    if (savedAt < oldest || index >= draftsMax) storage.remove(name);
}

/** Returns the drafts of all users, the newest first. */
function storedDrafts(): readonly (readonly [name: string, draft: StoredDraft])[] {
  return storage.names
    .filter((name) => name.startsWith(prefix))
    .map((name) => [name, readDraft(name)] as const)
    .filter((draft): draft is readonly [string, StoredDraft] => draft[1] !== undefined)
    .sort(([, a], [, b]) => b.savedAt - a.savedAt);
}

/** Returns whether there was room for the draft. */
function writeDraft(name: string, changes: Partial<StoredDraft>, from = ''): boolean {
  const savedAt = Date.now();
  const first = { from, begunAt: savedAt, isSent: false, isParked: false };
  return storage.write(name, JSON.stringify({ ...first, ...readDraft(name), ...changes, savedAt }));
}

function readDraft(name: string): StoredDraft | undefined {
  try {
    return JSON.parse(storage.read(name) ?? 'null') ?? undefined; // as `writeDraft` wrote it
  } catch {
    return undefined; // damaged: nothing of it can be shown
  }
}
