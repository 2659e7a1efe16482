// Orders as a feature.
import { namesInEvents } from '../../resource/resource-members.ts';
import type { Feature } from '../feature.ts';
import { ordersMigrations } from './orders-migrations.ts';

export const orders: Feature = {
  name: 'orders',
  isCore: true,
  tag: { name: 'Orders', description: 'What was ordered, and its status.' },
  migrations: ordersMigrations,
  declares: { ownedTables: ['orders'] },
  async load() {
    const { orderRoutes } = await import('./order-routes.ts');
    const { eraseCustomerRoute } = await import('./customer-erasure-routes.ts');
    const { clearErasedOrders } = await import('./customer-erasure-store.ts');
    return (services) => {
      const { routes, userRoutes } = orderRoutes(services);
      const eraseRoute = eraseCustomerRoute(services.declared.customerTables, services.runCleanup);
      return {
        groups: [
          { invalidStatus: 422, routes: [...routes, eraseRoute] },
          { invalidStatus: 400, routes: userRoutes },
        ],
        cleanup: [clearErasedOrders],
      };
    };
  },
  async maintenance() {
    const { orderAudit } = await import('./order-store.ts');
    const { metadataCheck } = await import('../../storage/metadata.ts');
    const { orderMembers } = await import('./order-members.ts');
    return {
      audits: [orderAudit],
      checks: [metadataCheck('orders')],
      histories: [{ topic: 'order', table: 'orders', members: namesInEvents(orderMembers) }],
    };
  },
};
