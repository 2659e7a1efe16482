// The tables of products.
import { barcodeKey, formerSkuKey, skuKey } from '../../schema/codes.ts';
import type { Connection } from '../../storage/connection.ts';
import { metadataMigration } from '../../storage/metadata.ts';
import type { Migration } from '../../storage/migrations.ts';
import { asIs } from '../../storage/table.ts';
import { remakeKeys, remakeNameKeys, type UniqueKey } from '../../storage/unique-keys.ts';

// The keys of codes stand here, since migrations run without the rest of the feature.
export const productSkus: UniqueKey = {
  table: 'products',
  column: 'skuKey',
  source: 'sku',
  keyOf: skuKey,
  formerKeyOf: formerSkuKey,
};
export const productBarcodes: UniqueKey = {
  table: 'products',
  column: 'barcodeKey',
  source: 'barcode',
  keyOf: barcodeKey,
  formerKeyOf: asIs,
};

function remakeProductKeys(db: Connection): void {
  remakeNameKeys(db, 'products');
  remakeKeys(db, productSkus);
  remakeKeys(db, productBarcodes);
}

export const productsMigrations: readonly Migration[] = [
  {
    name: 'products',
    sql: `
-- What the shop sells. Orders copy SKU, name and price, so no row refers to a product.
CREATE TABLE products (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sku TEXT NOT NULL,
  skuKey TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  nameKey TEXT NOT NULL,
  unitPrice INTEGER NOT NULL CHECK (unitPrice >= 0),
  currency TEXT NOT NULL,
  barcode TEXT UNIQUE,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  createdAt INTEGER NOT NULL,
  updatedAt INTEGER NOT NULL
) STRICT;
CREATE INDEX products_nameKey_id ON products (nameKey, id, active, currency);
CREATE INDEX products_skuKey_id ON products (skuKey, id, active, currency);
CREATE INDEX products_createdAt_id ON products (createdAt, id, active, currency);
`,
  },
  {
    // folded names, SKUs without blanks, and GTINs as numbers
    name: 'product-keys',
    sql: `
ALTER TABLE products ADD COLUMN barcodeKey TEXT;
CREATE UNIQUE INDEX products_barcodeKey ON products (barcodeKey);
`,
    fill: remakeProductKeys,
  },
  {
    // prices below 0, such as a deposit that is given back: SQLite drops a CHECK only with its column
    name: 'product-discounts',
    sql: `
ALTER TABLE products RENAME COLUMN unitPrice TO formerPrice;
ALTER TABLE products ADD COLUMN unitPrice INTEGER NOT NULL DEFAULT 0;
UPDATE products SET unitPrice = formerPrice;
ALTER TABLE products DROP COLUMN formerPrice;
`,
  },
  { name: 'product-metadata', sql: metadataMigration('products') },
  { name: 'product-barcodes', sql: '', fill: (db) => remakeKeys(db, productBarcodes) }, // GTINs in groups of digits
];
