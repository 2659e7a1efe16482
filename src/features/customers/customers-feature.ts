// Customers as a feature. Their routes know the shop's country, and their history is one of `history-routes.ts`.
import type { Feature } from '../feature.ts';
import { resourceFeature } from '../resource-feature.ts';
import { customersMigrations } from './customers-migrations.ts';

export const customers: Feature = {
  ...resourceFeature({
    name: 'customers',
    tag: { name: 'Customers', description: 'The people and companies that order.' },
    migrations: customersMigrations,
    importResource: async () => (await import('./customers.ts')).customerResource,
  }),
  isCore: true,
  declares: { ownedTables: ['customers'] },
  async load() {
    const { resourceRoutes } = await import('../../resource/resource-routes.ts');
    const { customersIn } = await import('./customers.ts');
    return ({ lists, caches, shop }) => {
      const resource = customersIn(() => shop.country);
      const routes = resourceRoutes(resource, { lists, cache: caches.customers, hasHistory: false });
      return { groups: [{ invalidStatus: 422, routes }] };
    };
  },
};
