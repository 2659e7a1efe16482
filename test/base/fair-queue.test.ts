// The order in which waiting work of several clients runs.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FairQueue } from '../../src/base/fair-queue.ts';

class Orders {
  readonly #queue = new FairQueue<() => void>();
  readonly #ran: string[] = [];

  add(client: string, times = 1): void {
    for (let index = 0; index < times; index += 1) this.#queue.add(client, () => this.#ran.push(client));
  }

  addFollowing(client: string): void {
    this.#queue.addFollowing(client, () => this.#ran.push(client));
  }

  /** The clients of the next jobs, in the order in which they run. */
  run(times: number): string {
    this.#ran.length = 0;
    for (let index = 0; index < times; index += 1) this.#queue.take()?.();
    return this.#ran.join('');
  }

  get size(): number {
    return this.#queue.size;
  }
}

describe('work that waits', () => {
  test('runs in the order of arrival, for one client', () => {
    const queue = new FairQueue<() => void>();
    const ran: number[] = [];
    for (let index = 0; index < 30; index += 1) queue.add('a', () => ran.push(index));
    while (queue.size > 0) queue.take()?.();
    assert.deepEqual(
      ran,
      Array.from({ length: 30 }, (_, index) => index),
    );
    assert.equal(queue.take(), undefined);
  });

  test('runs for each client in turn', () => {
    const orders = new Orders();
    for (const client of ['a', 'b', 'c']) orders.add(client, 3);
    assert.equal(orders.run(9), 'abcabcabc');
    assert.equal(orders.size, 0);
  });

  test('runs immediately for a new client, although another has hundreds waiting', () => {
    const orders = new Orders();
    orders.add('a', 500);
    assert.equal(orders.run(20), 'a'.repeat(20));
    orders.add('b');
    assert.equal(orders.run(2), 'ba');
    orders.add('b', 2);
    assert.equal(orders.run(3), 'bba');
  });

  test('runs for a new client before continuations of hundreds of others', () => {
    const orders = new Orders();
    for (let index = 0; index < 500; index += 1) orders.addFollowing(`(${index})`);
    orders.run(5);
    orders.add('b');
    assert.equal(orders.run(1), 'b');
    assert.equal(orders.run(1), '(5)');
  });

  test('also runs for clients served before, however many new ones arrive', () => {
    const orders = new Orders();
    orders.addFollowing('a');
    const ran: string[] = [];
    for (let index = 0; index < 20; index += 1) {
      orders.add(`(${index})`);
      ran.push(orders.run(1));
    }
    assert.ok(ran.includes('a'), ran.join(' '));
  });
});
