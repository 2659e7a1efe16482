// Writes imported objects, and stores the key of each object as long as the object exists.
import assert from 'node:assert';
import type { Caller } from '../../auth/access.ts';
import { Problem } from '../../problem.ts';
import { emailKey } from '../../schema/email.ts';
import { issuesIn, type Checked } from '../../schema/schema.ts';
import { cutGtinWarning, skuKey } from '../../schema/codes.ts';
import { foldedName, readOnlyIssues, withdrawnCurrencyIssues } from '../../schema/members.ts';
import { toTime } from '../../schema/rfc3339.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Permit } from '../../storage/permit.ts';
import type { CustomerBodies, CustomerContent } from '../customers/customer-members.ts';
import {
  addCustomer,
  customerExists,
  customerSource,
  findKnownCustomer,
  findSameCustomer,
  replaceCustomer,
} from '../customers/customer-store.ts';
import { changesNothing, requireOwned } from '../../storage/object-access.ts';
import { orderContentOf } from '../orders/order-members.ts';
import { addOrder } from '../orders/order-store.ts';
import { findProductButForZeros, products, type NewProduct } from '../products/products.ts';
import { userIssues } from '../users/user-store.ts';
import {
  hasOwnKey,
  type ImportKind,
  type ImportedCustomer,
  type ImportedOrder,
  type ParsedLine,
} from './import-line.ts';
import type { LineOutcome } from './line-imports.ts';

/** The most keys of new objects that a dry run remembers, since later lines may name them. */
export const importDryRunKeysMax = 200_000;

/** The id is null in a dry run. */
type Imported = { readonly id: number | null; readonly fingerprint: Uint8Array };
type KeyedObject = Pick<Imported, 'fingerprint'> & { readonly kind: ImportKind; readonly key: string };

/** The keys that were imported, with the ids and fingerprints of their objects. */
type ImportKeys = {
  readonly isDryRun: boolean;
  find(db: Connection, kind: ImportKind, key: string): Imported | undefined;
  /** Creates the object by calling `create`, stores its key, and returns its id. */
  add(permit: Permit, object: KeyedObject, create: () => number): number | null;
  /** Stores with the key of a customer what was imported last. */
  replaceFingerprint(permit: Permit, customer: Omit<KeyedObject, 'kind'>): void;
  /** What a customer is to those that earlier lines of a dry run would create; others are in the database. */
  compare(customer: CustomerContent): 'known' | 'similar' | 'new';
  remember(customer: CustomerContent): void;
};

type KeyTable = { readonly find: string; readonly add: string | null };

const tables: Readonly<Record<ImportKind, KeyTable>> = {
  customer: {
    find: 'SELECT customerId, fingerprint FROM importedCustomers WHERE key = ?',
    add: 'INSERT INTO importedCustomers (key, customerId, fingerprint) VALUES (?, ?, ?)',
  },
  order: {
    find: 'SELECT orderId, fingerprint FROM importedOrders WHERE key = ?',
    add: 'INSERT INTO importedOrders (key, orderId, fingerprint) VALUES (?, ?, ?)',
  },
  // the key of a product is in its own row
  product: { find: "SELECT id, x'' FROM products WHERE skuKey = ?", add: null },
};

export const storedKeys: ImportKeys = {
  isDryRun: false,
  find(db, kind, key) {
    const row = db.get<[id: number, fingerprint: Uint8Array]>(tables[kind].find, key);
    return row === undefined ? undefined : { id: row[0], fingerprint: row[1] };
  },
  add({ writer }, { kind, key, fingerprint }, create) {
    const id = create();
    const { add } = tables[kind];
    if (add !== null) writer.run(add, key, id, fingerprint);
    return id;
  },
  replaceFingerprint({ writer }, { key, fingerprint }) {
    writer.run('UPDATE importedCustomers SET fingerprint = ? WHERE key = ?', fingerprint, key);
  },
  compare: () => 'new',
  remember() {},
};

