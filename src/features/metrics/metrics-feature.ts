// The metrics over HTTP as a feature.
import type { Feature } from '../feature.ts';

export const metrics: Feature = {
  name: 'metrics',
  async load() {
    const { metricsRoute } = await import('./metrics-routes.ts');
    return ({ metricsText, config }) => {
      const trustsProxies = config.trustedProxy.length > 0;
      return { groups: [{ invalidStatus: 400, routes: [metricsRoute(metricsText, { trustsProxies })] }] };
    };
  },
};
