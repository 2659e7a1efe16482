// A product of the shop: the schemas of requests and responses, and how a change is merged.
import { amountCell, flagCell, textCell, timeCell, writtenCell, type CsvMember } from '../../base/csv.ts';
import { requireValid } from '../../problem.ts';
import { decimalAmount, minorUnitsOf } from '../../schema/decimal.ts';
import { plainCode } from '../../schema/codes.ts';
import { mergePatch } from '../../schema/json-objects.ts';
import {
  activeCurrency,
  currency,
  id,
  directionIssue,
  plainZero,
  readOnlyIssues,
  sentTimestamp,
  singleLine,
  timestamp,
  unitPrice,
  withdrawnCurrencyIssues,
} from '../../schema/members.ts';
import { parseMerged } from '../../schema/schema-check.ts';
import {
  boolean,
  named,
  nullable,
  object,
  oneOf,
  optional,
  partial,
  string,
  type Infer,
  type ObjectOf,
} from '../../schema/schema.ts';
import { searchParameter } from '../../schema/searching.ts';
import {
  contentIn,
  contentReader,
  postedIn,
  readOnlyNames,
  sentIn,
  shownIn,
  type ContentOf,
} from '../../storage/resource.ts';
import * as column from '../../storage/table.ts';

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
  write: (price: number, { currency }: Product) => [amountCell(decimalAmount(price, currency))],
  read: (cell, cells) => minorUnitsOf(cell, cells.get('currency') ?? '') ?? cell,
  mustBe: 'a decimal amount in the main unit of its currency, without the currency’s sign, such as 7.49',
};

/** The members of a product, each declared once (`storage/resource.ts`). */
export const productMembers = {
  id: { shown: id, readOnly: optional(id), column: column.assigned, cell: writtenCell },
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
    cell: textCell,
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
    column: column.flag,
    cell: flagCell,
  },
  createdAt: { shown: timestamp, readOnly: optional(sentTimestamp), column: column.time, cell: timeCell },
  updatedAt: {
    shown: timestamp,
    readOnly: optional(sentTimestamp),
    column: column.time,
    cell: timeCell,
  },
};

export const Product = named('Product', object(shownIn(productMembers)));
export type Product = Infer<typeof Product>;

const example = { sku: 'TEA-250', name: 'Green tea, 250 g', unitPrice: 749, currency: 'EUR' };

export const NewProduct = named('NewProduct', object(postedIn(productMembers), { examples: [example] }));
export type NewProduct = Infer<typeof NewProduct>;

export const ProductReplacement = named(
  'ProductReplacement',
  object(sentIn(productMembers), {
    description:
      'The whole product: omitted members get their defaults. ' +
      'Read-only members may be sent with their current values.',
    examples: [example],
  }),
);
export const ProductPatch = named(
  'ProductPatch',
  partial(ProductReplacement, {
    description: 'A JSON Merge Patch (RFC 7396).',
    examples: [{ unitPrice: 799 }],
  }),
);
export type ProductPatch = Infer<typeof ProductPatch>;

export const productSorts = ['name', '-name', 'sku', '-sku', 'createdAt', '-createdAt'] as const;
export const productQuery = {
  q: searchParameter(
    'A whole SKU or barcode, whose product comes first; or words that are all in SKU and name. Words of one or ' +
      'two characters are beginnings of words.',
  ),
  active: optional(boolean({ description: 'Only products that are sold at present, or only others.' })),
  currency: optional(currency, { description: 'Only products with a price in this currency (ISO 4217).' }),
  sort: optional(
    named(
      'ProductSort',
      oneOf(productSorts, { description: 'A leading `-` means descending; `name` by default.' }),
    ),
  ),
};
export type ProductListQuery = ObjectOf<typeof productQuery>;

/** The members that the service doesn't set. */
export type ProductContent = ContentOf<typeof productMembers>;

/** Sets absent members to their defaults. */
export const productContentOf = contentReader(productMembers);
const readOnly = readOnlyNames(productMembers);

/** Merges a body into the current product. Throws all issues of the result. */
export function mergeProduct(current: Product, body: ProductPatch, method: 'PUT' | 'PATCH'): ProductContent {
  const replacement = method === 'PUT' ? body : mergePatch(contentIn(productMembers, current), body);
  const issues = readOnlyIssues(current, body, readOnly);
  issues.push(...withdrawnCurrencyIssues(current.currency, body.currency));
  return productContentOf(requireValid(parseMerged(ProductReplacement, replacement, issues)));
}
