// The rows of customers.
import { allows, type RowAccess } from '../../auth/access.ts';
import { Problem } from '../../problem.ts';
import { emailKey } from '../../schema/email.ts';
import { nameKey } from '../../schema/members.ts';
import { timestampOf } from '../../schema/timestamp.ts';
import { parseSearch } from '../../schema/search-text.ts';
import { fits, schemaIssues } from '../../schema/schema-check.ts';
import { issueUnless, type Audit } from '../../storage/audit.ts';
import type { Connection, SqlValue } from '../../storage/connection.ts';
import { beginsWith, equals, type IndexedSelection, type SearchSelection } from '../../storage/keyset.ts';
import type { Permit } from '../../storage/permit.ts';
import {
  ascending,
  descending,
  searchScopeOf,
  selectionOf,
  type ListDefinition,
  type SearchScope,
} from '../flows/listing.ts';
import type { ObjectSource, Visible } from '../flows/visible.ts';
import { changesBetween } from '../events/event.ts';
import { recordEvent } from '../events/event-store.ts';
import { ownedBy, ownerIsKnownSql, ownerSql, assertOwnerExists } from '../users/user-store.ts';
import { customerBodies } from './customer-bodies.ts';
import { Customer, type CustomerContent, type CustomerListQuery } from './customer.ts';
import {
  addToSearch,
  removeFromSearch,
  replaceInSearch,
  matchingCustomers,
} from './customer-search-store.ts';

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
const rowSql = `SELECT ${columnsWith(ownerSql('customers'))} FROM customers WHERE id = ?`;

/** The columns of a CustomerRow, with this expression for the owner. */
function columnsWith(owner: string): string {
  return `id, ${owner}, name, email, phone, address, createdAt, updatedAt`;
}

export function findCustomer(db: Connection, id: number): Customer | undefined {
  const row = db.get<CustomerRow>(rowSql, id);
  return row === undefined ? undefined : customerOf(row);
}

export const customerSource: ObjectSource<Customer> = {
  name: 'customer',
  find: findCustomer,
  ownerOf: ({ userId }) => userId,
};

/**
 * Whether the access covers a customer with this id. The column may still name a removed user, but no caller
 * has that user's id: ids are never reused.
 */
