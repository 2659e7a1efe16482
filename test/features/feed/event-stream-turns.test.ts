// Readers of event streams who are far behind: they take turns, and leave most of the time to other clients.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executable, serviceFor, type TestService } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { openStream } from './stream-support.ts';

const pages = 20;
const pageMilliseconds = 2;

test(
  'readers who are far behind take turns, and all together a tenth of the time',
  { skip: executable !== undefined },
  async (t) => {
    const service = await serviceFor(t);
    const people = await Promise.all([1, 2, 3].map(() => service.person()));
    await addEvents(service, pages * 1_000);
    const reads = slowPages(service);
    const path = '/events?from=oldest&type=webhook.deleted';
    await Promise.all(people.map(({ token }) => openStream(service, { token }, path)));
    await until(() => reads.length >= people.length * pages);

    const readers = reads.map(({ userId }) => userId);
    const first = Math.max(...people.map(({ id }) => readers.indexOf(id)));
    const last = Math.min(...people.map(({ id }) => readers.lastIndexOf(id)));
    assert.ok(last - first > pages);
    for (let index = first; index < last; index += 1)
      assert.equal(new Set(readers.slice(index - 2, index + 1)).size, 3, readers.join(' '));

    const elapsed = Number(reads.at(-1)?.at) - Number(reads[0]?.at);
    const lastTurn = 5 * pageMilliseconds; // no pause is known to follow it
    assert.ok(elapsed >= 9 * (reads.length * pageMilliseconds - lastTurn), `${elapsed} ms`);
  },
);

type Read = { readonly userId: number; readonly at: number };

/** Makes each read of a page of the feed take `pageMilliseconds` at least, and records it. */
function slowPages({ inside }: TestService): readonly Read[] {
  const db = inside?.database.read ?? assert.fail('it runs in this process');
  const reads: Read[] = [];
  const original = db.allWhile.bind(db);
  db.allWhile = (sql, params, fits) => {
    const at = performance.now();
    reads.push({ userId: Number(params[2]), at }); // after the ids between which the page lies
    while (performance.now() < at + pageMilliseconds);
    return original(sql, params, fits);
  };
  return reads;
}

async function addEvents({ inside, clock }: TestService, count: number): Promise<void> {
  const sql =
    'WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?) ' +
    "INSERT INTO events (createdAt, type, topic, topicId) SELECT ?, 'order.changed', 'order', 999 FROM numbers";
  await inside?.database.write((writer) => void writer.run(sql, count, clock.now));
}
