// The views that are opened now and then: their file is loaded when one of them is.
import { accountView } from '../office/account-view.ts';
import { healthView } from '../office/health-view.ts';
import { figuresView } from '../orders/figures-view.ts';
import { importView } from '../office/import-view.ts';
import { peopleView, personView } from '../office/people-view.ts';
import { productsView, productView } from '../products/products-view.ts';
import type { View } from '../parts/view.ts';
import { webhooksView } from '../office/webhooks-view.ts';

export const officeViews = {
  account: accountView,
  figures: figuresView,
  health: healthView,
  'customers/import': importView('customers'),
  'products/import': importView('products'),
  people: peopleView,
  'people/': personView,
  products: productsView,
  'products/': productView,
  webhooks: webhooksView,
} as const satisfies Readonly<Record<string, View>>;
