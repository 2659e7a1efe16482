// The documentation as pages, a feature. The generators are loaded at the first request.
import type { Feature } from '../feature.ts';
import { openapi } from '../openapi/openapi-feature.ts';

export const docs: Feature = {
  name: 'docs',
  needs: [openapi],
  async load() {
    const { docsRoutes } = await import('./docs-routes.ts');
    return (services) => ({ groups: [{ invalidStatus: 400, routes: docsRoutes(services) }] });
  },
  async problemPage(code, document) {
    const { problemPage } = await import('./problem-page.ts');
    return problemPage(code, document);
  },
};
