// For the tests of exports: header fields that request one, and clients that don't read.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { signedIn, type Caller } from '../../src/auth/access.ts';
import type { CsvTable } from '../../src/base/csv.ts';
import type { ElementReader, Exports } from '../../src/http/lists/export.ts';
import { exportable } from '../../src/http/routing/reply.ts';
import { route, type Route } from '../../src/http/routing/route.ts';
import { object } from '../../src/schema/schema.ts';
import type { TestService } from './service.ts';
import { newCustomer, newOrder } from './resource-support.ts';

export const csv = { accept: 'text/csv' };
export const ndjson = { accept: 'application/x-ndjson' };

/** Orders whose rows in CSV take 400 KB each: far more in all than the system keeps for an idle reader. */
export async function manyLargeOrders(service: TestService, token: string, count = 60): Promise<void> {
  const items = Array.from({ length: 100 }, () => ({ name: 'Tea', quantity: 1, unitPrice: 749 }));
  const customerId: number = (await newCustomer(service, token)).id;
  const order = { customerId, items, note: 'ü'.repeat(2000) };
  await Promise.all(Array.from({ length: count }, () => newOrder(service, token, order)));
}

export type UnreadExport = {
  readonly message: IncomingMessage;
  /** Resolves at the end: whether the response is complete. */
  readonly ended: Promise<boolean>;
  close(): void;
};

/** Requests an export, with a token or a key, and reads nothing of it until `message` is resumed. */
export async function openUnread(
  { port }: TestService,
  credential: string,
  path = '/orders',
): Promise<UnreadExport> {
  const isKey = credential.startsWith('ord_');
  const headers = {
    ...csv,
    ...(isKey ? { 'x-api-key': credential } : { authorization: `Bearer ${credential}` }),
  };
  const asked = request({ port, host: '127.0.0.1', path, agent: false, headers });
  asked.on('error', () => {}).end();
  const [message]: [IncomingMessage] = (await once(asked, 'response')) as [IncomingMessage]; // as documented
  message.on('error', () => {}); // of a connection that was aborted
  assert.equal(message.statusCode, 200);
  const ended = new Promise<boolean>((resolve) => message.once('close', () => resolve(message.complete)));
  return { message, ended, close: () => asked.destroy() };
}

/** A list at /test/rows that is sent only as a file. */
export function exportRoute(
  exports: Exports,
  source: ElementReader<unknown, Caller>,
  table: CsvTable<unknown> = { columns: [], rowsOf: () => [] },
): Route {
  return route({
    method: 'GET',
    path: '/test/rows',
    tag: 'Service',
    summary: 'An export',
    access: signedIn,
    reply: { kind: 'list', schema: object({}), mediaTypes: exportable },
    handle: (call) => exports.createResult(call, { name: 'rows', table }, source),
  });
}
