// Writes imported objects, and stores the key of each object as long as the object exists.
import assert from 'node:assert';
import { checkScope, type Caller } from '../../auth/access.ts';
import { invalid, invalidAt, throwIfInvalid } from '../../problem.ts';
import { cutGtinWarning, skuKey } from '../../schema/codes.ts';
import { readOnlyIssues, withdrawnCurrencyIssues } from '../../schema/members.ts';
import { toTime } from '../../schema/rfc3339.ts';
import { issuesIn, type Checked, type Issue } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import { changesNothing, requireOwned } from '../../storage/object-access.ts';
import type { Permit } from '../../storage/permit.ts';
import type { Customers } from '../customers/customers.ts';
import { findKnownCustomer, findSameCustomer } from './known-customer-store.ts';
import { orderContentOf } from '../orders/order-members.ts';
import { addOrder } from '../orders/order-store.ts';
import { findProductButForZeros, products, type NewProduct } from '../products/products.ts';
import { customerIssues, userIssues } from '../../resource/owner-store.ts';
import type { DryRun, Imported } from './dry-run.ts';
import {
  fingerprintOf,
  hasOwnKey,
  type ImportKind,
  type ImportLine,
  type ImportedCustomer,
  type ImportedOrder,
} from './import-line.ts';

export type Outcome = {
  /** Null for an object that a dry run would create. */
  readonly id: number | null;
  readonly result: 'created' | 'changed' | 'unchanged';
  /**
   * A customer who has the reference, e-mail address or phone number of the new one, or a product whose SKU differs
   * only in zeros; null for one that an earlier line of a dry run would create.
   */
  readonly sameAs?: number | null | undefined;
  /** What the line may not mean. */
  readonly warning?: string | undefined;
};

export type Importer = {
  readonly customers: Customers;
  /** Undefined if the import writes. */
  readonly dryRun: DryRun | undefined;
};

/** Writes the object of a line, or throws the line's issues: then its changes have to be undone. */
export function importLine(permit: Permit<Caller>, line: ImportLine, importer: Importer): Outcome {
  const { customer, order, product } = line;
  if (product !== undefined) return importProduct(permit, { ...line, product }, importer);
  if (customer !== undefined) return importCustomer(permit, { ...line, customer }, importer);
  assert(order !== undefined, 'a line that fits has an object');
  return importOrder(permit, { ...line, order }, importer);
}

const findKeySql: Readonly<Record<ImportKind, string>> = {
  customer: 'SELECT customerId, fingerprint FROM importedCustomers WHERE key = ?',
  order: 'SELECT orderId, fingerprint FROM importedOrders WHERE key = ?',
  product: "SELECT id, x'' FROM products WHERE skuKey = ?",
};
const storeKeySql: Readonly<Record<Exclude<ImportKind, 'product'>, string>> = {
  customer:
    'INSERT INTO importedCustomers (key, customerId, fingerprint) VALUES (?, ?, ?) ' +
    'ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint',
  order: 'INSERT INTO importedOrders (key, orderId, fingerprint) VALUES (?, ?, ?)',
};

type Keyed = { readonly kind: ImportKind; readonly key: string };

/** Returns the object that was imported with this key, also by an earlier line of a dry run. */
function findKey(db: Connection, { kind, key }: Keyed, dryRun: DryRun | undefined): Imported | undefined {
  const found = dryRun?.find(kind, key);
  if (found !== undefined) return found;
  const row = db.get<[id: number, fingerprint: Uint8Array]>(findKeySql[kind], key);
  return row && { id: row[0], fingerprint: Buffer.from(row[1]).toString('base64url') };
}

/** A product has its key in its own row. */
function storeKey(
  { writer }: Permit,
  { kind, key, id, fingerprint }: Keyed & Imported,
  dryRun: DryRun | undefined,
): void {
  if (dryRun !== undefined) dryRun.add(kind, key, { id, fingerprint });
  else if (kind !== 'product') writer.run(storeKeySql[kind], key, id, Buffer.from(fingerprint, 'base64url'));
}

