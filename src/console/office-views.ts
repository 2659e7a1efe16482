// The views that are opened now and then: their file is loaded when one of them is.
import { accountView } from './account-view.ts';
import { healthView } from './health-view.ts';
import { importView } from './import-view.ts';
import { peopleView, personView } from './people-view.ts';
import { productsView } from './products-view.ts';
import type { View } from './view.ts';
import { webhooksView } from './webhooks-view.ts';

export const officeViews = {
  account: accountView,
  health: healthView,
  'customers/import': importView('customers'),
  'products/import': importView('products'),
  people: peopleView,
  'people/': personView,
  products: productsView,
  webhooks: webhooksView,
} as const satisfies Readonly<Record<string, View>>;
