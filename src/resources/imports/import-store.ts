// Writes imported objects, and stores the key of each object as long as the object exists.
import { issuesIn, type Checked, type Issue } from '../../schema/schema.ts';
import { toTime } from '../../schema/rfc3339.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Permit } from '../../storage/permit.ts';
import type { CustomerBodies, NewCustomer } from '../customers/customer-bodies.ts';
import { customerContentOf } from '../customers/customer.ts';
import { addCustomer, customerExists } from '../customers/customer-store.ts';
import { orderContentOf } from '../orders/order.ts';
import { addOrder } from '../orders/order-store.ts';
import { userIssues } from '../users/user-store.ts';
import type {
  CustomerReference,
  ImportKind,
  ImportOutcome,
  ParsedLine,
  ImportedOrder,
  References,
} from './import-line.ts';

type Imported = { readonly id: number; readonly fingerprint: Uint8Array };
type KeyedObject = Pick<Imported, 'fingerprint'> & { readonly kind: ImportKind; readonly key: string };

/** The keys that were imported, with the ids and fingerprints of their objects. */
export type ImportKeys = {
  find(db: Connection, kind: ImportKind, key: string): Imported | undefined;
  /** Creates the object by calling `create`, stores its key, and returns its id. */
  add(permit: Permit, object: KeyedObject, create: () => number): number;
};

const tables: Readonly<Record<ImportKind, { readonly find: string; readonly add: string }>> = {
  customer: {
    find: 'SELECT customerId, fingerprint FROM importedCustomers WHERE key = ?',
    add: 'INSERT INTO importedCustomers (key, customerId, fingerprint) VALUES (?, ?, ?)',
  },
  order: {
    find: 'SELECT orderId, fingerprint FROM importedOrders WHERE key = ?',
    add: 'INSERT INTO importedOrders (key, orderId, fingerprint) VALUES (?, ?, ?)',
  },
};

export const importKeys: ImportKeys = {
  find(db, kind, key) {
    const row = db.get<[id: number, fingerprint: Uint8Array]>(tables[kind].find, key);
    return row === undefined ? undefined : { id: row[0], fingerprint: row[1] };
  },
  add({ writer }, { kind, key, fingerprint }, create) {
    const id = create();
    writer.run(tables[kind].add, key, id, fingerprint);
    return id;
  },
};

export type Importer = {
  readonly keys: ImportKeys;
  readonly bodies: CustomerBodies;
  /** The owner of objects that name no `userId`; undefined if `orderly import` was given none. */
  readonly ownerId: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** Writes the object of a line. A rejected line changes nothing. */
export function importLine(permit: Permit, parsed: ParsedLine, importer: Importer): ImportOutcome {
  if (!parsed.ok) {
    const issues = [...parsed.issues, ...referenceIssues(permit.writer, parsed.references, importer)];
    return { status: 422, issues };
  }
  const { key, customer, order } = parsed.line;
  const kind = customer === undefined ? 'order' : 'customer';
  const known = importer.keys.find(permit.writer, kind, key);
  if (known !== undefined) return outcomeOfRepeat(known, parsed.fingerprint);
  const object = { kind, key, fingerprint: parsed.fingerprint } as const;
  if (customer !== undefined) return importCustomer(permit, { ...importer, customer, object });
  if (order !== undefined) return importOrder(permit, { ...importer, order, object });
  throw new TypeError('a line that fits has a customer or an order');
}

/** Returns the issues of an invalid line's references, so that all its issues are reported together. */
function referenceIssues(
  db: Connection,
  { owners, customers }: References,
  { keys, ownerId }: Importer,
): Issue[] {
  return [
    ...owners.flatMap(({ pointer, userId }) => issuesIn(parseOwner(db, pointer, userId ?? ownerId))),
    ...customers.flatMap((customer) => issuesIn(parseCustomer(db, keys, customer))),
  ];
}

function outcomeOfRepeat({ id, fingerprint }: Imported, sent: Uint8Array): ImportOutcome {
  if (Buffer.compare(fingerprint, sent) === 0) return { status: 200, id };
  const detail = `This key was imported with another content, as ${id}; use a new key.`;
  return { status: 422, issues: [{ pointer: '/key', code: 'idempotency-key-reused', detail }] };
}

type CustomerImport = Importer & { readonly customer: NewCustomer; readonly object: KeyedObject };

function importCustomer(permit: Permit, imported: CustomerImport): ImportOutcome {
  const { keys, bodies, customer, object, now } = imported;
  const owner = parseOwner(permit.writer, '/customer', customer.userId ?? imported.ownerId);
  if (!owner.ok) return { status: 422, issues: owner.issues };
  const content = customerContentOf(bodies, customer);
  const create = (): number => addCustomer(permit, { ...content, userId: owner.value }, now);
  return { status: 201, id: keys.add(permit, object, create) };
}

type OrderImport = Importer & { readonly order: ImportedOrder; readonly object: KeyedObject };

function importOrder(permit: Permit, imported: OrderImport): ImportOutcome {
  const { keys, order, object, now } = imported;
  const owner = parseOwner(permit.writer, '/order', order.userId ?? imported.ownerId);
  const customer = parseCustomer(permit.writer, keys, order);
  if (!owner.ok || !customer.ok) return { status: 422, issues: [...issuesIn(owner), ...issuesIn(customer)] };
  const row = { ...orderContentOf(order), customerId: customer.value, userId: owner.value };
  const createdAt = order.createdAt === undefined ? now : toTime(order.createdAt);
  const create = (): number => addOrder(permit, row, { createdAt, updatedAt: now, recordedAt: now }).id;
  return { status: 201, id: keys.add(permit, object, create) };
}

/** Returns the id of the user who will own the object at `pointer`, or the issues of that user. */
function parseOwner(db: Connection, pointer: string, userId: number | undefined): Checked<number> {
  if (userId === undefined) return { ok: false, issues: [noOwner(`${pointer}/userId`)] };
  const issues = userIssues(db, userId).map((issue) => ({ ...issue, pointer: `${pointer}/userId` }));
  return issues.length === 0 ? { ok: true, value: userId } : { ok: false, issues };
}

function noOwner(pointer: string): Issue {
  return {
    pointer,
    code: 'required',
    detail: 'userId is required unless --owner names an owner for all lines.',
  };
}

/** Returns the id of the customer that an order names, or the issue that there is none. */
function parseCustomer(
  db: Connection,
  keys: ImportKeys,
  { customerId, customerKey }: CustomerReference,
): Checked<number> {
  if (customerKey !== undefined) return importedCustomer(keys.find(db, 'customer', customerKey), customerKey);
  const id = customerId ?? 0; // a valid line has one or the other
  if (customerExists(db, 'all', id)) return { ok: true, value: id };
  const detail = `There is no customer ${id}.`;
  return { ok: false, issues: [{ pointer: '/order/customerId', code: 'unknown', detail }] };
}

function importedCustomer(found: Imported | undefined, key: string): Checked<number> {
  if (found !== undefined) return { ok: true, value: found.id };
  const detail = `No customer was imported with the key ${JSON.stringify(key)}.`;
  return { ok: false, issues: [{ pointer: '/order/customerKey', code: 'unknown', detail }] };
}
