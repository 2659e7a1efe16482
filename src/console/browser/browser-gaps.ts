// What some browsers lack or deny to this page: storage (cookies are blocked, the disk is full), locks,
// `Promise.withResolvers`, and a sign that a key belongs to an input method.

/** The storage of this device, or of this page alone where the browser denies storage. */
class DeviceStorage {
  readonly #ofPage = new Map<string, string>();

  /** Whether the browser allows storage, so that values outlive the page. */
  get isThere(): boolean {
    return storageOfBrowser() !== undefined;
  }

  get names(): readonly string[] {
    return [...new Set([...this.#ofPage.keys(), ...Object.keys(storageOfBrowser() ?? {})])];
  }

  read(name: string): string | null {
    return this.#ofPage.get(name) ?? storageOfBrowser()?.getItem(name) ?? null;
  }

  /** Returns whether the value outlives the page. */
  write(name: string, text: string): boolean {
    const kept = storageOfBrowser();
    try {
      kept?.setItem(name, text);
      this.#ofPage.delete(name);
      if (kept !== undefined) return true;
    } catch {
      kept?.removeItem(name); // the storage is full, and its value outdated
    }
    this.#ofPage.set(name, text);
    return false;
  }

  remove(name: string): void {
    this.#ofPage.delete(name);
    storageOfBrowser()?.removeItem(name);
  }
}

export const storage = new DeviceStorage();

/** Where cookies are blocked, `localStorage` is null in some browsers and throws in others. */
function storageOfBrowser(): Storage | undefined {
  try {
    return localStorage ?? undefined;
  } catch {
    return undefined;
  }
}

type LockOptions = { readonly ifAvailable?: boolean; readonly signal?: AbortSignal };
type Request<T> = (hasLock: boolean) => T | Promise<T>;

/** Where the browser denies locks, as it does without storage, `run` is called as if no other tab were open. */
export async function withLock<T>(name: string, options: LockOptions, run: Request<T>): Promise<Awaited<T>> {
  let hasRun = false;
  const first = (lock: object | null): T | Promise<T> => {
    hasRun = true;
    return run(lock !== null);
  };
  try {
    return await navigator.locks.request(name, options, first);
  } catch (error) {
    if (hasRun || options.signal?.aborted === true) throw error;
    return await run(true);
  }
}

/** Returns the names of the locks that are held, by any tab. */
export async function heldLocks(): Promise<ReadonlySet<string | undefined>> {
  const { held = [] } = await navigator.locks.query().catch(() => ({ held: [] }));
  return new Set(held.map(({ name }: { name?: string }) => name));
}

type Deferred<T> = {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
};

/** `Promise.withResolvers`, which Chromium has since 119. */
export function deferred<T>(): Deferred<T> {
  let [resolve, reject]: [(value: T) => void, (reason: unknown) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((fulfil, refuse) => {
    [resolve, reject] = [fulfil, refuse];
  });
  return { promise, resolve, reject };
}

/** Whether the key belongs to an input method. In Safari the Enter that ends a word has only the key code 229. */
export function isOfInputMethod({
  isComposing,
  keyCode,
}: {
  readonly isComposing: boolean;
  readonly keyCode: number;
}): boolean {
  return isComposing || keyCode === 229;
}
