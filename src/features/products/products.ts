// Products: what the shop sells. Orders copy what they need of a product, so no row refers to one.
import {
  amountCell,
  trueOrFalseCell,
  textCell,
  trimmed,
  trimmedCell,
  writtenCell,
  type CsvMember,
} from '../../base/csv.ts';
import { equalTo, identity, nameKey, times, type ContentOf } from '../../resource/resource-members.ts';
import { resource } from '../../resource/declared-resource.ts';
import { barcodeKey, codesIn, cutGtinWarning, plainCode, skuKey } from '../../schema/codes.ts';
import { currencyDigits, decimalAmount, minorUnitsOf } from '../../schema/decimal.ts';
import {
  activeCurrency,
  currency,
  directionIssue,
  plainZero,
  singleLine,
  unitPrice,
  withdrawnCurrencyIssues,
} from '../../schema/members.ts';
import { plainText } from '../../schema/plain-text.ts';
import { fits } from '../../schema/schema-check.ts';
import { boolean, nullable, optional, string, type Infer, type Issue } from '../../schema/schema.ts';
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
/** An amount in the main unit of the product's currency, such as 7.49. */
const priceCell: CsvMember = {
  write: (price: number, { currency }: { readonly currency: string }) => [
    amountCell(decimalAmount(price, currency)),
  ],
  read: (cell, cells) => amountIn(cell, currencyIn(cells.get('currency') ?? '')) ?? cell,
  mustBe: ({ currency }) =>
    'a decimal amount in the main unit of its currency, without the currency’s sign, such as 7.49' +
    (fits(activeCurrency, currency) ? `: ${currency} has ${decimalsOf(currency)}` : ''),
};
const currencyCell: CsvMember = { ...trimmedCell, read: currencyIn };

function currencyIn(cell: string): string {
  return trimmed(cell).toUpperCase();
}

function amountIn(cell: string, currency: string): number | undefined {
  return cell.length > amountCharsMax ? undefined : minorUnitsOf(plainAmount(cell), currency);
}

const amountCharsMax = 64;

function plainAmount(cell: string): string {
  return plainText(cell)
    .trim()
    .replace(/^\p{Pd}/u, '-')
    .replace(/^\+/, '')
    .replace('\u066b', '.'); // the Arabic decimal separator
}

function decimalsOf(currency: string): string {
  const digits = currencyDigits(currency);
  return digits === 0 ? 'no decimals' : `${digits} decimals`;
}

const members = {
  id: { ...identity.id, cell: writtenCell }, // an import knows products by their SKU
  sku: { shown: sku, sent: sentSku, normal: plainCode, column: column.text(), cell: textCell },
  name: { shown: name, sent: sentName, column: column.text(), cell: textCell },
  unitPrice: {
    shown: unitPrice,
    sent: unitPrice,
    normal: plainZero,
    column: column.integer,
    cell: priceCell,
  },
  currency: {
    shown: currency,
    posted: activeCurrency,
    sent: currency,
    column: column.text(),
    cell: currencyCell,
    hasValuesInEvents: true,
  },
  barcode: {
    shown: nullable(barcode),
    sent: optional(nullable(sentBarcode)),
    normal: plainCode,
    column: column.nullable(column.text()),
    cell: textCell,
  },
  active: {
    shown: active,
    sent: optional(active, { description: 'Whether the shop sells it at present; true by default.' }),
    absent: true,
    column: column.trueOrFalse,
    cell: trueOrFalseCell,
  },
  metadata: metadataMember,
  ...times,
};

export const productResource = resource({
  name: 'product',
  plural: 'products',
  rights: { owner: 'none', readers: 'everyone', writers: 'staff' },
  members,
  keys: {
    skuKey: uniqueKeyColumn(productSkus),
    nameKey,
    barcodeKey: column.nullable(uniqueKeyColumn(productBarcodes)),
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
  changeIssues: (current, { currency: sent }) =>
    withdrawnCurrencyIssues(current.currency, typeof sent === 'string' ? sent : undefined),
  issues: takenIssues,
  imports: {
    isUnique: true,
    knownBy: [{ sql: 'skuKey = ?', valuesOf: ({ sku }) => [skuKey(sku)] }],
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
  samples: (articles) =>
    articles.map(([sku, name, price]) => {
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

type Codes = { readonly sku: string; readonly barcode: string | null };

/** Returns an issue for a SKU or a barcode that another product has, unless it stays as it is. */
function takenIssues(
  db: Connection,
  { sku, barcode }: Codes,
  current: Partial<Codes & { readonly id: number }>,
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
