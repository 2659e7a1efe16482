// The routes that suspend users, as a feature. Without it, who is suspended stays so.
import type { Feature } from '../feature.ts';

export const suspension: Feature = {
  name: 'suspension',
  needs: [],
  async load() {
    const { suspensionRoutes } = await import('./suspension-routes.ts');
    return () => ({ groups: [{ invalidStatus: 400, routes: suspensionRoutes() }] });
  },
};
