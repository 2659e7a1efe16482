// The views that are opened now and then: their file is loaded when one of them is.
import { accountView } from '../office/account-view.ts';
import { figuresView } from '../orders/figures-view.ts';
import { importView } from '../office/import-view.ts';
import { peopleView, personView } from '../office/people-view.ts';
import { productsView, productView } from '../products/products-view.ts';
import { shopView } from '../office/shop-view.ts';
import { systemView } from '../office/system-view.ts';
import { webhookView } from '../office/webhook-view.ts';
import { documentPages } from '../lists/document-resources.ts';
import { hasImports } from '../words/page-meta.ts';
import type { DocumentPages, Page, View } from '../page/view.ts';

/** Resolves to the pages of what the console knows from the service’s document alone. */
export function readDocumentPages({
  client,
  user,
}: Pick<Page, 'client' | 'user'>): Promise<readonly DocumentPages[]> {
  return documentPages(client, user.role);
}

export const officeViews: Readonly<Record<string, View>> = {
  account: accountView,
  figures: figuresView,
  ...(hasImports && {
    'customers/import': importView('customers'),
    'products/import': importView('products'),
  }),
  people: peopleView,
  'people/': personView,
  products: productsView,
  'products/': productView,
  shop: shopView,
  system: systemView,
  'webhooks/': webhookView,
};
