// Look-ups of names: how many run at once, and that hanging ones don't delay the others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressLookups, type AddressLookup } from '../../src/network/address-lookups.ts';
import { FrozenClock } from '../frozen-clock.ts';

const second = 1_000;
const day = 24 * 60 * 60 * second;

/** Look-ups that run until the test ends them. */
class PendingLookups {
  readonly clock = new FrozenClock(0);
  readonly #running = new Map<string, Parameters<AddressLookup>[2]>();
  readonly #lookups = new AddressLookups(
    () => this.clock.now,
    (host, _options, done) => {
      assert.ok(!this.#running.has(host));
      this.#running.set(host, done);
    },
  );

  /** The names that are being looked up. */
  get running(): string[] {
    return [...this.#running.keys()];
  }

  /** Returns the first address of the name, or the reason why there is none. */
  async find(host: string, isWanted = (): boolean => true): Promise<string> {
    try {
      const [first] = await this.#lookups.find(host, isWanted);
      return first?.address ?? 'none';
    } catch (error) {
      return String(error);
    }
  }

  end(host: string, result: Error | string = '192.0.2.1'): void {
    const done = this.#running.get(host);
    this.#running.delete(host);
    if (result instanceof Error) done?.(result, []);
    else done?.(null, [{ address: result, family: 4 }]);
  }

  /** Looks up names that take longer than a second. */
  async slowDown(...hosts: readonly string[]): Promise<void> {
    for (const host of hosts) {
      const found = this.find(host);
      this.clock.advance(second + 1);
      this.end(host);
      await found;
    }
  }
}

test('two names are looked up at once, the others in their order', async () => {
  const lookups = new PendingLookups();
  const all = ['a', 'b', 'c', 'd'].map((host) => lookups.find(host));
  assert.deepEqual(lookups.running, ['a', 'b']);
  lookups.end('b', '192.0.2.2');
  assert.deepEqual(lookups.running, ['a', 'c']);
  lookups.end('a', new Error('no such name'));
  assert.deepEqual(lookups.running, ['c', 'd']);
  lookups.end('c');
  lookups.end('d');
  assert.deepEqual(await Promise.all(all), ['Error: no such name', '192.0.2.2', '192.0.2.1', '192.0.2.1']);
});

test('a name has one look-up at a time, whose result goes to all that asked for it', async () => {
  const lookups = new PendingLookups();
  const early = ['a', 'b', 'c', 'c', 'a'].map((host) => lookups.find(host));
  assert.deepEqual(lookups.running, ['a', 'b']);
  for (const host of ['a', 'b', 'c']) lookups.end(host, host);
  assert.deepEqual(await Promise.all(early), ['a', 'b', 'c', 'c', 'a']);
  const late = lookups.find('a');
  lookups.end('a', 'another');
  assert.equal(await late, 'another');
});

test('two names that hang delay no others, for a day after they first hung', async () => {
  const lookups = new PendingLookups();
  await lookups.slowDown('hangs', 'too');
  lookups.clock.advance(day - 2 * second);
  for (const host of ['hangs', 'too', 'c', 'd']) void lookups.find(host);
  assert.deepEqual(lookups.running, ['hangs', 'c']);
  lookups.end('c');
  assert.deepEqual(lookups.running, ['hangs', 'd']);
  lookups.end('d');
  assert.deepEqual(lookups.running, ['hangs']);
  lookups.end('hangs');
  assert.deepEqual(lookups.running, ['too']);
  lookups.end('too');
  lookups.clock.advance(2 * second);
  for (const host of ['hangs', 'too']) void lookups.find(host);
  assert.deepEqual(lookups.running, ['hangs', 'too']);
});

test('a name that is quick now and then remains slow', async () => {
  const lookups = new PendingLookups();
  await lookups.slowDown('hangs', 'too');
  const quick = lookups.find('too');
  lookups.end('too');
  await quick;
  for (const host of ['hangs', 'too', 'c']) void lookups.find(host);
  assert.deepEqual(lookups.running, ['hangs', 'c']);
});

test('a name that has been looked up for more than a second is slow already', async () => {
  const lookups = new PendingLookups();
  await lookups.slowDown('too');
  void lookups.find('hangs');
  lookups.clock.advance(second + 1);
  for (const host of ['too', 'c']) void lookups.find(host);
  assert.deepEqual(lookups.running, ['hangs', 'c']);
});

test('a look-up that nobody wants any more before it starts is left out', async () => {
  const lookups = new PendingLookups();
  const wanted = new Set(['d']);
  const found = ['a', 'b', 'c', 'd'].map((host) => lookups.find(host, () => wanted.has(host)));
  void lookups.find('d', () => false);
  lookups.end('a');
  assert.deepEqual(lookups.running, ['d']);
  assert.equal(await found[2], 'Error: nobody wants its addresses any more');
});
