// The figures of sales as a feature.
import type { Feature } from '../feature.ts';

export const sales: Feature = {
  name: 'sales',
  async load() {
    const { salesRoute, soldItemsRoute } = await import('./sales-routes.ts');
    return ({ shop: current }) => {
      const shopTimeZone = () => current.inEffect.timeZone;
      return { groups: [{ invalidStatus: 422, routes: [salesRoute(shopTimeZone), soldItemsRoute()] }] };
    };
  },
};
