// Erases the personal data of a customer, and of the customer's orders. The first write has the whole effect
// that clients can see: the customer is overwritten, and a row of `erasures` hides the personal members of
// the orders (`unlessErasedSql`). The cleanup then clears them in slices, even after a restart. Personal data
// that are written to these orders in between are hidden and cleared, too.
import { personalNames } from '../../resource/resource-members.ts';
import type { Connection } from '../../storage/connection.ts';
import { indexMetadata, noMetadata, type Metadata } from '../../storage/metadata.ts';
import type { Owned } from '../../storage/object-access.ts';
import type { Permit } from '../../storage/permit.ts';
import { eraseContent, type Customer } from '../customers/customers.ts';
import { orderMembers } from './order-members.ts';

/**
 * Erases the customer. A second erasure clears only the data that orders got since. Triggers remove stored
 * responses and keys of imports.
 */
export function eraseCustomer(
  permit: Permit,
  customer: Owned<Customer>,
  tables: readonly CustomerTable[],
): void {
  const db = permit.writer;
  const sql =
    'INSERT OR REPLACE INTO erasures (customerId, lastOrderId) ' +
    'VALUES (?, ifnull((SELECT max(id) FROM orders), 0))';
  db.run(sql, customer.id);
  db.invalidate('everything');
  eraseContent(permit, customer);
  for (const table of tables) eraseIn(db, table, customer.id);
}

/** A table of a declared resource whose rows refer to customers, and its columns that are personal. */
export type CustomerTable = { readonly table: string; readonly personal: readonly string[] };

/** Clears the personal columns of the rows that refer to the customer, and removes stored responses that show them. */
function eraseIn(db: Connection, { table, personal }: CustomerTable, customerId: number): void {
  if (personal.length === 0) return;
  if (personal.includes('metadata')) {
    // by its primary key: by the id alone, SQLite would walk the whole index of metadata
    const indexed =
      `SELECT each.key, each.value, row.id FROM ${table} AS row, json_each(row.metadata) AS each ` +
      'WHERE row.customerId = ?';
    db.run(`DELETE FROM ${table}Metadata WHERE (name, value, id) IN (${indexed})`, customerId);
  }
  const cleared = personal.map((name) => `${name} = ${erasedSql(name)}`).join(', ');
  db.run(`UPDATE ${table} SET ${cleared} WHERE customerId = ?`, customerId);
  const locations = `SELECT '/${table}/' || id FROM ${table} WHERE customerId = ?`;
  db.run(`DELETE FROM storedResponses WHERE location IN (${locations})`, customerId);
}

const personal = personalNames(orderMembers);
export type PersonalName = (typeof personal)[number];

/** Returns an expression for a column of `orders`: null once the order's customer is erased. */
export function unlessErasedSql(column: PersonalName): string {
  const isErased =
    'EXISTS (SELECT 1 FROM erasures WHERE erasures.customerId = orders.customerId ' +
    'AND orders.id <= erasures.lastOrderId)';
  return `iif(${isErased}, ${erasedSql(column)}, orders.${column})`;
}

/** The value of the column after an erasure. */
function erasedSql(column: string): string {
  return column === 'metadata' ? "'{}'" : 'NULL';
}

/** A condition on an id in the index of orders' metadata: excludes orders that are still to be cleared. */
export const isNotErasedSql =
  'id NOT IN (SELECT orders.id FROM erasures JOIN orders USING (customerId) WHERE orders.id <= lastOrderId)';

/** The place of an order in the index of its customer's orders. */
type Position = readonly [status: string, createdAt: number, orderId: number];
type Erasure = readonly [customerId: number, lastOrderId: number, ...after: Position];

/**
 * A step of the cleanup: follows the index of the customer's orders. It may miss an order whose status changes
 * meanwhile. But this change has read the order with its personal members hidden, so it writes them back empty.
 */
export function clearErasedOrders(db: Connection, rowsMax: number): number {
  const erasure = db.get<Erasure>(
    'SELECT customerId, lastOrderId, status, createdAt, orderId FROM erasures LIMIT 1',
  );
  if (erasure === undefined) return 0;
  const [customerId, lastOrderId, ...after] = erasure;
  const positions = db.all<Position>(nextSql, customerId, ...after, rowsMax);
  const last = positions.at(-1);
  if (last === undefined) return db.run('DELETE FROM erasures WHERE customerId = ?', customerId).rowsChanged;
  for (const [, , id] of positions) if (id <= lastOrderId) clearOrder(db, id);
  const sql = 'UPDATE erasures SET status = ?, createdAt = ?, orderId = ? WHERE customerId = ?';
  db.run(sql, ...last, customerId);
  return positions.length;
}

function clearOrder(db: Connection, id: number): void {
  indexMetadata(db, 'orders', { id, before: storedMetadata(db, id) ?? noMetadata, after: noMetadata });
  db.run(clearSql, id);
}

/** Returns the metadata in an order's row, even hidden ones; undefined if no erasure is under way. */
export function storedMetadata(db: Connection, id: number): Metadata | undefined {
  const sql = 'SELECT metadata FROM orders WHERE id = ? AND EXISTS (SELECT 1 FROM erasures)';
  const row = db.get<[string]>(sql, id);
  return row === undefined ? undefined : JSON.parse(row[0]);
}

/**
 * The next positions. For `(status, createdAt, id) > (?, ?, ?)` SQLite would use the index up to `createdAt` alone, and
 * walk all orders of that time again for each step.
 */
const nextSql = [
  'status = ?2 AND createdAt = ?3 AND id > ?4',
  'status = ?2 AND createdAt > ?3',
  'status > ?2',
]
  .map((later) => {
    const ordered = `customerId = ?1 AND ${later} ORDER BY status, createdAt, id LIMIT +?5`;
    return `SELECT * FROM (SELECT status, createdAt, id FROM orders WHERE ${ordered})`;
  })
  .join(' UNION ALL ')
  .concat(' LIMIT +?5');
const cleared = personal.map((name) => `${name} = ${erasedSql(name)}`).join(', ');
const clearSql = `UPDATE orders SET ${cleared} WHERE id = ?`;
