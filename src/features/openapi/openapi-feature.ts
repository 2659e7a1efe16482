// The OpenAPI document over HTTP as a feature. The command `openapi` prints the document without it.
import type { Feature } from '../feature.ts';

export const openapi: Feature = {
  name: 'openapi',
  async load() {
    const { openapiRoute } = await import('./openapi-routes.ts');
    return (services) => ({ groups: [{ invalidStatus: 400, routes: [openapiRoute(services.describe)] }] });
  },
};
