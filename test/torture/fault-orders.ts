// For the tests of faults: orders that are placed until the disk is full, and found afterwards.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext } from 'node:test';
import type { TestResponse, Person, TestService } from '../service.ts';
import { spawnService, startChild } from './child-service.ts';
import { createLoadClient, type LoadClient, type Reply } from './load-client.ts';
import { settings } from './signed-in-folder.ts';

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

export function writeUntilFull(file: string): void {
  try {
    for (let bytes = 2 ** 16; ;) appendFileSync(file, Buffer.alloc(bytes));
  } catch {
    /* the disk is full */
  }
  try {
    for (;;) appendFileSync(file, Buffer.alloc(256));
  } catch {
    /* also for small writes */
  }
}

export async function assertRejected(folder: string, says: RegExp): Promise<void> {
  const { ended, written } = spawnService({ folder, settings });
  const { code } = await ended;
  const text = written();
  assert.match(text, says);
  assert.match(text, /^orderly: .*\.$/m);
  assert.doesNotMatch(text, /^\s+at /m, 'no stack');
  assert.notEqual(code, 0);
  assert.doesNotMatch(text, /listening/);
}

export type Shop = { place(note: string): Promise<Reply> };

export async function openShop(client: LoadClient, token: string): Promise<Shop> {
  const {
    thing: { id },
  } = await client.ask({ method: 'POST', path: '/customers', token, body: { name: 'Grace Hopper' } });
  // so that the WAL is soon long enough to be checkpointed
  const filling = Array.from({ length: 40 }, () => ({ ...items[0], name: 'Tea, '.repeat(30) }));
  return {
    place: (note) =>
      client.ask({
        method: 'POST',
        path: '/orders',
        token,
        body: { customerId: id, currency: 'EUR', items: filling, note },
      }),
  };
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

export async function assertAllThere(
  t: TestContext,
  folder: string,
  token: string,
  answered: readonly string[],
): Promise<void> {
  const service = await startChild({ folder: join(folder, 'data'), settings });
  t.after(() => service.kill('SIGKILL'));
  const client = createLoadClient(service.port);
  const notes = new Set((await client.list('/orders?limit=200', token)).map(({ note }) => note));
  client.close();
  assert.deepEqual(
    answered.filter((note) => !notes.has(note)),
    [],
  );
}