/** The keys of a dry run. It creates nothing, but remembers what earlier lines would have created. */
export function dryRunKeys(): ImportKeys {
  const fingerprints = new Map<string, string>();
  /** What customers are found by, with their references: null for one who has none, undefined for several customers. */
  const names = new Map<string, string | null | undefined>();
  return {
    isDryRun: true,
    find(db, kind, key) {
      const fingerprint = fingerprints.get(`${kind} ${key}`);
      if (fingerprint === undefined) return storedKeys.find(db, kind, key);
      return { id: null, fingerprint: Buffer.from(fingerprint, 'base64') };
    },
    add(_permit, { kind, key, fingerprint }) {
      if (fingerprints.size >= importDryRunKeysMax) throw tooManyKeys();
      fingerprints.set(`${kind} ${key}`, Buffer.from(fingerprint).toString('base64'));
      return null;
    },
    replaceFingerprint() {},
    compare(customer) {
      const { reference } = customer;
      const isKnown = namesOf(customer).some((name) => {
        const other = names.get(name);
        return other === null || (other !== undefined && (reference === null || reference === other));
      });
      if (isKnown) return 'known';
      return contactsOf(customer).some((name) => names.has(name)) ? 'similar' : 'new';
    },
    remember(customer) {
      for (const name of new Set([...namesOf(customer), ...contactsOf(customer)]))
        names.set(name, names.has(name) ? undefined : customer.reference);
    },
  };
}

/** The texts by which an import finds a customer. */
function namesOf({ name, email, phone, reference }: CustomerContent): string[] {
  const names: string[] = [];
  if (reference !== null) names.push(`reference ${reference}`);
  if (email !== null) names.push(`email ${emailKey(email)}`);
  if (phone !== null) names.push(`phone ${phone} ${foldedName(name)}`);
  return names;
}

/** The texts that two customers seldom share. */
function contactsOf(customer: CustomerContent): string[] {
  const { phone } = customer;
  const names = namesOf({ ...customer, phone: null });
  return phone === null ? names : [...names, `phone ${phone}`];
}

function tooManyKeys(): Problem {
  const detail = `A dry run checks at most ${importDryRunKeysMax} new objects; check the rest by itself.`;
  return new Problem('content-too-large', detail);
}