export function customerExists(db: Connection, access: RowAccess, id: number): boolean {
  const row = db.get<[userId: number | null]>('SELECT userId FROM customers WHERE id = ?', id);
  return row !== undefined && allows(access, row[0]);
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

type OwnedContent<UserId> = CustomerContent & { readonly userId: UserId };

export function addCustomer(permit: Permit, customer: OwnedContent<number>, createdAt: number): number {
  const sql =
    'INSERT INTO customers (userId, name, nameKey, email, emailKey, phone, address, createdAt, updatedAt) ' +
    'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';
  const { userId } = customer;
  assertOwnerExists(permit, userId);
  const { lastId } = permit.writer.run(sql, userId, ...valuesOf(customer), createdAt, createdAt);
  addToSearch(permit.writer, lastId, customer);
  recordEvent(permit, { type: 'customer.created', subjectId: lastId, ownerId: userId, createdAt });
  return lastId;
}

export function replaceCustomer(
  permit: Permit,
  current: Visible<Customer>,
  wanted: OwnedContent<number | null> & { readonly now: number },
): void {
  const sql =
    'UPDATE customers SET userId = ?, name = ?, nameKey = ?, email = ?, emailKey = ?, phone = ?, ' +
    'address = ?, updatedAt = max(?, updatedAt + 1) WHERE id = ?';
  const { id } = current;
  const { now, ...members } = wanted;
  permit.writer.run(sql, wanted.userId, ...valuesOf(wanted), now, id);
  replaceInSearch(permit.writer, current, wanted);
  recordEvent(permit, {
    type: 'customer.changed',
    subjectId: id,
    ownerId: wanted.userId,
    formerOwnerId: current.userId === wanted.userId ? null : current.userId,
    changes: changesBetween(current, members),
  });
  permit.writer.invalidate({ kind: 'customer', id });
}

export function removeCustomer(permit: Permit, customer: Visible<Customer>): void {
  const db = permit.writer;
  const { id, userId } = customer;
  if (db.get('SELECT 1 FROM orders WHERE customerId = ? LIMIT 1', id) !== undefined)
    throw hasOrdersProblem(id);
  db.run('DELETE FROM customers WHERE id = ?', id);
  removeFromSearch(db, customer);
  recordEvent(permit, { type: 'customer.deleted', subjectId: id, ownerId: userId });
  db.invalidate({ kind: 'customer', id });
}

function hasOrdersProblem(id: number): Problem {
  return new Problem('customer-has-orders', `Customer ${id} has orders and can’t be deleted.`);
}

/** Clears a removed user from customers, for `clearRemovedOwners`. */
export function clearCustomerOwner(db: Connection, userId: number, rowsMax: number): number {
  const sql =
    'UPDATE customers SET userId = NULL WHERE id IN (SELECT id FROM customers WHERE userId = ? LIMIT +?)';
  return db.run(sql, userId, rowsMax).rowsChanged;
}

export function hasCustomers(db: Connection): boolean {
  return db.get('SELECT 1 FROM customers LIMIT 1') !== undefined;
}

function valuesOf({ name, email, phone, address }: CustomerContent): SqlValue[] {
  return [
    name,
    nameKey(name),
    email,
    email === null ? null : emailKey(email),
    phone,
    address === null ? null : JSON.stringify(address),
  ];
}

const { CustomerReplacement } = customerBodies(undefined);

/** Verifies that a customer fits its schema, and that the columns that look-ups use are derived from it. */
export const customerAudit: Audit<
  readonly [...CustomerRow, nameKey: string, emailKey: string | null, ownerIsKnown: number]
> = {
  thing: 'customer',
  table: 'customers',
  columns: `${columnsWith('userId')}, nameKey, emailKey, ${ownerIsKnownSql('customers')}`,
  issues(row) {
    const customer = customerOf(row);
    if (!fits(Customer, customer)) return schemaIssues(Customer, customer);
    const [, , , , , , , , keyOfName, keyOfEmail, ownerIsKnown] = row;
    return [
      ...schemaIssues(CustomerReplacement, customer),
      ...issueUnless(keyOfName === nameKey(customer.name), '/nameKey', 'nameKey does not match the name.'),
      ...issueUnless(
        keyOfEmail === (customer.email === null ? null : emailKey(customer.email)),
        '/emailKey',
        'emailKey does not match the e-mail address.',
      ),
      ...issueUnless(ownerIsKnown === 1, '/userId', `There is no user ${customer.userId}.`),
      ...issueUnless(
        customer.createdAt <= customer.updatedAt,
        '/updatedAt',
        'updatedAt is before createdAt.',
      ),
    ];
  },
};

const customerList: ListDefinition<CustomerListQuery> = {
  table: 'customers',
  defaultSort: 'id',
  orderBy: {
    id: ascending('id'),
    '-id': descending('id'),
    name: ascending('nameKey'),
    '-name': descending('nameKey'),
    createdAt: ascending('createdAt'),
    '-createdAt': descending('createdAt'),
  },
  filters: {
    email: {
      kind: 'equality',
      column: 'emailKey',
      matches: equals,
      columnValueOf: emailKey,
      indexes: { ordered: [], otherwise: 'in memory' },
    },
    userId: { kind: 'equality', column: 'userId', matches: ownedBy, indexes: 'for every sort' },
    name: { kind: 'range', column: 'nameKey', matches: beginsWith, columnValueOf: nameKey },
  },
};

export function customerSelection(access: RowAccess, query: CustomerListQuery): IndexedSelection {
  return selectionOf(customerList, { access, query });
}

export function customerSearch(
  access: RowAccess,
  { q, ...query }: CustomerListQuery & { readonly q: string },
): SearchSelection {
  return matchingCustomers(searchScopeOf(customerList, { access, query }), parseSearch(q));
}

/** The scope of a search: all customers that the access covers. */
export function customerSearchScope(access: RowAccess): SearchScope {
  return searchScopeOf(customerList, { access, query: {} });
}
