// Customers as a feature.
import { namesInEvents } from '../../storage/resource.ts';
import type { Feature } from '../feature.ts';
import { customersMigrations } from './customers-migrations.ts';

export const customers: Feature = {
  name: 'customers',
  needs: [],
  isCore: true,
  tag: { name: 'Customers', description: 'The people and companies that order.' },
  migrations: customersMigrations,
  declares: { ownedTables: ['customers'] },
  async load() {
    const { customerRoutes } = await import('./customer-routes.ts');
    return (core) => {
      const routes = customerRoutes({ ...core, shopCountry: () => core.shop.country });
      return {
        groups: [{ invalidStatus: 422, routes }],
      };
    };
  },
  async maintenance() {
    const { auditCustomerSearch } = await import('./customer-search-store.ts');
    const { customerAudit } = await import('./customer-store.ts');
    const { metadataCheck } = await import('../../storage/metadata.ts');
    const { customerMembers } = await import('./customer-members.ts');
    return {
      audits: [customerAudit],
      checks: [{ title: 'Search of customers', run: auditCustomerSearch }, metadataCheck('customers')],
      histories: [{ topic: 'customer', table: 'customers', members: namesInEvents(customerMembers) }],
    };
  },
};
