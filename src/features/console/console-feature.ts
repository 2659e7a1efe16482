// The console as a feature: the page and its modules, which run in browsers and use the API.
import type { Feature } from '../feature.ts';
import { feed } from '../feed/feed-feature.ts';
import { history } from '../history/history-feature.ts';
import { products } from '../products/products-feature.ts';
import { sales } from '../sales/sales-feature.ts';

export const console: Feature = {
  name: 'console',
  needs: [products, sales, history, feed],
  async load() {
    const { consoleRoutes } = await import('./console-routes.ts');
    return ({ config, shop, has, describe }) => {
      const routes = consoleRoutes({
        shopNow: () => shop.inEffect,
        describe: has('openapi') ? describe : undefined,
        hasDocs: has('docs'),
        hasWebhooks: has('webhooks'),
        hasImports: has('imports'),
        isReplicated: config.checkpoints === 'litestream',
        hasOwnAuthority: config.tls.mode === 'self-signed',
      });
      return { groups: [{ invalidStatus: 400, routes }] };
    };
  },
};
