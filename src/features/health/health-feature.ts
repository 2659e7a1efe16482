// Health, problem types and the certificate authority as a feature: public information about the service.
import type { Feature } from '../feature.ts';

export const health: Feature = {
  name: 'health',
  isCore: true,
  tag: {
    name: 'Service',
    description:
      'Health, metrics, certificate and documentation of the service. A client for users, customers and orders needs ' +
      'none of these: its generator can leave the tag out.',
  },
  async load() {
    const { healthRoutes } = await import('./health-routes.ts');
    const { problemRoutes } = await import('./problem-routes.ts');
    const { certificateRoutes } = await import('./certificate-routes.ts');
    return (services) => {
      const routes = [
        ...healthRoutes(services.readiness),
        ...problemRoutes(services),
        ...certificateRoutes(services),
      ];
      return { groups: [{ invalidStatus: 400, routes }] };
    };
  },
};
