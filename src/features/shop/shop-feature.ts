// The shop as a feature: what other features begin with, and who may sign up.
import { currencyRule } from '../../config/settings.ts';
import { namesInEvents } from '../../resource/resource-members.ts';
import type { Feature } from '../feature.ts';
import { shopMigrations } from './shop-migrations.ts';
import { shopLineCharsMax, shopMembers } from './shop.ts';

export const shop: Feature = {
  name: 'shop',
  isCore: true,
  tag: {
    name: 'Shop',
    description: 'The shop itself: sender, country, currency, time zone, and who may sign up.',
  },
  migrations: shopMigrations,
  settings: [
    {
      flag: 'default-currency',
      value: 'CODE',
      fallback: 'EUR',
      help: 'currency of new orders in the console',
      rule: currencyRule,
    },
    {
      flag: 'shop-name',
      value: 'NAME',
      fallback: '',
      help: 'the sender on papers',
      rule: shortLine,
    },
    {
      flag: 'shop-address',
      value: 'ADDRESS',
      fallback: '',
      help: 'the sender’s address on papers, in one line',
      rule: shortLine,
    },
  ],
  async load() {
    const { shopRoutes } = await import('./shop-routes.ts');
    return ({ config, shop: current }) => ({
      groups: [{ invalidStatus: 422, routes: shopRoutes(config) }],
      onDurableChanges: (invalidations) => current.onDurableChanges(invalidations),
    });
  },
  async maintenance() {
    const { shopAudit } = await import('./shop-store.ts');
    return {
      audits: [shopAudit],
      histories: [{ topic: 'shop', table: 'shop', members: namesInEvents(shopMembers) }],
    };
  },
};

function shortLine(text: string): string | undefined {
  if (text.length <= shopLineCharsMax && !/\p{Cc}/u.test(text)) return undefined;
  return `must be a line of at most ${shopLineCharsMax} characters`;
}
