// The customers of orders, for representations that include them.
import { allows, type RowAccess } from '../../auth/access.ts';
import type { Connection } from '../../storage/connection.ts';
import { ownerSql } from '../../resource/owner-store.ts';
import type { IncludedCustomer } from './included-customer.ts';

/** Finds the customers that the access covers, by the ids of their orders, in one statement. */
export function findCustomersOf(
  db: Connection,
  orderIds: readonly number[],
  access: RowAccess,
): ReadonlyMap<number, IncludedCustomer> {
  const rows = db.all<[orderId: number, id: number, userId: number | null, name: string]>(
    `SELECT orders.id, customers.id, ${ownerSql('customers')}, customers.name ` +
      'FROM json_each(?) AS ids CROSS JOIN orders ON orders.id = ids.value ' +
      'CROSS JOIN customers ON customers.id = orders.customerId',
    JSON.stringify(orderIds),
  );
  const visible = rows.filter(([, , userId]) => allows(access, userId));
  return new Map(visible.map(([orderId, id, , name]) => [orderId, { id, name }]));
}
