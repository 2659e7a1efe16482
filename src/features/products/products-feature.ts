// Products as a feature. Orders copy what they need of a product, so they work without this feature.
import { resourceFeature } from '../resource-feature.ts';
import { productsMigrations } from './products-migrations.ts';

export const products = resourceFeature({
  name: 'products',
  tag: { name: 'Products', description: 'What the shop sells, with prices and barcodes.' },
  migrations: productsMigrations,
  importResource: async () => (await import('./products.ts')).productResource,
});
