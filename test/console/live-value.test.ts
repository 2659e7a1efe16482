// A value of the console that is loaded again only after events that concern it.
import assert from 'node:assert/strict';
import { test } from 'node:test';

// the module is imported by a computed URL, without its types: those are of browsers
type Watcher = (events: readonly object[]) => void;
type Content = { load(from: string): Promise<string>; concerns(event: object, value?: string): boolean };
type Value = { get(from: string): Promise<string>; outdate(): void };
type Live = { watch(signal: AbortSignal, watcher: Watcher): void };
const { LiveValue }: { LiveValue: new (live: Live, signal: AbortSignal, content: Content) => Value } =
  await import(new URL('../../src/console/parts/live-value.ts', import.meta.url).href);

const mine = { subject: '/orders/1' };
const other = { subject: '/orders/2' };

type Loads = {
  readonly value: Value;
  readonly loads: PromiseWithResolvers<string>[];
  readonly happen: Watcher;
};

/** A value that concerns the first order, with its loads, which the test ends. */
function valueOfOrder(): Loads {
  const loads: PromiseWithResolvers<string>[] = [];
  const watchers: Watcher[] = [];
  const live: Live = { watch: (_signal, watcher) => watchers.push(watcher) };
  const value = new LiveValue(live, new AbortController().signal, {
    async load() {
      const loading = Promise.withResolvers<string>();
      loads.push(loading);
      return loading.promise;
    },
    concerns: (event) => event === mine,
  });
  return { value, loads, happen: (events) => watchers.forEach((watcher) => watcher(events)) };
}

async function loaded({ value, loads }: Loads, text: string): Promise<void> {
  const result = value.get('now');
  loads.at(-1)?.resolve(text);
  assert.equal(await result, text);
}

for (const [what, events, expectedLoads] of [
  ['nothing', undefined, 1],
  ['an event that doesn’t concern it', [other], 1],
  ['an event that concerns it', [other, mine], 2],
  ['events that may have been missed', [], 2],
] as const)
  test(`a live value after ${what} has been loaded ${expectedLoads} times`, async () => {
    const all = valueOfOrder();
    await loaded(all, 'first');
    if (events !== undefined) all.happen(events);
    await loaded(all, expectedLoads === 1 ? 'first' : 'second');
    assert.equal(all.loads.length, expectedLoads);
  });

test('a live value is loaded again if an event comes while it is loaded', async () => {
  const all = valueOfOrder();
  const first = all.value.get('now');
  all.happen([mine]);
  all.loads[0]?.resolve('too early');
  assert.equal(await first, 'too early');
  await loaded(all, 'in time');
});

test('a live value whose load failed is loaded again', async () => {
  const all = valueOfOrder();
  const first = all.value.get('now');
  all.loads[0]?.reject(new Error('unreachable'));
  await assert.rejects(first, /unreachable/);
  await loaded(all, 'first');
});
