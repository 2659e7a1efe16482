// The order in which waiting items of several clients are taken.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FairQueue } from '../../src/base/fair-queue.ts';

type Kind = 'urgent' | 'others';

/** Returns a queue with these items: each is a client and its number among all. */
function queueOf(kind: Kind, clients: readonly string[], queue = new FairQueue<string>()): FairQueue<string> {
  for (const client of clients) queue[kind].add(client, client);
  return queue;
}

function take(queue: FairQueue<string>, count: number): string {
  return Array.from({ length: count }, () => queue.take() ?? '-').join('');
}

describe('a fair queue', () => {
  test('a fair queue keeps the order of arrival for one client', () => {
    const queue = new FairQueue<number>();
    for (let index = 0; index < 30; index += 1) queue.urgent.add('a', index);
    assert.equal(queue.size, 30);
    assert.deepEqual(
      Array.from({ length: 31 }, () => queue.take()),
      [...Array(30).keys(), undefined],
    );
    assert.equal(queue.size, 0);
  });

  test('a fair queue gives each client a turn', () => {
    const queue = queueOf('urgent', [...'aaabbbccc']);
    assert.equal(take(queue, 10), 'abcabcabc-');
  });

  test('a fair queue gives a client its turn although another has hundreds of items', () => {
    const queue = queueOf('urgent', Array(500).fill('a'));
    take(queue, 20);
    queueOf('urgent', ['b', 'b'], queue);
    assert.equal(take(queue, 5), 'ababa');
  });

  test('a fair queue gives three of four turns to urgent items, and the fourth to others', () => {
    const queue = queueOf('others', Array(9).fill('o'));
    queueOf('urgent', Array(9).fill('u'), queue);
    assert.equal(take(queue, 8), 'uuuouuuo');
  });

  test('a fair queue gives every turn to the kind that alone has items', () => {
    const queue = queueOf('others', ['o', 'p']);
    assert.equal(take(queue, 2), 'op');
    assert.equal(take(queueOf('urgent', [...'uvwxy'], queue), 6), 'uvwxy-');
  });

  test('a fair queue takes an item in the same time, however many wait', () => {
    const [one, many] = [Array(200_000).fill('a'), Array.from({ length: 50_000 }, (_, index) => `${index}`)];
    const [long, wide] = [queueOf('others', one), queueOf('others', [...many, ...many])];
    const start = performance.now();
    for (let index = 0; index < 20_000; index += 1) {
      long.take();
      wide.take();
    }
    const milliseconds = performance.now() - start;
    assert.ok(milliseconds < 200, `40,000 items took ${milliseconds} ms`);
  });
});
