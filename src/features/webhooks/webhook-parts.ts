// Webhooks as parts of a running service: their routes, and the deliveries beside them.
import type { SealedSecrets } from '../../auth/sealed-secrets.ts';
import type { Lists } from '../../http/routing/list.ts';
import type { RouteGroup } from '../../http/routing/router.ts';
import type { Invalidation } from '../../storage/invalidation.ts';
import type { Logger } from '../../base/logger.ts';
import { resealWebhooks } from './delivery-webhook-store.ts';
import { webhookRoutes } from './webhook-routes.ts';
import { WebhookTargets } from './webhook-targets.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Database } from '../../storage/database.ts';
import type { Timers } from '../../base/timers.ts';
import type { Turns } from '../../base/turns.ts';
import { Deliveries } from './deliveries.ts';
import { OutgoingPosts } from './outgoing-posts.ts';

type WebhookServices = {
  readonly config: { readonly webhookAllow: readonly string[] };
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly lists: Lists;
  readonly webhookSecrets: SealedSecrets;
  readonly now: () => number;
  readonly timers: Timers;
  readonly turns: Turns;
  readonly log: Logger;
  readonly lookup: string | undefined;
};

export function createWebhooks(services: WebhookServices) {
  const { lists, webhookSecrets: secrets, timers, lookup } = services;
  const targets = new WebhookTargets(services.config.webhookAllow);
  const posts = new OutgoingPosts({ targets, timers, lookup });
  const deliveries = new Deliveries({ ...services, posts, secrets });
  const routes = webhookRoutes({ lists, targets, secrets, onEnabled: (id) => deliveries.resume(id) });
  const group: RouteGroup = { invalidStatus: 400, routes };
  return {
    groups: [group],
    cleanup: [(writer: Connection) => resealWebhooks(writer, secrets)],
    metrics: () => deliveries.families(),
    start: () => deliveries.start(),
    onSync: (invalidations: readonly Invalidation[]) => deliveries.onSync(invalidations),
    close: () => deliveries.close(),
  };
}
