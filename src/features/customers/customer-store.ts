// The rows of customers.
import { allows, rowAccessOf, type RowAccess } from '../../auth/access.ts';
import { timestampOf } from '../../base/timestamp.ts';
import { Problem } from '../../problem.ts';
import { emailKey, formerEmailKey } from '../../schema/email.ts';
import { nameKey, namePrefix, sameNameRange } from '../../schema/members.ts';
import { parseSearch } from '../../schema/search-text.ts';
import { fits, keptIssues, schemaIssues } from '../../schema/schema-check.ts';
import { issueUnless, rowsByKey } from '../../storage/audit.ts';
import type { Connection } from '../../storage/connection.ts';
import { beginsWith, equals, type RowSelection, type SearchSelection } from '../../storage/keyset.ts';
import { indexMetadata, metadataFilter, noMetadata } from '../../storage/metadata.ts';
import type { Permit } from '../../storage/permit.ts';
import { columnsOf, contentNames, namesInEvents } from '../../storage/resource.ts';
import * as column from '../../storage/table.ts';
import { table } from '../../storage/table.ts';
import {
  ascending,
  descending,
  searchScopeOf,
  selectionOf,
  type ListDefinition,
  type SearchScope,
} from '../../storage/listing.ts';
import { changesNothing, unlessInUse, type ObjectSource, type Owned } from '../../storage/object-access.ts';
import { remakeNameKeys } from '../../storage/unique-keys.ts';
import { changesBetween } from '../events/event.ts';
import { recordEvent } from '../events/event-store.ts';
import { ownedBy, ownerIsKnownSql, ownerSql, assertOwnerExists } from '../users/user-store.ts';
import {
  Customer,
  customerBodies,
  customerMembers,
  type CustomerContent,
  type CustomerRow,
} from './customer-members.ts';
import type { CustomerListQuery } from './customer.ts';
import {
  addToSearch,
  refillCustomerSearch,
  removeFromSearch,
  replaceInSearch,
  matchingCustomers,
} from './customer-search-store.ts';

const shown = columnsOf(customerMembers);
const columns = {
  ...shown,
  nameKey: column.derived('name', nameKey),
  emailKey: column.nullable(column.derived('email', emailKey)),
};
const customers = table('customers', columns);
const rows = customers.select({ ...shown, userId: column.computed(ownerSql('customers'), shown.userId) });
const replaceContent = customers.update([...contentNames(customerMembers), 'updatedAt']);
const shownValues = namesInEvents(customerMembers);

export function findCustomer(db: Connection, id: number): CustomerRow | undefined {
  return rows.find(db, id);
}

export const customerSource: ObjectSource<CustomerRow> = {
  name: 'customer',
  find: findCustomer,
  ownerOf: ({ userId }) => userId,
  accessOf: rowAccessOf,
};

/**
 * Whether the access covers a customer with this id. The owner's column may still have a removed user's id,
 * but no caller has this id: ids are never reused.
 */
export function customerExists(db: Connection, access: RowAccess, id: number): boolean {
  const row = db.get<[userId: number | null]>('SELECT userId FROM customers WHERE id = ?', id);
  return row !== undefined && allows(access, row[0]);
}

type Identity = Pick<CustomerContent, 'name' | 'email' | 'phone' | 'reference'>;

/**
 * Returns the customer that is meant: who alone has this reference; or else this e-mail address; or else this phone
 * number together with the name. Nobody who has another reference is meant.
 */
export function findKnownCustomer(
  db: Connection,
  { name, email, phone, reference }: Identity,
): number | undefined {
  const found = [
    db.all<KnownRow>(knownReferenceSql, reference),
    db.all<KnownRow>(knownEmailSql, email === null ? null : emailKey(email)),
    db.all<KnownRow>(knownPhoneSql, phone, ...sameNameRange(name)),
  ];
  for (const [known, other] of found)
    if (known !== undefined && other === undefined && isNoOther(known[1], reference)) return known[0];
  return undefined;
}

type KnownRow = [id: number, reference: string | null];

const knownReferenceSql = 'SELECT id, reference FROM customers WHERE reference = ? LIMIT 2';
const knownEmailSql = 'SELECT id, reference FROM customers WHERE emailKey = ? LIMIT 2';
const knownPhoneSql =
  'SELECT id, reference FROM customers WHERE phone = ? AND nameKey >= ? AND nameKey < ? LIMIT 2';

function isNoOther(known: string | null, reference: string | null): boolean {
  return known === null || reference === null || known === reference;
}

/** Returns a customer who has the same reference, e-mail address or phone number as another one. */
export function findSameCustomer(db: Connection, { email, phone, reference }: Identity): number | undefined {
  const row =
    db.get<[id: number]>('SELECT id FROM customers WHERE reference = ? LIMIT 1', reference) ??
    db.get<[id: number]>(sameEmailSql, email === null ? null : emailKey(email)) ??
    db.get<[id: number]>(samePhoneSql, phone);
  return row?.[0];
}

const sameEmailSql = 'SELECT id FROM customers WHERE emailKey = ? ORDER BY id LIMIT 1';
const samePhoneSql = 'SELECT id FROM customers WHERE phone = ? ORDER BY nameKey, id LIMIT 1';

type NewCustomerRow = CustomerContent & { readonly userId: number };

