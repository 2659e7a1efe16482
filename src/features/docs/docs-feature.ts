// The documentation as pages, a feature. The generators are loaded at the first request.
import type { Feature } from '../feature.ts';
import { openapi } from '../openapi/openapi-feature.ts';

export const docs: Feature = {
  name: 'docs',
  needs: [openapi],
  async load() {
    const { docsRoutes } = await import('./docs-routes.ts');
    const { correctableStatuses, transitions } = await import('../orders/order-status.ts');
    return ({ config, publicUrl, describe, turns }) => {
      const isSelfSigned = config.tls.mode === 'self-signed';
      const routes = docsRoutes({
        describe,
        turns,
        publicUrl,
        rates: config.rates,
        steps: transitions,
        correctable: correctableStatuses,
        isSelfSigned,
      });
      return { groups: [{ invalidStatus: 400, routes }] };
    };
  },
  async problemPage(code, document) {
    const { problemPage } = await import('./problem-page.ts');
    return problemPage(code, document);
  },
};