type CustomerLine = ImportLine & { readonly customer: ImportedCustomer };

/**
 * Changes the customer that the line names by its id or by a key of its own, or who alone has its reference, e-mail
 * address, or phone number and name; members that the line leaves out stay as they are. Creates a customer if there is
 * none. A key that was last imported with the same content changes nothing: what was changed since then stays.
 */
function importCustomer(permit: Permit<Caller>, line: CustomerLine, importer: Importer): Outcome {
  checkScope(permit.caller, 'customers:write');
  const { customer, key } = line;
  const { customers, dryRun } = importer;
  const { writer } = permit;
  if (customer.id !== undefined) {
    if (customers.source.find(writer, customer.id) !== undefined)
      return changeCustomer(permit, customer.id, line, importer);
    const detail = `There is no customer ${customer.id}. Without an id a new customer is created.`;
    throw invalidAt('/customer/id', 'unknown', detail);
  }
  assert(key !== undefined, 'a line that fits has a key, or the id of a customer');
  const keyed = { kind: 'customer', key, fingerprint: fingerprintOf(line) } as const;
  const content = customers.contentOf(customer);
  const known = findKey(writer, keyed, dryRun);
  const isRepeat = known?.fingerprint === keyed.fingerprint;
  if (hasOwnKey(key)) {
    if (known !== undefined && isRepeat) return { id: known.id, result: 'unchanged' };
    if (known !== undefined) {
      const outcome = changeCustomer(permit, known.id, line, importer);
      storeKey(permit, { ...keyed, id: known.id }, dryRun);
      return outcome;
    }
  } else {
    const id = findKnownCustomer(writer, content);
    if (id !== undefined) return changeCustomer(permit, id, line, importer);
    if (known !== undefined) return { id: known.id, result: 'unchanged' };
  }
  const userId = customer.userId ?? permit.caller.userId;
  throwIfInvalid(within('customer', userIssues(writer, userId)));
  const earlier = dryRun?.compare(content) ?? 'new';
  if (earlier === 'known' && !hasOwnKey(key)) return { id: null, result: 'changed' };
  const sameAs = findSameCustomer(writer, content) ?? (earlier === 'new' ? undefined : null);
  const id = dryRun ? null : customers.add(permit, { ...content, userId }, permit.origin.now).id;
  storeKey(permit, { ...keyed, id }, dryRun);
  dryRun?.addCustomer(content); // only once there was room for its key
  return { id, result: 'created', sameAs };
}

/** The id is null for a customer that an earlier line of the dry run would create. */
function changeCustomer(
  permit: Permit<Caller>,
  id: number | null,
  { customer }: CustomerLine,
  { customers, dryRun }: Importer,
): Outcome {
  if (id === null) return { id, result: 'changed' };
  const { id: _id, createdAt: _created, updatedAt: _updated, ...sent } = customer;
  const current = requireOwned(customers.source, permit, id);
  const { userId } = current;
  throwIfInvalid(
    within('customer', readOnlyIssues(current, { userId: sent.userId ?? undefined }, ['userId'])),
  );
  const wanted = { ...customers.contentOf({ ...current, ...sent }), userId };
  if (changesNothing(current, wanted)) return { id, result: 'unchanged' };
  if (dryRun === undefined) customers.replace(permit, current, wanted);
  return { id, result: 'changed' };
}

type OrderLine = ImportLine & { readonly order: ImportedOrder };

