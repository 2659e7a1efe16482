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
    const { orderRoutes, userOrderRoutes } = await import('./order-routes.ts');
    const { eraseCustomerRoute } = await import('./customer-erasure-routes.ts');
    const { clearErasedOrders } = await import('./customer-erasure-store.ts');
    return (core) => ({
      groups: [
        {
          invalidStatus: 422,
          routes: [...orderRoutes(core), eraseCustomerRoute(core.declared.customerTables, core.runCleanup)],
        },
        { invalidStatus: 400, routes: userOrderRoutes(core) },
      ],
      cleanup: [clearErasedOrders],
    });
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
