// The routes that suspend users, as a feature. Without the feature, suspended users stay suspended.
import type { Feature } from '../feature.ts';

export const suspension: Feature = {
  name: 'suspension',
  needs: [],
  async load() {
    const { suspensionRoutes } = await import('./suspension-routes.ts');
    return () => ({ groups: [{ invalidStatus: 400, routes: suspensionRoutes() }] });
  },
};
