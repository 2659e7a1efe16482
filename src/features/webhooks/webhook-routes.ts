// Webhooks over HTTP: /webhooks, for administrators.
import { adminOnly, checkStepUp, recentSignIn, type Caller } from '../../auth/access.ts';
import type { SealedSecrets } from '../../auth/sealed-secrets.ts';
import { empty, notStored } from '../../http/routing/reply.ts';
import { listParameters, type Lists } from '../../http/lists/list.ts';
import { represent, type Representation } from '../../http/responses/representation.ts';
import { lookupOf } from '../../http/responses/representation-cache.ts';
import { route, type Call, type Route } from '../../http/routing/route.ts';
import type { WebhookTargets } from './webhook-targets.ts';
import { Event } from '../events/event.ts';
import { feedBounds } from '../events/feed-store.ts';
import { changesNothing, requireOwned, requireVisible } from '../../storage/object-access.ts';
import {
  addWebhook,
  removeWebhook,
  replaceWebhook,
  rotateSecret,
  webhookSource,
  type StoredWebhook,
  webhookSelection,
} from './webhook-store.ts';
import {
  CreatedWebhook,
  Webhook,
  WebhookSecret,
  mergeWebhook,
  webhookBodies,
  webhookContentOf,
  type NewWebhook,
  type WebhookBodies,
  webhooksMax,
} from './webhook.ts';

type WebhookServices = {
  readonly lists: Lists;
  readonly targets: WebhookTargets;
  readonly secrets: SealedSecrets;
  /**
   * Called for each request to enable a webhook. A webhook that is already enabled may be waiting for a
   * retry.
   */
  readonly onEnabled: (id: number) => void;
};

export function webhookRoutes({ lists, targets, secrets, onEnabled }: WebhookServices): Route[] {
  const bodies = webhookBodies(targets);
  return [
    createWebhookRoute(bodies, secrets),
    listWebhooksRoute(lists),
    readWebhookRoute(),
    patchWebhookRoute(bodies, onEnabled),
    deleteWebhookRoute(),
    createSecretRoute(secrets),
  ];
}

const webhookLookup = lookupOf({ find: webhookSource.find, represent: representWebhook });

/**
 * Represents a webhook. The ETag includes the row's version, since a change may restore shown members, or
 * replace the secret.
 */
function representWebhook({ version, ...webhook }: StoredWebhook): Representation<Webhook> {
  return represent(webhook, { id: webhook.id, ownerId: null, salt: String(version) });
}

const stepUp = `Needs ${recentSignIn}.`;
const webhookRouteBase = { tag: 'Webhooks', access: adminOnly } as const;

const delivery = {
  name: 'event',
  summary: 'An event, sent to a webhook',
  description:
    'Sent by Standard Webhooks until the receiver responds 2xx. An event may come more than once, with the ' +
    'same `webhook-id`.',
  schema: Event,
};

function createWebhookRoute({ NewWebhook: body }: WebhookBodies, secrets: SealedSecrets): Route {
  return route({
    ...webhookRouteBase,
    method: 'POST',
    path: '/webhooks',
    summary: 'Create a webhook',
    body,
    reply: {
      kind: 'object',
      schema: CreatedWebhook,
      location: ({ id }) => `/webhooks/${id}`,
      cacheControl: notStored,
    },
    description:
      'From then on every event of these types is sent to `url`, in order and at least once, signed by ' +
      `Standard Webhooks. There may be ${webhooksMax} webhooks. ${stepUp}`,
    webhookMessage: delivery,
    problems: ['step-up-required'],
    handle: (call) => createWebhook(call, secrets),
  });
}

/**
 * Creates a webhook. The ETag is the same as in GET /webhooks/{id}, which shows the webhook without its
 * secret.
 */
async function createWebhook(
  call: Call<object, object, NewWebhook, Caller>,
  secrets: SealedSecrets,
): Promise<Representation<CreatedWebhook>> {
  const { body, caller, now } = call;
  checkStepUp(caller, now, 'Creating a webhook');
  return call.write((permit) => {
    const { webhook, secret } = addWebhook(permit, webhookContentOf(body), secrets);
    const { version: _version, ...shown } = webhook;
    const { id, ownerId, etag } = representWebhook(webhook);
    call.reportSecurityEvent({ name: 'sensitive_create', userId: permit.caller.userId, webhookId: id });
    return represent({ ...shown, secret }, { id, ownerId, etag });
  });
}

