// The console as a feature: the page and its modules, which run in browsers and use the API.
import type { Config } from '../../config/config.ts';
import { currency } from '../../config/settings.ts';
import { feed } from '../feed/feed-feature.ts';
import type { Feature } from '../feature.ts';
import { history } from '../history/history-feature.ts';
import { products } from '../products/products-feature.ts';
import { sales } from '../sales/sales-feature.ts';

export const console: Feature = {
  name: 'console',
  needs: [products, sales, history, feed],
  settings: [
    {
      flag: 'default-currency',
      value: 'CODE',
      fallback: 'EUR',
      help: 'currency of new orders in the console',
      rule: currency,
    },
    {
      flag: 'shop-name',
      value: 'NAME',
      fallback: '',
      help: 'the sender on packing slips',
      rule: shortLine,
    },
    {
      flag: 'shop-address',
      value: 'ADDRESS',
      fallback: '',
      help: 'the sender’s address on packing slips, in one line',
      rule: shortLine,
    },
  ],
  async load() {
    const { consoleRoutes } = await import('./console-routes.ts');
    return ({ config, has }) => {
      const routes = consoleRoutes({
        shop: shopOf(config),
        hasDocs: has('docs'),
        hasWebhooks: has('webhooks'),
        isReplicated: config.checkpoints === 'litestream',
        isRegistrationOpen: config.registration === 'open',
        hasOwnAuthority: config.tls.mode === 'self-signed',
      });
      return { groups: [{ invalidStatus: 400, routes }] };
    };
  },
};

/** The shop as packing slips and forms show it. Only the currency is never empty. */
function shopOf({ setting, defaultCountry = '' }: Config) {
  return {
    name: setting('shop-name').trim(),
    address: setting('shop-address').trim(),
    currency: setting('default-currency'),
    country: defaultCountry,
  };
}

const lineCharsMax = 200;

function shortLine(text: string): string | undefined {
  if (text.length <= lineCharsMax && !/\p{Cc}/u.test(text)) return undefined;
  return `must be a line of at most ${lineCharsMax} characters`;
}
