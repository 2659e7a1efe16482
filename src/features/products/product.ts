// A product of the shop: the schemas of requests and responses, and how a change is merged.
import { requireValid } from '../../problem.ts';
import { mergePatch } from '../../schema/json-objects.ts';
import {
  currency,
  id,
  readOnlyIssues,
  sentTimestamp,
  singleLine,
  timestamp,
  unitPrice,
} from '../../schema/members.ts';
import { parse } from '../../schema/schema-check.ts';
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

const barcode = string({
  minLength: 1,
  maxLength: 48,
  pattern: '^[\\x21-\\x7e]+$',
  mustBe: 'a barcode of visible ASCII characters, such as 4006381333931',
  description: 'What a scanner reads, such as an EAN; unique.',
  examples: ['4006381333931'],
});
const content = {
  sku: singleLine(64, 'The shop’s article number; unique without regard to case.', 'TEA-250'),
  name: singleLine(200, 'The article’s name.', 'Green tea, 250 g'),
  unitPrice,
  currency,
  barcode: nullable(barcode),
  active: boolean({ description: 'Whether the shop sells it at present.' }),
};

export const Product = named(
  'Product',
  object({ id, ...content, createdAt: timestamp, updatedAt: timestamp }),
);
export type Product = Infer<typeof Product>;

const sent = {
  ...content,
  barcode: optional(content.barcode),
  active: optional(content.active, { description: 'Whether the shop sells it at present; true by default.' }),
};
const example = { sku: 'TEA-250', name: 'Green tea, 250 g', unitPrice: 749, currency: 'EUR' };

export const NewProduct = named('NewProduct', object(sent, { examples: [example] }));
export type NewProduct = Infer<typeof NewProduct>;

export const ProductReplacement = named(
  'ProductReplacement',
  object(
    {
      ...sent,
      id: optional(id),
      createdAt: optional(sentTimestamp),
      updatedAt: optional(sentTimestamp),
    },
    {
      description:
        'The whole product: omitted members get their defaults. ' +
        'Read-only members may be sent with their current values.',
      examples: [example],
    },
  ),
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
    'A whole SKU or barcode, whose product comes first; or words that are all in the name. Words of one or ' +
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
export type ProductContent = Pick<Product, keyof typeof content>;

/** Sets absent members to their defaults. */
export function productContentOf(product: NewProduct): ProductContent {
  const { sku, name, unitPrice, currency, barcode = null, active = true } = product;
  return { sku, name, unitPrice: Math.abs(unitPrice), currency, barcode, active }; // JSON has -0
}

/** Merges a body into the current product. Throws all issues of the result. */
export function mergeProduct(current: Product, body: ProductPatch, method: 'PUT' | 'PATCH'): ProductContent {
  const replacement = method === 'PUT' ? body : mergePatch(productContentOf(current), body);
  const issues = readOnlyIssues(current, body, ['id', 'createdAt', 'updatedAt']);
  return productContentOf(requireValid(parse(ProductReplacement, replacement, issues)));
}