export function addCustomer(permit: Permit, customer: NewCustomerRow, createdAt: number): CustomerRow {
  const { userId } = customer;
  assertOwnerExists(permit, userId);
  const id = customers.insert(permit.writer, { ...customer, createdAt, updatedAt: createdAt });
  indexMetadata(permit.writer, 'customers', { id, before: noMetadata, after: customer.metadata });
  addToSearch(permit.writer, id, customer);
  recordEvent(permit, { type: 'customer.created', subjectId: id, ownerId: userId, createdAt });
  return rows.written({ ...customer, id, createdAt, updatedAt: createdAt });
}

/** Returns the customer as it is now. */
export function replaceCustomer(
  permit: Permit,
  current: Owned<CustomerRow>,
  wanted: CustomerContent,
): CustomerRow {
  return writeCustomer(permit, current, { type: 'customer.changed', wanted });
}

/** What erasing makes of a customer. */
const erased: Omit<CustomerContent, 'userId'> = {
  name: 'erased',
  email: null,
  phone: null,
  address: null,
  note: null,
  reference: null,
  metadata: noMetadata,
};

/** Erases what is personal of the customer. The customer's orders are another matter. */
export function eraseContent(permit: Permit, customer: Owned<CustomerRow>): void {
  if (changesNothing(customer, erased)) return;
  const wanted = { ...erased, userId: customer.userId };
  writeCustomer(permit, customer, { type: 'customer.erased', wanted });
}

type CustomerChange = {
  readonly type: 'customer.changed' | 'customer.erased';
  readonly wanted: CustomerContent;
};

/** Replaces the customer, in the table and in the search, and records an event of this type. */
function writeCustomer(
  permit: Permit,
  current: Owned<CustomerRow>,
  { type, wanted }: CustomerChange,
): CustomerRow {
  const { id } = current;
  const updatedAt = column.changeTime(current, permit.origin.now);
  replaceContent(permit.writer, { ...wanted, updatedAt }, id);
  indexMetadata(permit.writer, 'customers', { id, before: current.metadata, after: wanted.metadata });
  replaceInSearch(permit.writer, current, wanted);
  recordEvent(permit, {
    type,
    subjectId: id,
    ownerId: wanted.userId,
    formerOwnerId: current.userId === wanted.userId ? null : current.userId,
    changes: changesBetween(current, wanted, shownValues),
  });
  permit.writer.invalidate({ kind: 'customer', id });
  return { ...current, ...wanted, updatedAt: timestampOf(updatedAt) };
}

export function removeCustomer(permit: Permit, customer: Owned<CustomerRow>): void {
  const db = permit.writer;
  const { id, userId } = customer;
  if (db.get('SELECT 1 FROM orders WHERE customerId = ? LIMIT 1', id) !== undefined)
    throw hasOrdersProblem(id);
  unlessInUse('customer', id, () => db.run('DELETE FROM customers WHERE id = ?', id));
  indexMetadata(db, 'customers', { id, before: customer.metadata, after: noMetadata });
  removeFromSearch(db, customer);
  recordEvent(permit, { type: 'customer.deleted', subjectId: id, ownerId: userId });
  db.invalidate({ kind: 'customer', id });
}

function hasOrdersProblem(id: number): Problem {
  return new Problem('customer-has-orders', `Customer ${id} has orders and can’t be deleted.`);
}

/** For a migration: makes keys and search anew. */
export function remakeCustomerKeys(db: Connection): void {
  remakeNameKeys(db, 'customers');
  const emails = 'SELECT id, email FROM customers WHERE id > ? AND email IS NOT NULL ORDER BY id LIMIT +?';
  for (const [id, email] of rowsByKey<[id: number, email: string]>(db, emails))
    if (emailKey(email) !== formerEmailKey(email))
      db.run('UPDATE customers SET emailKey = ? WHERE id = ?', emailKey(email), id);
  refillCustomerSearch(db);
}

export function hasCustomers(db: Connection): boolean {
  return db.get('SELECT 1 FROM customers LIMIT 1') !== undefined;
}

const { CustomerReplacement } = customerBodies(() => undefined);

export const customerAudit = customers.audit({
  thing: 'customer',
  columns: { ...columns, ownerIsKnown: column.computed(ownerIsKnownSql('customers'), column.flag) },
  issues({ nameKey, emailKey, ownerIsKnown, ...customer }) {
    if (!fits(Customer, customer)) return schemaIssues(Customer, customer);
    return [
      ...keptIssues(CustomerReplacement, customer),
      ...issueUnless(ownerIsKnown, '/userId', `There is no user ${customer.userId}.`),
      ...issueUnless(
        customer.createdAt <= customer.updatedAt,
        '/updatedAt',
        'updatedAt is before createdAt.',
      ),
    ];
  },
});

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
      ordered: ['id'],
    },
    userId: {
      kind: 'equality',
      column: 'userId',
      matches: ownedBy,
      ordered: ['id', 'nameKey', 'createdAt'],
    },
    metadata: metadataFilter('customers'),
    name: { kind: 'range', column: 'nameKey', matches: beginsWith, columnValueOf: namePrefix },
  },
};

export function customerSelection(access: RowAccess, query: CustomerListQuery): RowSelection {
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
