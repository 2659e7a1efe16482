// Where each page of the browser's history was left: Back returns to that place of a list.

/**
 * Returns a function to be called when another page is shown: it notes where the last one was left, and returns where
 * the current one was; 0 for a new one.
 */
export function scrollPlaces(): () => number {
  history.scrollRestoration = 'manual'; // the browser would do it before the list is loaded
  const tops = new Map<string, number>();
  let current = currentEntry();
  return function switchPage() {
    tops.set(current, window.scrollY);
    current = currentEntry();
    return tops.get(current) ?? 0;
  };
}

/** Returns the name of the history's current entry, which is its state. */
function currentEntry(): string {
  const state: unknown = history.state;
  if (typeof state === 'string') return state;
  const name = crypto.randomUUID();
  history.replaceState(name, '');
  return name;
}

/** Scrolls as soon as the element makes the page long enough, unless its user does something before. */
export function scrollOnceLoaded(element: HTMLElement, top: number, signal: AbortSignal): void {
  const observer = new ResizeObserver(() => {
    if (document.documentElement.scrollHeight - window.innerHeight < top) return;
    window.scrollTo(0, top);
    observer.disconnect();
  });
  const stop = (): void => observer.disconnect();
  for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
    window.addEventListener(type, stop, { signal });
  signal.addEventListener('abort', stop);
  observer.observe(element);
}
