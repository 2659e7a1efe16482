// Products: what the shop sells, found as one types or scans.
import type { Product } from '../words/api-types.ts';
import { h } from '../browser/elements.ts';
import type { Member } from '../forms/fields.ts';
import { money } from '../words/formats.ts';
import { hasImports } from '../words/page-meta.ts';
import { type Resource, resourceList, resourceView } from '../lists/resource-pages.ts';
import { isBarcode, isGtin } from '../words/gtin.ts';
import type { Page } from '../page/view.ts';
import { nameCell } from '../lists/tables.ts';
import { scannedIn } from '../page/scans.ts';
import { t } from '../words/texts.ts';

const code = { attributes: { 'data-scan': 'code' } };

/** Codes of a shop's own may be digits, too. */
async function checkDigit(text: string): Promise<string | undefined> {
  return isBarcode(text) && !isGtin(text)
    ? t('The last digit doesn’t fit the others, if it is a number of GS1: compare it with the product.')
    : undefined;
}

const productMembers: readonly Member[] = [
  { name: 'name', label: t('Name'), isRequired: true, isWide: true },
  { name: 'unitPrice', label: t('Price'), kind: 'price' },
  { name: 'currency', label: t('Currency'), kind: 'currency' },
  {
    name: 'sku',
    label: t('SKU'),
    isRequired: true,
    defaultsTo: 'barcode',
    hint: t('Without one of your own it is the barcode.'),
    ...code,
  },
  { name: 'barcode', label: t('Barcode'), check: checkDigit, ...code },
  { name: 'active', label: t('Sold now'), kind: 'flag', first: true },
];

/** Without a SKU of its own a product has its barcode as one. */
function codesText(sku: string, barcode: string | null): string {
  return [...new Set([sku, barcode])].filter((each) => each !== null).join(' · ');
}

const products: Resource<Product> = {
  name: 'products',
  title: t('Products'),
  path: '/products',
  members: productMembers,
  nameOf: ({ name }) => name,
  add: t('Add a product'),
  mayChange: true,
  mayDelete: true,
  hasImport: hasImports,
  file: 'products.csv',
  searchLabel: t('Name, SKU or barcode'),
  filter: (parameters) => ({ active: parameters.get('active') }),
  tabs: {
    label: t('Sold or not'),
    name: 'active',
    values: [
      ['', t('All')],
      ['true', t('Sold now')],
      ['false', t('Not sold now')],
    ],
  },
  columns: () => [
    {
      label: t('Name'),
      cell: ({ id, name, sku, active }) => [
        nameCell(`#/products/${id}`, name, sku),
        !active && h('span.soft', t('Not sold now')),
      ],
    },
    {
      label: t('SKU, barcode'),
      kind: 'tight wide',
      cell: ({ sku, barcode }) => h('span.codes.clip.soft', codesText(sku, barcode)),
    },
    {
      label: t('Price'),
      kind: 'number',
      cell: ({ unitPrice, currency }) => money(unitPrice, currency),
    },
  ],
  none: [
    t('No products yet'),
    t('With its SKU or barcode, a product is scanned into an order with its name and price.'),
  ],
  notFound: t('Type words of the name, or a whole SKU or barcode.'),
  deletion: t('Orders keep what they had. A product that is only sold out can stay, as not sold now.'),
};

export const productView = resourceView(() => products);

/** A scan finds a product. */
export function productsView(page: Page): void {
  resourceList(page, products);
  const toolbar = page.main.querySelector<HTMLElement>('.toolbar');
  const search = toolbar?.querySelector('input');
  toolbar?.setAttribute('data-scans', '');
  toolbar?.addEventListener('scan', (event) => {
    if (search === null || search === undefined) return;
    const scanned = scannedIn(event);
    search.value = typeof scanned === 'string' ? scanned : scanned.sku;
    search.dispatchEvent(new Event('input', { bubbles: true }));
  });
}
