// Webhooks as a feature: their routes, and the deliveries.
import { addressBlock, listRule, splitList } from '../../config/settings.ts';
import type { Feature } from '../feature.ts';
import { webhooksMigrations } from './webhooks-migrations.ts';

export const webhooks: Feature = {
  name: 'webhooks',
  tag: { name: 'Webhooks', description: 'Events sent to other programs, for administrators.' },
  settings: [
    {
      flag: 'webhook-allow',
      value: 'LIST',
      fallback: '',
      help: 'addresses or CIDR blocks that webhooks may go to besides public ones, also by HTTP',
      rule: listRule(addressBlock),
    },
  ],
  migrations: webhooksMigrations,
  async load() {
    const { Deliveries } = await import('./deliveries.ts');
    const { resealWebhooks } = await import('./webhook-store.ts');
    const { webhookRoutes } = await import('./webhook-routes.ts');
    const { WebhookTargets } = await import('./webhook-targets.ts');
    return (services) => {
      const { config, lists, sealedSecrets, declared } = services;
      const secrets = sealedSecrets('webhook secrets');
      const targets = new WebhookTargets(splitList(config.setting('webhook-allow')));
      const deliveries = new Deliveries({ ...services, targets, secrets });
      const routes = webhookRoutes({ lists, targets, secrets, declared });
      return {
        groups: [{ invalidStatus: 400, routes }],
        cleanup: [(writer, rowsMax) => resealWebhooks(writer, secrets, rowsMax)],
        metrics: () => deliveries.families(),
        start: () => deliveries.start(),
        onDurableChanges: (invalidations) => deliveries.onDurableChanges(invalidations),
        close: () => deliveries.close(),
      };
    };
  },
  async maintenance() {
    const { describeEnabledWebhooks, membersInEvents, webhookAudit } = await import('./webhook-store.ts');
    return {
      audits: [webhookAudit],
      histories: [{ topic: 'webhook', table: 'webhooks', members: membersInEvents }],
      onRestore(db) {
        const webhooks = describeEnabledWebhooks(db);
        if (webhooks.length === 0) return [];
        return ['These webhooks deliver again, from where they were at the backup:', ...webhooks];
      },
    };
  },
};
