// The figures of sales as a feature.
import type { Feature } from '../feature.ts';

export const sales: Feature = {
  name: 'sales',
  needs: [],
  async load() {
    const { salesRoute, soldItemsRoute } = await import('./sales-routes.ts');
    return () => ({ groups: [{ invalidStatus: 422, routes: [salesRoute(), soldItemsRoute()] }] });
  },
};
