// Products as a feature. Orders copy what they need of a product, so they work without this feature.
import { counted } from '../../base/counted.ts';
import { namesInEvents } from '../../storage/resource.ts';
import type { Feature } from '../feature.ts';
import { productsMigrations } from './products-migrations.ts';

export const products: Feature = {
  name: 'products',
  needs: [],
  tag: { name: 'Products', description: 'What the shop sells, with prices and barcodes.' },
  migrations: productsMigrations,
  async load() {
    const { productRoutes } = await import('./product-routes.ts');
    const { sharedCodes } = await import('./product-store.ts');
    return ({ lists, database, log }) => ({
      groups: [{ invalidStatus: 422, routes: productRoutes(lists) }],
      start: () => sharedCodes(database.read).forEach((each) => log.write('warn', each)),
    });
  },
  async maintenance() {
    const { productMembers } = await import('./product.ts');
    const { addProduct, hasProducts, productAudit, sharedCodes } = await import('./product-store.ts');
    return {
      audits: [productAudit],
      notes: sharedCodes,
      histories: [{ topic: 'product', table: 'products', members: namesInEvents(productMembers) }],
      sample: {
        hasRows: hasProducts,
        add(permit, { articles, now }) {
          for (const [sku, name, unitPrice] of articles)
            addProduct(permit, { sku, name, unitPrice, currency: 'EUR', barcode: null, active: true }, now);
          return counted(articles.length, 'product');
        },
      },
    };
  },
};
