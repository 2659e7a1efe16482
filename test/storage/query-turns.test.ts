// Queries in the worker: how many may wait, and whose turn comes first (`base/slots.ts`).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnavailable, openNotes } from '../support/storage-support.ts';
import { insideOnly, serviceFor } from '../support/service.ts';
import { newKey } from '../support/resource-support.ts';
import { beforeQueries } from '../support/query-interception.ts';

test('a client with 25 waiting queries gets no more, and others do', async (t) => {
  const database = await openNotes(t);
  const ask = (client: string) => database.readInWorker('SELECT count(*) FROM notes', [], { client });
  const running = ask('many');
  const waiting = Array.from({ length: 25 }, () => ask('many'));
  await assert.rejects(ask('many'), isUnavailable);
  assert.deepEqual(await ask('one'), [[0]]);
  assert.deepEqual(await Promise.all([running, ...waiting]), Array(26).fill([[0]]));
});

test('staff get a turn, although others have as many queries waiting as may wait', async (t) => {
  const database = await openNotes(t);
  const ended: string[] = [];
  const ask = async (client: string, isOfStaff: boolean): Promise<void> => {
    await database.readInWorker('SELECT count(*) FROM notes', [], { client, isOfStaff });
    ended.push(client);
  };
  const all = Array.from({ length: 101 }, (_, client) => ask(`other ${client}`, false));
  await assert.rejects(ask('one other more', false), isUnavailable);
  for (let count = 0; count < 6; count += 1) all.push(ask('staff', true));
  await Promise.all(all);
  // the first one was running already
  const turns = ended.slice(1, 9).map((client) => client.replace(/ .*/, ''));
  assert.equal(turns.filter((client) => client === 'staff').length, 6);
  assert.equal(turns.filter((client) => client === 'other').length, 2);
});

test('turns go by user, even across sessions and keys', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const [ada, bob] = [await service.person('staff'), await service.person()];
  const { key } = await newKey(service, ada.token);
  const { database } = service.inside ?? assert.fail('it is inside');
  const clients: (string | undefined)[] = [];
  const areOfStaff: (boolean | undefined)[] = [];
  beforeQueries(database, (options) => {
    clients.push(options?.client);
    areOfStaff.push(options?.isOfStaff);
  });
  for (const [path, call, user] of [
    ['/orders?total=true', { token: ada.token }, ada],
    ['/orders?q=tea', { key }, ada],
    ['/customers?q=hopper', { token: bob.token }, bob],
    ['/sales', { token: ada.token }, ada],
  ] as const) {
    clients.length = areOfStaff.length = 0;
    assert.equal((await service.get(path, call)).status, 200);
    assert.deepEqual([...new Set(clients)], [`user:${user.id}`]);
    assert.deepEqual([...new Set(areOfStaff)], [user === ada]);
  }
});