export type Importer = {
  readonly keys: ImportKeys;
  readonly bodies: CustomerBodies;
  /** The owner of objects that name no `userId`. */
  readonly ownerId: number;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** Writes the object of a line. A rejected line changes nothing. */
export function importLine(permit: Permit<Caller>, parsed: ParsedLine, importer: Importer): LineOutcome {
  if (!parsed.ok) return { status: 422, issues: parsed.issues };
  const { key, customer, order, product } = parsed.line;
  if (product !== undefined)
    return importProduct(permit, product, { ...importer, fingerprint: parsed.fingerprint });
  if (customer !== undefined) {
    const { fingerprint } = parsed;
    const changed = changeKnownCustomer(permit, customer, { ...importer, key, fingerprint });
    if (changed !== undefined) return changed;
  }
  assert(key !== undefined, 'a line that fits has a key, a product, or the id of a customer');
  const kind = customer === undefined ? 'order' : 'customer';
  const known = importer.keys.find(permit.writer, kind, key);
  if (known !== undefined) return outcomeOfRepeat(known, parsed.fingerprint);
  const object = { kind, key, fingerprint: parsed.fingerprint } as const;
  if (customer !== undefined) return importCustomer(permit, { ...importer, customer, object });
  if (order !== undefined) return importOrder(permit, { ...importer, order, object });
  throw new TypeError('a line that fits has a customer or an order');
}

function isSame({ fingerprint }: Imported, sent: Uint8Array): boolean {
  return Buffer.compare(fingerprint, sent) === 0;
}

function outcomeOfRepeat(known: Imported, sent: Uint8Array): LineOutcome {
  const { id } = known;
  if (isSame(known, sent)) return { status: 200, id, result: 'unchanged' };
  const place = id === null ? 'in an earlier line' : `as ${id}`;
  const detail = `This key was imported with another content, ${place}; use a new key.`;
  return { status: 422, issues: [{ pointer: '/key', code: 'idempotency-key-reused', detail }] };
}

type KnownImport = Importer & Pick<KeyedObject, 'fingerprint'> & { readonly key: string | undefined };

/**
 * Changes the customer that the line names by its id or by a key of its own, or who alone has its reference,
 * e-mail address, or phone number and name. Members that the line leaves out stay as they are. Returns undefined if there is no
 * such customer, or if the key was last imported with the same content: what was changed since then stays.
 */
function changeKnownCustomer(
  permit: Permit<Caller>,
  customer: ImportedCustomer,
  imported: KnownImport,
): LineOutcome | undefined {
  const { id } = customer;
  const { key, fingerprint, keys } = imported;
  if (id !== undefined) {
    if (!customerExists(permit.writer, 'all', id)) return unknownCustomer(id);
    return changeCustomer(permit, { ...imported, customer, id });
  }
  if (key === undefined || !hasOwnKey(key)) {
    const same = knownId(permit.writer, customer, imported);
    return same === undefined ? undefined : changeCustomer(permit, { ...imported, customer, id: same });
  }
  const known = keys.find(permit.writer, 'customer', key);
  if (known === undefined || isSame(known, fingerprint)) return undefined;
  // an earlier line of the dry run would create it
  if (known.id === null) return { status: 200, id: null, result: 'changed' };
  const outcome = changeCustomer(permit, { ...imported, customer, id: known.id });
  if (outcome.status === 200) keys.replaceFingerprint(permit, { key, fingerprint });
  return outcome;
}

type CustomerChange = Importer & { readonly customer: ImportedCustomer; readonly id: number };

function changeCustomer(permit: Permit<Caller>, { customer, id, keys, bodies }: CustomerChange): LineOutcome {
  const { id: _id, createdAt: _created, updatedAt: _updated, ...sent } = customer;
  const current = requireOwned(customerSource, permit, id);
  const merged = bodies.contentOf({ ...current, ...sent });
  const issues = readOnlyIssues(current, { userId: sent.userId ?? undefined }, ['userId']);
  if (issues.length > 0)
    return {
      status: 422,
      issues: issues.map((issue) => ({ ...issue, pointer: `/customer${issue.pointer}` })),
    };
  const wanted = { ...merged, userId: current.userId };
  if (changesNothing(current, wanted)) return { status: 200, id, result: 'unchanged' };
  if (!keys.isDryRun) replaceCustomer(permit, current, wanted);
  return { status: 200, id, result: 'changed' };
}

/** A key of an earlier import counts as a reference, which customers had no place for before. */
function knownId(db: Connection, customer: ImportedCustomer, { keys, bodies }: Importer): number | undefined {
  const content = bodies.contentOf(customer);
  const { reference } = content;
  const byKey = reference === null ? undefined : keys.find(db, 'customer', reference);
  if (byKey !== undefined && byKey.id !== null) return byKey.id;
  return findKnownCustomer(db, content);
}

function unknownCustomer(id: number): LineOutcome {
  const detail = `There is no customer ${id}. Without an id a new customer is created.`;
  return { status: 422, issues: [{ pointer: '/customer/id', code: 'unknown', detail }] };
}

type CustomerImport = Importer & { readonly customer: ImportedCustomer; readonly object: KeyedObject };

function importCustomer(permit: Permit, imported: CustomerImport): LineOutcome {
  const { keys, bodies, customer, object, now } = imported;
  const owner = parseOwner(permit.writer, '/customer', customer.userId ?? imported.ownerId);
  if (!owner.ok) return { status: 422, issues: owner.issues };
  const content = bodies.contentOf(customer);
  const comparison = keys.compare(content);
  if (comparison === 'known' && !hasOwnKey(object.key)) return { status: 200, id: null, result: 'changed' };
  const sameAs = findSameCustomer(permit.writer, content) ?? (comparison === 'new' ? undefined : null);
  keys.remember(content);
  const create = (): number => addCustomer(permit, { ...content, userId: owner.value }, now).id;
  const created = { status: 201, id: keys.add(permit, object, create), result: 'created' } as const;
  return sameAs === undefined ? created : { ...created, sameAs };
}

type OrderImport = Importer & { readonly order: ImportedOrder; readonly object: KeyedObject };

function importOrder(permit: Permit, imported: OrderImport): LineOutcome {
  const { keys, order, object, now } = imported;
  const owner = parseOwner(permit.writer, '/order', order.userId ?? imported.ownerId);
  const customer = parseCustomer(permit.writer, keys, order);
  if (!owner.ok || !customer.ok) return { status: 422, issues: [...issuesIn(owner), ...issuesIn(customer)] };
  const createdAt = order.createdAt === undefined ? now : toTime(order.createdAt);
  const create = (): number => {
    const customerId = customer.value;
    assert(customerId !== null, 'only a dry run knows customers without an id, and it creates nothing');
    const row = { ...orderContentOf({ ...order, customerId }), userId: owner.value };
    return addOrder(permit, row, { createdAt, updatedAt: now, recordedAt: now }).id;
  };
  return { status: 201, id: keys.add(permit, object, create), result: 'created' };
}

/**
 * Creates a product, or changes the product with this SKU. Members that the line leaves out stay as they are.
 */
function importProduct(
  permit: Permit<Caller>,
  product: NewProduct,
  { keys, now, fingerprint }: Importer & Pick<Imported, 'fingerprint'>,
): LineOutcome {
  const { writer } = permit;
  const key = skuKey(product.sku);
  const known = keys.find(writer, 'product', key);
  const id = known?.id ?? null;
  const current = id === null ? undefined : requireOwned(products.source, permit, id);
  const wanted = products.contentOf({ ...current, ...product });
  const found = [
    ...(products.issues?.(writer, wanted, current ?? {}) ?? []),
    ...withdrawnCurrencyIssues(current?.currency, wanted.currency),
  ];
  const issues = found.map((issue) => {
    return { ...issue, pointer: `/product${issue.pointer}` };
  });
  if (issues.length > 0) return { status: 422, issues };
  const isNewBarcode = wanted.barcode !== null && wanted.barcode !== current?.barcode;
  const warning = isNewBarcode ? cutGtinWarning(wanted.barcode) : undefined;
  const warned = warning === undefined ? {} : { warning };
  if (known === undefined) {
    const object = { kind: 'product', key, fingerprint } as const;
    const sameAs = findProductButForZeros(writer, product.sku);
    const id = keys.add(permit, object, () => products.add(permit, wanted, now).id);
    const created = { status: 201, id, result: 'created', ...warned } as const;
    return sameAs === undefined ? created : { ...created, sameAs };
  }
  const isChanged = current === undefined ? !isSame(known, fingerprint) : !changesNothing(current, wanted);
  if (current !== undefined && isChanged && !keys.isDryRun) products.replace(permit, current, wanted);
  return { status: 200, id, result: isChanged ? 'changed' : 'unchanged', ...warned };
}

/** Returns the id of the user who will own the object at `pointer`, or the issues of that user. */
function parseOwner(db: Connection, pointer: string, userId: number): Checked<number> {
  const issues = userIssues(db, userId).map((issue) => ({ ...issue, pointer: `${pointer}/userId` }));
  return issues.length === 0 ? { ok: true, value: userId } : { ok: false, issues };
}

/** Returns the id of the customer that an order names, or the issue that there is no such customer. */
function parseCustomer(
  db: Connection,
  keys: ImportKeys,
  { customerId, customerKey }: ImportedOrder,
): Checked<Imported['id']> {
  if (customerKey !== undefined) return importedCustomer(keys.find(db, 'customer', customerKey), customerKey);
  const id = customerId ?? 0; // a valid line has one or the other
  if (customerExists(db, 'all', id)) return { ok: true, value: id };
  const detail = `There is no customer ${id}.`;
  return { ok: false, issues: [{ pointer: '/order/customerId', code: 'unknown', detail }] };
}

function importedCustomer(found: Imported | undefined, key: string): Checked<Imported['id']> {
  if (found !== undefined) return { ok: true, value: found.id };
  const detail = `No customer was imported with the key ${JSON.stringify(key)}.`;
  return { ok: false, issues: [{ pointer: '/order/customerKey', code: 'unknown', detail }] };
}
