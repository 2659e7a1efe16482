// A customer with unusual words, for tests of the erasure, which look for these words in the files.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from '../../../src/storage/connection.ts';

export const address = { line1: 'Zyxwallee 7', city: 'Oldenburg', postalCode: '26133', country: 'DE' };
export const personal = {
  name: 'Qzorvath Wuxlem',
  email: 'qzorvath@example.com',
  phone: '+4944112349876',
  address,
  note: 'Wuxlem rings twice.',
  reference: 'QZ-77',
};
export const ofOrder = { shippingAddress: address, note: 'To Qzorvath’s back door.' };

/** Copies the order, with its event, as often as `copies` says: all are of the same time. */
export function copyOrder(db: Pick<Connection, 'run'>, id: number, copies: number): void {
  const columns =
    'status, customerId, userId, currency, items, total, shippingAddress, note, createdAt, updatedAt';
  const counted = 'WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT ?)';
  db.run(
    `${counted} INSERT INTO orders (${columns}) SELECT ${columns} FROM orders, n WHERE id = ?`,
    copies,
    id,
  );
  const created = 'INSERT INTO events (createdAt, type, topic, topicId, subjectId, ownerId) ';
  db.run(
    `${created} SELECT createdAt, 'order.created', 'order', id, id, userId FROM orders WHERE id > ?`,
    id,
  );
}

/** No file of the data folder has one of the words. */
export function assertErased(folder: string): void {
  const words = ['Qzorvath', 'Wuxlem', 'qzorvath', 'wuxlem', '4411234', 'Zyxwallee', 'zyxw'];
  for (const file of readdirSync(folder)) {
    const content = readFileSync(join(folder, file), 'latin1');
    for (const word of words) assert(!content.includes(word), `${file} has ${word}`);
  }
}
