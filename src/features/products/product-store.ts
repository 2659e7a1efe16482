// The rows of products, their list and their search.
import { timestampOf } from '../../base/timestamp.ts';
import { barcodeKey, codesIn, skuKey } from '../../schema/codes.ts';
import { nameKey } from '../../schema/members.ts';
import type { Issue } from '../../schema/schema.ts';
import { schemaIssues } from '../../schema/schema-check.ts';
import { wordPhrases } from '../../schema/search-text.ts';
import { issueUnless } from '../../storage/audit.ts';
import type { Connection, Row } from '../../storage/connection.ts';
import {
  equals,
  type IndexedSelection,
  type KeysetPosition,
  type SearchSelection,
} from '../../storage/keyset.ts';
import type { Permit } from '../../storage/permit.ts';
import { columnsOf, namesInEvents } from '../../storage/resource.ts';
import { changeTime, derived, nullable, table } from '../../storage/table.ts';
import { keysOf, sharedKeyTexts, uniqueKeyColumn } from '../../storage/unique-keys.ts';
import { changesBetween } from '../events/event.ts';
import { recordEvent } from '../events/event-store.ts';
import {
  ascending,
  descending,
  searchScopeOf,
  selectionOf,
  type Indexes,
  type ListDefinition,
} from '../../storage/listing.ts';
import type { ObjectSource, Owned } from '../../storage/object-access.ts';
import { productBarcodes, productSkus } from './products-migrations.ts';
import { Product, productMembers, type ProductContent, type ProductListQuery } from './product.ts';

const shown = columnsOf(productMembers);
const columns = {
  ...shown,
  skuKey: uniqueKeyColumn(productSkus),
  nameKey: derived('name', nameKey),
  barcodeKey: nullable(uniqueKeyColumn(productBarcodes)),
};
const products = table('products', columns);
const rows = products.select(shown);
const replaceContent = products.update(['name', 'unitPrice', 'currency', 'active', 'updatedAt']);
const replaceSku = products.update(['sku']);
const replaceBarcode = products.update(['barcode']);
const shownValues = namesInEvents(productMembers);

/** Products belong to the shop: everybody who is signed in sees all of them. */
export const productSource: ObjectSource<Product> = {
  name: 'product',
  find: (db, id) => rows.find(db, id),
  ownerOf: () => null,
  accessOf: () => 'all',
};

/** Returns an issue for a SKU or a barcode that another product has, unless it stays as it is. */
export function takenIssues(
  db: Connection,
  { sku, barcode }: ProductContent,
  current: Partial<Pick<Product, 'id' | 'sku' | 'barcode'>> = {},
): Issue[] {
  const issues: Issue[] = [];
  const find = (condition: string, ...values: string[]): number | undefined =>
    db.get<[number]>(
      `SELECT id FROM products WHERE (${condition}) AND id <> ?`,
      ...values,
      current.id ?? 0,
    )?.[0];
  const ofSku = sku === current.sku ? undefined : find('skuKey = ?', skuKey(sku));
  if (ofSku !== undefined)
    issues.push({ pointer: '/sku', code: 'taken', detail: `Product ${ofSku} has the SKU ${sku}.` });
  const stays = barcode === null || barcode === current.barcode;
  const ofBarcode = stays ? undefined : find('barcodeKey = ? OR barcode = ?', barcodeKey(barcode), barcode);
  if (ofBarcode !== undefined) {
    const detail = `Product ${ofBarcode} has the barcode ${barcode}.`;
    issues.push({ pointer: '/barcode', code: 'taken', detail });
  }
  return issues;
}

/** Returns a product whose SKU differs only in zeros before its digits, which spreadsheets drop. */
export function findProductButForZeros(db: Connection, sku: string): number | undefined {
  const [, digits] = /^0*([1-9]\d*)$/.exec(sku) ?? [];
  if (digits === undefined) return undefined;
  const others = Array.from({ length: zerosMax + 1 }, (_, zeros) => '0'.repeat(zeros) + digits);
  const candidates = JSON.stringify(others.filter((other) => other !== sku));
  return db.get<[id: number]>(butForZerosSql, candidates)?.[0];
}

const zerosMax = 13;
const butForZerosSql =
  'SELECT id FROM products WHERE skuKey IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT 1';

