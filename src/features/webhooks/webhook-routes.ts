// Webhooks over HTTP: /webhooks, for administrators.
import { adminOnly, checkStepUp, recentSignIn } from '../../auth/access.ts';
import type { SealedSecrets } from '../../auth/sealed-secrets.ts';
import { listParameters, type Lists } from '../../http/lists/list.ts';
import { representationsOf } from '../../http/responses/representation-cache.ts';
import { represent, withSecret, type Representation } from '../../http/responses/representation.ts';
import { empty, notStored } from '../../http/routing/reply.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { changesNothing, requireOwned, requireVisible } from '../../storage/object-access.ts';
import { Event, type EventType } from '../events/event.ts';
import { feedBounds } from '../events/feed-store.ts';
import {
  addWebhook,
  removeWebhook,
  replaceWebhook,
  rotateSecret,
  webhookSource,
  type StoredWebhook,
  webhookSelection,
} from './webhook-store.ts';
import type { WebhookTargets } from './webhook-targets.ts';
import {
  CreatedWebhook,
  Webhook,
  WebhookSecret,
  mergeWebhook,
  webhookBodies,
  webhookContentOf,
  webhooksMax,
} from './webhook.ts';

type WebhookServices = {
  readonly lists: Lists;
  readonly targets: WebhookTargets;
  readonly secrets: SealedSecrets;
  readonly declared: { readonly eventTypes: readonly EventType[] };
};

const delivery = {
  name: 'event',
  summary: 'An event, sent to a webhook',
  description:
    'Sent by Standard Webhooks until the receiver responds 2xx. An event may come more than once, with the ' +
    'same `webhook-id`.',
  schema: Event,
};

const stepUp = `Needs ${recentSignIn}.`;
const common = { tag: 'Webhooks', access: adminOnly, problems: ['step-up-required'] } as const;
const withSecretOnce = {
  kind: 'object',
  location: ({ id }: { readonly id: number }) => `/webhooks/${id}`,
  cacheControl: notStored,
} as const;

export function webhookRoutes({ lists, targets, secrets, declared }: WebhookServices): Route[] {
  const { NewWebhook, WebhookPatch } = webhookBodies(targets, declared.eventTypes);
  return [
    route({
      ...common,
      method: 'POST',
      path: '/webhooks',
      summary: 'Create a webhook',
      body: NewWebhook,
      reply: { ...withSecretOnce, schema: CreatedWebhook },
      description:
        'From then on every event of these types is sent to `url`, in order and at least once, signed by ' +
        `Standard Webhooks. There may be ${webhooksMax} webhooks. ${stepUp}`,
      webhookMessage: delivery,
      handle(call) {
        checkStepUp(call.caller, call.now, 'Creating a webhook');
        return call.write((permit) => {
          const { webhook, secret } = addWebhook(permit, webhookContentOf(call.body), secrets);
          const { userId } = permit.caller;
          call.reportSecurityEvent({ name: 'sensitive_create', userId, webhookId: webhook.id });
          return withSecret(representWebhook(webhook), { secret });
        });
      },
    }),
    route({
      ...common,
      problems: [],
      method: 'GET',
      path: '/webhooks',
      summary: 'List webhooks, newest first',
      query: listParameters,
      reply: { kind: 'list', schema: Webhook },
      handle: (call) => lists.page(call, { selectionFor: webhookSelection, elements: webhooks }),
    }),
    route({
      ...common,
      problems: [],
      method: 'GET',
      path: '/webhooks/{id}',
      summary: 'Read a webhook',
      reply: { kind: 'object', schema: Webhook },
      handle: (call) => requireVisible(webhooks, call, call.params.id),
    }),
    route({
      ...common,
      method: 'PATCH',
      path: '/webhooks/{id}',
      summary: 'Change, pause, enable or replay a webhook',
      body: WebhookPatch,
      reply: { kind: 'object', schema: Webhook },
      description:
        'A pause loses nothing: once enabled again, a webhook continues after `position`. Enabling one that ' +
        `fails retries immediately. The ETag changes with each delivery that is saved. ${stepUp}`,
      handle(call) {
        const { params, body } = call;
        checkStepUp(call.caller, call.now, 'Changing a webhook');
        return call.write((permit) => {
          const webhook = requireOwned(webhookSource, permit, params.id);
          call.checkPrecondition(() => representWebhook(webhook).etag);
          const wanted = mergeWebhook(webhook, body, feedBounds(permit.writer));
          const isRetried = body.status === 'enabled' && webhook.retryAt !== null;
          if (changesNothing(webhook, wanted) && !isRetried) return representWebhook(webhook);
          return representWebhook(replaceWebhook(permit, webhook, wanted));
        });
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/webhooks/{id}',
      summary: 'Delete a webhook',
      reply: { kind: 'none' },
      description: stepUp,
      handle(call) {
        checkStepUp(call.caller, call.now, 'Deleting a webhook');
        return call.write((permit) => {
          const webhook = requireOwned(webhookSource, permit, call.params.id);
          call.checkPrecondition(() => representWebhook(webhook).etag);
          removeWebhook(permit, webhook);
          return empty;
        });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/webhooks/{id}/secrets',
      summary: 'Replace the secret of a webhook',
      reply: { ...withSecretOnce, schema: WebhookSecret },
      description:
        'For 24 hours deliveries have two signatures, of the new secret and of the one before it, so that ' +
        `the receiver can be changed meanwhile. ${stepUp}`,
      problems: ['not-found', 'step-up-required'],
      handle(call) {
        checkStepUp(call.caller, call.now, 'Replacing the secret of a webhook');
        return call.write((permit) => {
          const webhook = requireOwned(webhookSource, permit, call.params.id);
          const { id } = webhook;
          const { userId } = permit.caller;
          call.reportSecurityEvent({ name: 'sensitive_update', userId, webhookId: id });
          return represent(rotateSecret(permit, webhook, secrets), { id, ownerId: null });
        });
      },
    }),
  ];
}

const webhooks = representationsOf(webhookSource, representWebhook);

/**
 * Represents a webhook. The ETag includes the row's version, since a change may restore shown members, or
 * replace the secret.
 */
function representWebhook({ version, ...webhook }: StoredWebhook): Representation<Webhook> {
  return represent(webhook, { id: webhook.id, ownerId: null, salt: String(version) });
}