function listWebhooksRoute(lists: Lists): Route {
  return route({
    ...webhookRouteBase,
    method: 'GET',
    path: '/webhooks',
    summary: 'List webhooks, newest first',
    query: listParameters,
    reply: { kind: 'list', schema: Webhook },
    handle(call) {
      return lists.page(call, { selectionFor: webhookSelection, elements: webhookLookup });
    },
  });
}

function readWebhookRoute(): Route {
  return route({
    ...webhookRouteBase,
    method: 'GET',
    path: '/webhooks/{id}',
    summary: 'Read a webhook',
    reply: { kind: 'object', schema: Webhook },
    handle: (call) => representWebhook(requireVisible(webhookSource, call, call.params.id)),
  });
}

function patchWebhookRoute(bodies: WebhookBodies, onEnabled: WebhookServices['onEnabled']): Route {
  return route({
    ...webhookRouteBase,
    method: 'PATCH',
    path: '/webhooks/{id}',
    summary: 'Change, pause, enable or replay a webhook',
    body: bodies.WebhookPatch,
    reply: { kind: 'object', schema: Webhook },
    description:
      'A pause loses nothing: once enabled again, a webhook continues after `position`. Enabling one that ' +
      `fails retries immediately. The ETag changes with each delivery that is saved. ${stepUp}`,
    problems: ['step-up-required'],
    async handle(call) {
      const { params, body } = call;
      checkStepUp(call.caller, call.now, 'Changing a webhook');
      const changed = await call.write((permit) => {
        const webhook = requireOwned(webhookSource, permit, params.id);
        call.checkPrecondition(() => representWebhook(webhook).etag);
        const wanted = mergeWebhook(webhook, body, feedBounds(permit.writer));
        if (changesNothing(webhook, wanted)) return representWebhook(webhook);
        return representWebhook(replaceWebhook(permit, webhook, wanted));
      });
      if (body.status === 'enabled') onEnabled(params.id);
      return changed;
    },
  });
}

function deleteWebhookRoute(): Route {
  return route({
    ...webhookRouteBase,
    method: 'DELETE',
    path: '/webhooks/{id}',
    summary: 'Delete a webhook',
    reply: { kind: 'none' },
    description: stepUp,
    problems: ['step-up-required'],
    handle(call) {
      checkStepUp(call.caller, call.now, 'Deleting a webhook');
      return call.write((permit) => {
        const webhook = requireOwned(webhookSource, permit, call.params.id);
        call.checkPrecondition(() => representWebhook(webhook).etag);
        removeWebhook(permit, webhook);
        return empty;
      });
    },
  });
}

function createSecretRoute(secrets: SealedSecrets): Route {
  return route({
    ...webhookRouteBase,
    method: 'POST',
    path: '/webhooks/{id}/secrets',
    summary: 'Replace the secret of a webhook',
    reply: {
      kind: 'object',
      schema: WebhookSecret,
      location: ({ id }) => `/webhooks/${id}`,
      cacheControl: notStored,
    },
    description:
      'For 24 hours deliveries have two signatures, of the new secret and of the one before it, so that ' +
      `the receiver can be changed meanwhile. ${stepUp}`,
    problems: ['not-found', 'step-up-required'],
    handle: (call) => addSecret(call, secrets),
  });
}

async function addSecret(
  call: Call<{ readonly id: number }, object, undefined, Caller>,
  secrets: SealedSecrets,
): Promise<Representation<WebhookSecret>> {
  checkStepUp(call.caller, call.now, 'Replacing the secret of a webhook');
  return call.write((permit) => {
    const webhook = requireOwned(webhookSource, permit, call.params.id);
    const { id } = webhook;
    call.reportSecurityEvent({ name: 'sensitive_update', userId: permit.caller.userId, webhookId: id });
    return represent(rotateSecret(permit, webhook, secrets), { id, ownerId: null });
  });
}
