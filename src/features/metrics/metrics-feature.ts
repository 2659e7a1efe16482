// The metrics over HTTP as a feature.
import type { Feature } from '../feature.ts';

export const metrics: Feature = {
  name: 'metrics',
  needs: [],
  async load() {
    const { metricsRoute } = await import('./metrics-routes.ts');
    return (core) => ({ groups: [{ invalidStatus: 400, routes: [metricsRoute(core.metricsText)] }] });
  },
};
