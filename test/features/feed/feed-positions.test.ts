// Which positions in the feed a database accepts: its own, and none from another database.
import assert from 'node:assert/strict';
import { copyFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertProblem } from '../../support/http-support.ts';
import { newCustomer, rootToken, valuesIn } from '../../support/resource-support.ts';
import { insideOnly, serviceFor, type TestService } from '../../support/service.ts';
import { openStream, sse } from './stream-support.ts';
import { newFolder, orderly } from '../../support/command-support.ts';

/** The path and query of the page after the latest event. */
async function latest(service: TestService): Promise<string> {
  return (await (await service.root()).get('/events?from=latest')).body.next;
}

/** The position is gone, even once the events before it are as many as they were. */
async function assertGone(service: TestService, next: string): Promise<void> {
  const { token, get } = await service.root();
  await newCustomer(service, token);
  const cursor = new URL(next, service.url).searchParams.get('cursor') ?? '';
  for (const response of [
    await get(next),
    await get(next, sse),
    await get('/events', { ...sse, 'last-event-id': cursor }),
  ])
    assertProblem(response, 'events-gone');
}

async function assertGoesOn(service: TestService, next: string): Promise<void> {
  const { token, get } = await service.root();
  const { id } = await newCustomer(service, token);
  assert.equal(valuesIn(await get(next), 'subject').at(-1), `/customers/${id}`);
}

test('a position in the feed is accepted after a restart, and by the original of a copied folder, not by the copy', async (t) => {
  const service = await serviceFor(t);
  const [next, copy] = [await latest(service), newFolder(t)];
  await service.restart();
  await assertGoesOn(service, next);
  await service.stop();
  cpSync(service.folder, copy, { recursive: true });
  await assertGone(await serviceFor(t, { folder: copy }), next);
  await assertGoesOn(await serviceFor(t, { folder: service.folder }), next);
});

for (const isByHand of [false, true])
  test(`a position in the feed is gone once a backup was put back ${isByHand ? 'by hand' : 'by restore'}, however old it is`, async (t) => {
    const service = await serviceFor(t);
    const [folder, copy] = [`--data=${service.folder}`, join(newFolder(t), 'copy.db')];
    const early = await latest(service);
    assert.equal((await orderly(['backup', copy, folder])).status, 0);
    await newCustomer(service, await rootToken(service));
    const late = await latest(service);
    await service.stop();
    if (isByHand) copyFileSync(copy, join(service.folder, 'orderly.db'));
    else assert.equal((await orderly(['restore', copy, '--force', folder])).status, 0);
    const restored = await serviceFor(t, { folder: service.folder });
    for (const next of [early, late]) await assertGone(restored, next);
    await assertGoesOn(restored, await latest(restored));
  });

test('a position in the feed is gone once an earlier file replaced the database by hand, which the first start says', async (t) => {
  const { folder, stop } = await serviceFor(t);
  await stop();
  const [file, copy] = [join(folder, 'orderly.db'), join(newFolder(t), 'copy.db')];
  copyFileSync(file, copy);
  const later = await serviceFor(t, { folder });
  const next = await latest(later);
  await newCustomer(later, await rootToken(later));
  await later.stop();
  copyFileSync(copy, file);
  const started = await serviceFor(t, { folder });
  const older = /the database ends at event 1, but had events up to \d+: it is an older copy/g;
  assert.equal(started.logged.join('').match(older)?.length, 1);
  await assertGone(started, next);
  const own = await latest(started);
  await started.stop();
  const again = await serviceFor(t, { folder });
  await assertGoesOn(again, own);
  assert.doesNotMatch(again.logged.join(''), older, 'once');
});

test('a position right after the removed events continues without a gap', insideOnly, async (t) => {
  const service = await serviceFor(t, { settings: { 'events-days': '1' } });
  const before = (await (await service.root()).get('/events?limit=1')).body.next;
  const boundary = await latest(service);
  service.clock.advance(2 * 86_400_000);
  const { token, get } = await service.root();
  const { id } = await newCustomer(service, token);
  await service.inside?.cleanup.run();
  assertProblem(await get(before), 'events-gone');
  const kept = await get(boundary);
  assert.ok(valuesIn(kept, 'subject').includes(`/customers/${id}`));
  assert.equal(valuesIn(await get('/events'), 'id')[0], kept.body.data[0].id);
});

test('a stream sends what a command changes while the service runs', async (t) => {
  const service = await serviceFor(t);
  const stream = await openStream(service, await service.root());
  const about = ['--name=till', '--scopes=orders:read', `--email=${service.admin.email}`];
  assert.equal((await orderly(['keys', 'create', ...about, `--data=${service.folder}`])).status, 0);
  const { event, data } = await stream.event();
  assert.deepEqual([event, data.actor], ['key.created', null]);
});
