// For the tests of faults: orders that are placed until the disk is full, and found afterwards.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestResponse, Person, TestService } from '../support/service.ts';
import { orderly } from '../support/command-support.ts';
import type { LoadClient, Reply } from '../support/load-client.ts';
import { notesIn } from './signed-in-folder.ts';

export const items = [{ name: 'Green tea', quantity: 2, unitPrice: 749 }];

export type Placer = {
  readonly staff: Person;
  readonly customerId: number;
  place(note: string): Promise<TestResponse>;
};

export async function placer(service: TestService): Promise<Placer> {
  const staff = await service.person('staff');
  const { body } = await service.post('/customers', { token: staff.token, body: { name: 'Grace Hopper' } });
  return {
    staff,
    customerId: body.id,
    place: (note) =>
      service.post('/orders', {
        token: staff.token,
        body: { customerId: body.id, currency: 'EUR', items, note },
      }),
  };
}

export function assertUnavailable({ status, headers, body }: TestResponse): void {
  assert.equal(status, 503);
  assert.match(headers['content-type'] ?? '', /^application\/problem\+json/);
  assert.equal(body.type, `${new URL(body.type).origin}/problems/unavailable`);
  assert(Number(headers['retry-after']) >= 1);
}

export async function notesOf(service: TestService, { staff }: Placer): Promise<Set<string>> {
  const notes = new Set<string>();
  for (let next = '/orders?limit=200'; next !== null;) {
    const { body } = await service.get(next, { token: staff.token });
    for (const { note } of body.data) notes.add(note);
    next = body.next;
  }
  return notes;
}

/** Runs in a process of all rejected starts unless `runs` is a program. */
export async function assertRejected(folder: string, says: RegExp, runs?: readonly string[]): Promise<void> {
  const args = ['--port=0', '--tls=off', `--data=${folder}`];
  const { status, stdout, stderr } = await orderly(args, runs === undefined ? {} : { runs });
  assert.match(stderr, says);
  assert.match(stderr, /^orderly: .*\.$/m);
  assert.doesNotMatch(stderr, /^\s+at /m, 'no stack');
  assert.notEqual(status, 0);
  assert.doesNotMatch(stdout, /listening/);
}

export type Shop = { place(note: string): Promise<Reply> };

export async function openShop(client: LoadClient, token: string): Promise<Shop> {
  const {
    thing: { id },
  } = await client.ask({ method: 'POST', path: '/customers', token, body: { name: 'Grace Hopper' } });
  return {
    place: (note) =>
      client.ask({
        method: 'POST',
        path: '/orders',
        token,
        body: { customerId: id, currency: 'EUR', items, note },
      }),
  };
}

/** Makes the WAL of a service so long that it is checkpointed. */
export function lengthenWal(folder: string): void {
  using other = new DatabaseSync(join(folder, 'orderly.db'), { timeout: 10_000 });
  other.exec(
    `PRAGMA wal_autocheckpoint = 0; CREATE TABLE long AS SELECT zeroblob(${2 ** 25}); DROP TABLE long`,
  );
}

/** The reply that wasn't 201, or undefined if the connection was rejected or cut. */
export async function placeUntilRefused(
  shop: Shop,
  each: number,
  answered: string[],
): Promise<Reply | undefined> {
  for (let order = 0; ; order += 1) {
    const note = `${each} ${order}`;
    const reply = await shop.place(note).catch(() => undefined);
    if (reply?.status !== 201) return reply;
    answered.push(note);
  }
}

export async function assertAllThere(folder: string, answered: readonly string[]): Promise<void> {
  const notes = new Set(await notesIn(folder));
  assert.deepEqual(
    answered.filter((note) => !notes.has(note)),
    [],
  );
}