export function addProduct(permit: Permit, product: ProductContent, createdAt: number): Product {
  const id = products.insert(permit.writer, { ...product, createdAt, updatedAt: createdAt });
  const changes = changesBetween({}, { currency: product.currency }, shownValues);
  recordEvent(permit, { type: 'product.created', subjectId: id, ownerId: null, changes, createdAt });
  return rows.written({ ...product, id, createdAt, updatedAt: createdAt });
}

/** Returns the product as it is now. */
export function replaceProduct(permit: Permit, current: Owned<Product>, wanted: ProductContent): Product {
  const { id } = current;
  const updatedAt = changeTime(current, permit.origin.now);
  replaceContent(permit.writer, { ...wanted, updatedAt }, id);
  if (wanted.sku !== current.sku) replaceSku(permit.writer, wanted, id);
  if (wanted.barcode !== current.barcode) replaceBarcode(permit.writer, wanted, id);
  const changes = changesBetween(current, wanted, shownValues);
  recordEvent(permit, { type: 'product.changed', subjectId: id, ownerId: null, changes });
  return { ...current, ...wanted, updatedAt: timestampOf(updatedAt) };
}

export function removeProduct(permit: Permit, { id }: Owned<Product>): void {
  permit.writer.run('DELETE FROM products WHERE id = ?', id);
  recordEvent(permit, { type: 'product.deleted', subjectId: id, ownerId: null });
}

/** Names the products that share a code with an older one. */
export function sharedCodes(db: Connection): string[] {
  return [productSkus, productBarcodes].flatMap((key) => sharedKeyTexts(db, 'product', key));
}

export function hasProducts(db: Connection): boolean {
  return db.get('SELECT 1 FROM products LIMIT 1') !== undefined;
}

export const productAudit = products.audit({
  thing: 'product',
  columns,
  issues({ skuKey, nameKey, barcodeKey, ...product }) {
    const isInOrder = product.createdAt <= product.updatedAt;
    return [
      ...schemaIssues(Product, product),
      ...issueUnless(isInOrder, '/updatedAt', 'updatedAt is before createdAt.'),
    ];
  },
});

const inEachIndex: Indexes = { ordered: [], otherwise: 'by scan' };

const productList: ListDefinition<ProductListQuery> = {
  table: 'products',
  defaultSort: 'name',
  orderBy: {
    name: ascending('nameKey'),
    '-name': descending('nameKey'),
    sku: ascending('skuKey'),
    '-sku': descending('skuKey'),
    createdAt: ascending('createdAt'),
    '-createdAt': descending('createdAt'),
  },
  filters: {
    active: { kind: 'equality', column: 'active', matches: equals, indexes: inEachIndex },
    currency: { kind: 'equality', column: 'currency', matches: equals, indexes: inEachIndex },
    userId: null,
  },
};

export function productSelection(query: ProductListQuery): IndexedSelection {
  return selectionOf(productList, { access: 'all', query });
}

/**
 * Selects first the products with this SKU or barcode, then products whose SKU and name have all words,
 * beginnings of words first.
 */
export function productSearch({ q, ...query }: ProductListQuery & { readonly q: string }): SearchSelection {
  const { owners, condition } = searchScopeOf(productList, { access: 'all', query });
  const { sql, params } = condition;
  const keys = codesIn(q);
  const skus = keys.flatMap((code) => keysOf(productSkus, code));
  const barcodes = keys.flatMap((code) => keysOf(productBarcodes, code));
  const phrases = wordPhrases(q);
  return {
    owners,
    async search(database, rowsMax) {
      const [byCode, byName] = await Promise.all([
        database.readInWorker<Row & KeysetPosition>(
          `SELECT id, id FROM products WHERE (skuKey IN (${placesOf(skus)}) OR barcodeKey IN (${placesOf(barcodes)})) AND ${sql}`,
          [...skus, ...barcodes, ...params],
        ),
        database.readInWorker<Row & KeysetPosition>(
          `SELECT id, sku, name FROM products WHERE ${sql} ORDER BY id DESC`,
          params,
          { search: { phrases, columns: 'texts', rowsMax } },
        ),
      ]);
      const ids = new Set([...byCode, ...byName].map(([, id]) => id));
      return [...ids].slice(0, rowsMax).map((id) => [id, id]);
    },
  };
}

function placesOf(values: readonly string[]): string {
  return values.map(() => '?').join(', ');
}
