// Which positions in the feed a database accepts: its own, and none from another database.
import assert from 'node:assert/strict';
import { copyFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertProblem } from '../../support/http-support.ts';
import { newCustomer, rootToken } from '../../support/resource-support.ts';
import { insideOnly, serviceFor, type TestService } from '../../support/service.ts';
import { openStream } from './stream-support.ts';
import { newFolder, orderly } from '../../support/command-support.ts';

/** The path and query of the page after the latest event. */
async function latest(service: TestService): Promise<string> {
  const { body } = await service.get('/events?from=latest', { token: await rootToken(service) });
  return body.next;
}

async function assertGone(service: TestService, next: string): Promise<void> {
  const token = await rootToken(service);
  const cursor = new URL(next, service.url).searchParams.get('cursor') ?? '';
  assertProblem(await service.get(next, { token }), 'events-gone');
  const sse = { accept: 'text/event-stream' };
  assertProblem(await service.get(next, { token, headers: sse }), 'events-gone');
  const headers = { ...sse, 'last-event-id': cursor };
  assertProblem(await service.get('/events', { token, headers }), 'events-gone');
}

async function assertGoesOn(service: TestService, next: string): Promise<void> {
  const token = await rootToken(service);
  const { id } = await newCustomer(service, token);
  const { body, status, text } = await service.get(next, { token });
  assert.equal(status, 200, text);
  assert.equal(body.data.at(-1).subject, `/customers/${id}`);
}

test('a position in the feed is accepted after a restart', async (t) => {
  const service = await serviceFor(t);
  const next = await latest(service);
  await service.restart();
  await assertGoesOn(service, next);
});

test('a position in the feed is gone once a backup was restored, even if it is older than the backup', async (t) => {
  const service = await serviceFor(t);
  const [early, copy] = [await latest(service), join(newFolder(t), 'copy.db')];
  assert.equal((await orderly(['backup', copy, `--data=${service.folder}`])).status, 0);
  await newCustomer(service, await rootToken(service));
  const late = await latest(service);
  await service.stop();
  assert.equal((await orderly(['restore', copy, '--force', `--data=${service.folder}`])).status, 0);
  const restored = await serviceFor(t, { folder: service.folder });
  await newCustomer(restored, await rootToken(restored)); // the id of the one that was lost
  await assertGone(restored, early);
  await assertGone(restored, late);
  await assertGoesOn(restored, await latest(restored));
});

test('a position in the feed is gone once a backup replaced the database by hand', async (t) => {
  const service = await serviceFor(t);
  const [next, copy] = [await latest(service), join(newFolder(t), 'copy.db')];
  assert.equal((await orderly(['backup', copy, `--data=${service.folder}`])).status, 0);
  await service.stop();
  copyFileSync(copy, join(service.folder, 'orderly.db'));
  const started = await serviceFor(t, { folder: service.folder });
  await assertGone(started, next);
  await assertGoesOn(started, await latest(started));
});

test('a position in the feed is gone once an earlier file replaced the database by hand, which the first start says', async (t) => {
  const service = await serviceFor(t);
  await service.stop();
  const [file, copy] = [join(service.folder, 'orderly.db'), join(newFolder(t), 'copy.db')];
  copyFileSync(file, copy);
  const later = await serviceFor(t, { folder: service.folder });
  const next = await latest(later);
  await newCustomer(later, await rootToken(later));
  await later.stop();
  copyFileSync(copy, file);
  const started = await serviceFor(t, { folder: service.folder });
  const older = /the database ends at event 1, but had events up to \d+: it is an older copy/g;
  assert.equal(started.logged.join('').match(older)?.length, 1);
  await newCustomer(started, await rootToken(started)); // the id of the one that was lost
  await assertGone(started, next);
  const own = await latest(started);
  await started.stop();
  const again = await serviceFor(t, { folder: service.folder });
  await assertGoesOn(again, own);
  assert.doesNotMatch(again.logged.join(''), older, 'once');
});

test('a position in the feed is gone in a copy of the folder, and still accepted by the original', async (t) => {
  const service = await serviceFor(t);
  const [next, copy] = [await latest(service), newFolder(t)];
  await service.stop();
  cpSync(service.folder, copy, { recursive: true });
  await assertGone(await serviceFor(t, { folder: copy }), next);
  await assertGoesOn(await serviceFor(t, { folder: service.folder }), next);
});

test(
  'a position in the feed continues without a gap after the last event that was removed for its age',
  insideOnly,
  async (t) => {
    const service = await serviceFor(t, { settings: { 'events-days': '1' } });
    const before = (await service.get('/events?limit=1', { token: await rootToken(service) })).body.next;
    const boundary = await latest(service);
    service.clock.advance(2 * 86_400_000);
    const { id } = await newCustomer(service, await rootToken(service));
    await service.inside?.app.cleanup.run();
    await assertGone(service, before);
    const { data } = (await service.get(boundary, { token: await rootToken(service) })).body;
    assert.equal(
      data.some(({ subject }: { subject: string }) => subject === `/customers/${id}`),
      true,
    );
    const oldest = await service.get('/events', { token: await rootToken(service) });
    assert.equal(oldest.body.data[0].id, data[0].id);
  },
);

test('a stream sends what a command changes while the service runs', async (t) => {
  const service = await serviceFor(t);
  const stream = await openStream(service, { token: await rootToken(service) });
  const make = ['keys', 'create', '--name=till', '--scopes=orders:read', `--email=${service.admin.email}`];
  assert.equal((await orderly([...make, `--data=${service.folder}`])).status, 0);
  const { event, data } = await stream.event();
  assert.equal(event, 'key.created');
  assert.equal(data.actor, null);
});