function importOrder(permit: Permit<Caller>, line: OrderLine, { dryRun }: Importer): Outcome {
  const { order, key } = line;
  const { writer, caller } = permit;
  assert(key !== undefined, 'a line that fits has a key');
  const keyed = { kind: 'order', key, fingerprint: fingerprintOf(line) } as const;
  const known = findKey(writer, keyed, dryRun);
  if (known?.fingerprint === keyed.fingerprint) return { id: known.id, result: 'unchanged' };
  if (known !== undefined) {
    const place = known.id === null ? 'in an earlier line' : `as ${known.id}`;
    const detail = `This key was imported with another content, ${place}; use a new key.`;
    throw invalidAt('/key', 'idempotency-key-reused', detail);
  }
  const userId = order.userId ?? caller.userId;
  const customer = customerOf(permit, order, dryRun);
  const issues = within('order', [...issuesIn(customer), ...userIssues(writer, userId)]);
  if (!customer.ok || issues.length > 0) throw invalid(issues);
  const id =
    customer.value === null || dryRun
      ? null
      : addImportedOrder(permit, order, { userId, customerId: customer.value });
  storeKey(permit, { ...keyed, id }, dryRun);
  return { id, result: 'created' };
}

function addImportedOrder(
  permit: Permit,
  order: ImportedOrder,
  { userId, customerId }: { readonly userId: number; readonly customerId: number },
): number {
  const { now } = permit.origin;
  const createdAt = order.createdAt === undefined ? now : toTime(order.createdAt);
  const row = { ...orderContentOf({ ...order, customerId }), userId };
  return addOrder(permit, row, { createdAt, updatedAt: now, recordedAt: now }).id;
}

/** Returns the id of an order's customer: null for one that an earlier line of the dry run would create. */
function customerOf(
  permit: Permit<Caller>,
  { customerId = 0, customerKey }: ImportedOrder, // a valid line has one or the other
  dryRun: DryRun | undefined,
): Checked<number | null> {
  if (customerKey === undefined) {
    const issues = customerIssues(permit, customerId);
    return issues.length > 0 ? { ok: false, issues } : { ok: true, value: customerId };
  }
  const known = findKey(permit.writer, { kind: 'customer', key: customerKey }, dryRun);
  if (known !== undefined) return { ok: true, value: known.id };
  const detail = `No customer was imported with the key ${JSON.stringify(customerKey)}.`;
  return { ok: false, issues: [{ pointer: '/customerKey', code: 'unknown', detail }] };
}

type ProductLine = ImportLine & { readonly product: NewProduct };

/** Creates a product, or changes the one with this SKU. Members that the line leaves out stay as they are. */
function importProduct(permit: Permit<Caller>, line: ProductLine, { dryRun }: Importer): Outcome {
  checkScope(permit.caller, 'products:write');
  const { product } = line;
  const { writer, origin } = permit;
  const keyed = { kind: 'product', key: skuKey(product.sku), fingerprint: fingerprintOf(line) } as const;
  const known = findKey(writer, keyed, dryRun);
  const current = known?.id ? requireOwned(products.source, permit, known.id) : undefined;
  const wanted = products.contentOf({ ...current, ...product });
  const issues = [
    ...(products.issues?.(writer, wanted, current ?? {}) ?? []),
    ...withdrawnCurrencyIssues(current?.currency, wanted.currency),
  ];
  throwIfInvalid(within('product', issues));
  const isNewBarcode = wanted.barcode !== null && wanted.barcode !== current?.barcode;
  const warning = isNewBarcode ? cutGtinWarning(wanted.barcode) : undefined;
  if (known === undefined) {
    const sameAs = findProductButForZeros(writer, product.sku);
    const id = dryRun ? null : products.add(permit, wanted, origin.now).id;
    storeKey(permit, { ...keyed, id }, dryRun);
    return { id, result: 'created', warning, sameAs };
  }
  const isSame =
    current === undefined ? known.fingerprint === keyed.fingerprint : changesNothing(current, wanted);
  if (current !== undefined && !isSame && dryRun === undefined) products.replace(permit, current, wanted);
  return { id: known.id, result: isSame ? 'unchanged' : 'changed', warning };
}

/** Returns issues of an object as issues of its line. */
function within(kind: ImportKind, issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => ({ ...issue, pointer: `/${kind}${issue.pointer}` }));
}
