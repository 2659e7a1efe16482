// Products: what the shop sells. Orders copy what they need of a product, so no row refers to one.
import { trueOrFalseCell, textCell } from '../../base/csv.ts';
import { resource } from '../../resource/declared-resource.ts';
import { equalTo } from '../../resource/resource-list.ts';
import type { ContentOf } from '../../resource/resource-members.ts';
import * as member from '../../resource/usual-members.ts';
import { codesIn, cutGtinWarning, plainCode } from '../../schema/codes.ts';
import { currency, directionIssue, singleLine, unitPrice } from '../../schema/members.ts';
import { boolean, nullable, optional, string, type Infer } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import { isOneOf, or } from '../../storage/keyset.ts';
import { metadataMember, noMetadata } from '../../storage/metadata.ts';
import * as column from '../../storage/table.ts';
import { keysOf, sharedKeyTexts, uniqueKeyColumn } from '../../storage/unique-keys.ts';
import { productBarcodes, productSkus } from './products-migrations.ts';

const barcodeForm = {
  minLength: 1,
  maxLength: 48,
  mustBe: 'a barcode of visible ASCII characters, such as 4006381333931',
  examples: ['4006381333931'],
} as const;
const visible = /^[\x21-\x7e]+$/;
const barcode = string({
  ...barcodeForm,
  pattern: visible.source,
  description: 'What a scanner reads, such as an EAN; unique, and a GTIN also with other zeros in front.',
});
const sentBarcode = string({
  ...barcodeForm,
  pattern: '[\\x21-\\x7e]',
  rule: (text) => (visible.test(plainCode(text)) ? undefined : `barcode must be ${barcodeForm.mustBe}.`),
  description: 'What a scanner reads. Blanks around it and invisible characters go.',
});
const active = boolean({ description: 'Whether the shop sells it at present.' });
const skuIs = 'The shop’s article number; unique without regard to case.';
const sku = singleLine(64, skuIs, 'TEA-250');
const sentSku = singleLine(64, `${skuIs} Blanks around it and invisible characters go.`, 'TEA-250', (text) =>
  plainCode(text) === '' ? 'sku must be a single line of text that is not blank.' : undefined,
);
const name = singleLine(200, 'The article’s name.', 'Green tea, 250 g');
const sentName = singleLine(200, 'The article’s name.', 'Green tea, 250 g', directionIssue);

const members = {
  ...member.identity,
  sku: { ...member.requiredText(sku), sent: sentSku, normal: plainCode },
  name: { ...member.requiredText(name), sent: sentName },
  unitPrice: member.money(unitPrice),
  currency: member.currency,
  barcode: {
    shown: nullable(barcode),
    sent: optional(nullable(sentBarcode)),
    normal: plainCode,
    column: column.nullableColumn(column.textColumn()),
    cell: textCell,
  },
  active: {
    shown: active,
    sent: optional(active, { description: 'Whether the shop sells it at present; true by default.' }),
    absent: true,
    column: column.booleanColumn,
    cell: trueOrFalseCell,
  },
  metadata: metadataMember,
  ...member.times,
};

export const productResource = resource({
  name: 'product',
  plural: 'products',
  rights: { owner: 'none', readers: 'everyone', writers: 'staff' },
  members,
  keys: {
    skuKey: uniqueKeyColumn(productSkus),
    nameKey: member.nameKey,
    barcodeKey: column.nullableColumn(uniqueKeyColumn(productBarcodes)),
  },
  examples: {
    whole: { sku: 'TEA-250', name: 'Green tea, 250 g', unitPrice: 749, currency: 'EUR' },
    patch: { unitPrice: 799 },
  },
  replacement:
    'The whole product: omitted members get their defaults. ' +
    'Read-only members may be sent with their current values.',
  sorts: { name: 'nameKey', sku: 'skuKey', createdAt: 'createdAt' },
  filters: {
    active: equalTo(
      'active',
      boolean({ description: 'Only products that are sold at present, or only others.' }),
    ),
    currency: equalTo('currency', currency, 'Only products with a price in this currency (ISO 4217).'),
  },
  search: {
    description:
      'A whole SKU or barcode, whose product comes first; or words that are all in SKU and name. Words of one or ' +
      'two characters are beginnings of words.',
    columns: ['sku', 'name'],
    firstOf(q) {
      const codes = codesIn(q);
      const keys = (key: typeof productSkus): string[] => codes.flatMap((code) => keysOf(key, code));
      return or([isOneOf('skuKey', keys(productSkus)), isOneOf('barcodeKey', keys(productBarcodes))]);
    },
  },
  unique: { sku: ['skuKey'], barcode: ['barcodeKey', 'barcode'] },
  imports: {
    knownBy: 'sku',
    alike: [
      {
        sql: 'skuKey IN (SELECT value FROM json_each(?)) ORDER BY id',
        valuesOf: ({ sku }) => [skusButForZeros(sku)],
      },
    ],
    warningOf: ({ barcode }, current) =>
      barcode === null || barcode === current.barcode ? undefined : cutGtinWarning(barcode),
  },
  notes: sharedCodes,
  samples: (products) =>
    products.map(([sku, name, price]) => {
      return {
        sku,
        name,
        unitPrice: price,
        currency: 'EUR',
        barcode: null,
        active: true,
        metadata: noMetadata,
      };
    }),
});

export type Product = Infer<typeof productResource.Shown>;
export type ProductContent = ContentOf<typeof members>;

/** Returns the SKUs that differ only in zeros before the digits, which spreadsheets drop, as JSON. */
function skusButForZeros(sku: string): string | null {
  const [, digits] = /^0*([1-9]\d*)$/.exec(sku) ?? [];
  if (digits === undefined) return null;
  const others = Array.from({ length: zerosMax + 1 }, (_, zeros) => '0'.repeat(zeros) + digits);
  return JSON.stringify(others.filter((other) => other !== sku));
}

const zerosMax = 13;

/** Names the products that share a code with an older one. */
function sharedCodes(db: Connection): string[] {
  return [productSkus, productBarcodes].flatMap((key) => sharedKeyTexts(db, 'product', key));
}
