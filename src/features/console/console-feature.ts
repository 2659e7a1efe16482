// The console as a feature: the page and its modules, which run in browsers and use the API.
import { feed } from '../feed/feed-feature.ts';
import type { Feature } from '../feature.ts';
import { history } from '../history/history-feature.ts';
import { products } from '../products/products-feature.ts';
import { sales } from '../sales/sales-feature.ts';
import { suspension } from '../suspension/suspension-feature.ts';
import { totp } from '../totp/totp-feature.ts';
import { webhooks } from '../webhooks/webhooks-feature.ts';

export const console: Feature = {
  name: 'console',
  needs: [suspension, totp, products, sales, history, feed, webhooks],
  async load() {
    const { consoleRoutes } = await import('./console-routes.ts');
    return ({ config, has }) => {
      const routes = consoleRoutes({ shop: config.shop, hasDocs: has('docs') });
      return { groups: [{ invalidStatus: 400, routes }] };
    };
  },
};
