// The rows of customers.
import { allows, type RowAccess } from '../../auth/access.ts';
import { Problem } from '../../errors.ts';
import type { Selection } from '../../http/list.ts';
import { represent, type Representation } from '../../http/representation.ts';
import { emailKey } from '../../schema/email.ts';
import { nameKey, timestampOf } from '../../schema/members.ts';
import { check, fits } from '../../schema/schema-check.ts';
import type { ObjectOf } from '../../schema/schema.ts';
import { unless, type Audit } from '../../storage/audit.ts';
import type { Connection, SqlValue } from '../../storage/connection.ts';
import {
  andOrNone,
  beginsWith,
  equals,
  matchAll,
  withoutIndex,
  type Condition,
} from '../../storage/keyset.ts';
import { ownedBy, ownerGone, ownerIsKnown, ownerOf } from '../users/user-store.ts';
import { Customer, CustomerReplacement, type CustomerCore, type customerFilters } from './customer.ts';

type CustomerRow = readonly [
  id: number,
  userId: number | null,
  name: string,
  email: string | null,
  phone: string | null,
  address: string | null,
  createdAt: number,
  updatedAt: number,
];
const columns = 'id, userId, name, email, phone, address, createdAt, updatedAt';

const shownColumns = columns.replace('userId', ownerOf('customers'));

export function findCustomer(
  db: Connection,
  reach: RowAccess,
  id: number,
): Representation<Customer> | undefined {
  const row = db.get<CustomerRow>(`SELECT ${shownColumns} FROM customers WHERE id = ?`, id);
  if (row === undefined || !allows(reach, row[1])) return undefined;
  return represent(customerOf(row), { id, ownerId: row[1] });
}

export function customerExists(db: Connection, reach: RowAccess, id: number): boolean {
  const row = db.get<[userId: number | null]>('SELECT userId FROM customers WHERE id = ?', id);
  return row !== undefined && allows(reach, row[0]);
}

function customerOf([id, userId, name, email, phone, address, createdAt, updatedAt]: readonly [
  ...CustomerRow,
  ...SqlValue[],
]): Customer {
  return {
    id,
    userId,
    name,
    email,
    phone,
    address: address === null ? null : JSON.parse(address), // written by valuesOf
    createdAt: timestampOf(createdAt),
    updatedAt: timestampOf(updatedAt),
  };
}

export function addCustomer(db: Connection, customer: CustomerCore, userId: number, now: number): number {
  const sql =
    'INSERT INTO customers (userId, name, nameKey, email, emailKey, phone, address, createdAt, updatedAt) ' +
    'SELECT id, ?, ?, ?, ?, ?, ?, ?, ? FROM users WHERE id = ?';
  const { changes, lastId } = db.run(sql, ...valuesOf(customer), now, now, userId);
  if (changes === 0) throw ownerGone();
  return lastId;
}

export function replaceCustomer(
  db: Connection,
  id: number,
  customer: CustomerCore,
  userId: number | null,
  now: number,
): void {
  const sql =
    'UPDATE customers SET userId = ?, name = ?, nameKey = ?, email = ?, emailKey = ?, phone = ?, ' +
    'address = ?, updatedAt = max(?, createdAt) ' +
    'WHERE id = ?';
  db.run(sql, userId, ...valuesOf(customer), now, id);
  db.invalidate({ kind: 'customer', id });
}

export function removeCustomer(db: Connection, id: number): void {
  if (db.get('SELECT 1 FROM orders WHERE customerId = ? LIMIT 1', id) !== undefined) {
    throw new Problem('customer-has-orders', `Customer ${id} has orders and can’t be deleted.`);
  }
  db.run('DELETE FROM customers WHERE id = ?', id);
  db.invalidate({ kind: 'customer', id });
}

/** A step of `forgetRemovedUsers`. */
export function disownCustomers(db: Connection, userId: number, rowsMax: number): number {
  const sql =
    'UPDATE customers SET userId = NULL WHERE id IN (SELECT id FROM customers WHERE userId = ? LIMIT ?)';
  return db.run(sql, userId, rowsMax).changes;
}

export function hasCustomers(db: Connection): boolean {
  return db.get('SELECT 1 FROM customers LIMIT 1') !== undefined;
}

function valuesOf({ name, email, phone, address }: CustomerCore): SqlValue[] {
  return [
    name,
    nameKey(name),
    email,
    email === null ? null : emailKey(email),
    phone,
    address === null ? null : JSON.stringify(address),
  ];
}

/** A customer is what the description says, and what is looked up by is derived from it. */
export const customerAudit: Audit<
  readonly [...CustomerRow, nameKey: string, emailKey: string | null, ownerIsKnown: number]
> = {
  thing: 'customer',
  table: 'customers',
  columns: `${columns}, nameKey, emailKey, ${ownerIsKnown('customers')}`,
  issues(row) {
    const customer = customerOf(row);
    if (!fits(Customer, customer)) return check(Customer, customer);
    return [
      ...check(CustomerReplacement, customer),
      ...unless(row[8] === nameKey(customer.name), '/nameKey', 'nameKey does not match the name.'),
      ...unless(
        row[9] === (customer.email === null ? null : emailKey(customer.email)),
        '/emailKey',
        'emailKey does not match the e-mail address.',
      ),
      ...unless(row[10] === 1, '/userId', `There is no user ${customer.userId}.`),
      ...unless(customer.createdAt <= customer.updatedAt, '/updatedAt', 'updatedAt is before createdAt.'),
    ];
  },
};

const sortColumns = { id: 'id', name: 'nameKey', createdAt: 'createdAt' } as const;

/** Which customers a list shows, and in what order. Those with one e-mail address are few. */
export function customerListing(
  reach: RowAccess,
  { sort = 'id', userId, email, name }: ObjectOf<typeof customerFilters>,
): Selection {
  // customerSorts has nothing else
  const key = sortColumns[sort.replace('-', '') as keyof typeof sortColumns];
  const owners: number[] = [];
  if (userId !== undefined) owners.push(userId);
  if (reach !== 'everyone') owners.push(reach.userId);
  const equalities: Condition[] = [];
  if (email !== undefined) equalities.push(equals('emailKey', emailKey(email)));
  for (const owner of owners) equalities.push(ownedBy(owner));
  const isGathered = email !== undefined;
  const indexed = equalities.slice(0, 1);
  const residual = equalities.slice(1).map(withoutIndex);
  if (name !== undefined) {
    const named = beginsWith('nameKey', nameKey(name));
    if (key === 'nameKey' && !isGathered) indexed.push(named);
    else residual.push(named);
  }
  return {
    table: 'customers',
    key,
    isDescending: sort.startsWith('-'),
    owners,
    streams: [andOrNone(indexed) ?? matchAll],
    sortsInMemory: isGathered,
    residual: andOrNone(residual),
  };
}
