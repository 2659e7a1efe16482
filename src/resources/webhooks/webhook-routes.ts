// Webhooks over HTTP: /webhooks, for administrators.
import { accountAccessOf, adminOnly, checkStepUp, recentSignIn, type Caller } from '../../auth/access.ts';
import type { SealedSecrets } from '../../auth/sealed-secrets.ts';
import type { Cursors } from '../../http/cursor.ts';
import { listPage, listParameters } from '../../http/list.ts';
import { represent, type Representation } from '../../http/representation.ts';
import { createFinder } from '../../http/representation-cache.ts';
import { created, listOf, noContent, ok } from '../../http/reply.ts';
import { route, type Context, type Route } from '../../http/route.ts';
import { webhooksMax } from '../../limits.ts';
import type { WebhookTargets } from './webhook-targets.ts';
import { Event } from '../events/event.ts';
import { feedBounds } from '../events/feed-store.ts';
import { changeObject, removeObject, type Changeable, type Resource } from '../flows/change.ts';
import { requireVisible } from '../flows/visible.ts';
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
  type NewWebhook,
  type WebhookBodies,
  type WebhookPatch,
  type WebhookSettings,
} from './webhook.ts';

type WebhookServices = {
  readonly cursors: Cursors;
  readonly targets: WebhookTargets;
  readonly secrets: SealedSecrets;
  /** Called for each request to enable a webhook; one that is enabled already may be waiting for a retry. */
  readonly onEnabled: (id: number) => void;
};

export function webhookRoutes({ cursors, targets, secrets, onEnabled }: WebhookServices): Route[] {
  const bodies = webhookBodies(targets);
  return [
    createWebhookRoute(bodies, secrets),
    listWebhooksRoute(cursors),
    readWebhookRoute(),
    patchWebhookRoute(bodies, onEnabled),
    deleteWebhookRoute(),
    createSecretRoute(secrets),
  ];
}

const webhookResource: Resource<StoredWebhook, Webhook> = {
  ...webhookSource,
  accessOf: accountAccessOf,
  represent: representWebhook,
};

/** The ETag includes the row's version, since a change may restore shown members, or replace the secret. */
function representWebhook({ version, ...webhook }: StoredWebhook): Representation<Webhook> {
  return represent(webhook, { id: webhook.id, ownerId: null, salt: String(version) });
}

const changeableWebhook: Changeable<StoredWebhook, Webhook, WebhookPatch, WebhookSettings> = {
  ...webhookResource,
  merge: (current, patch, { db }) => mergeWebhook(current, patch, feedBounds(db)),
};

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
    reply: created(CreatedWebhook, ({ id }) => `/webhooks/${id}`, {
      isSecret: true,
    }),
    description:
      'From then on every event of these types is sent to `url`, in order and at least once, signed by ' +
      `Standard Webhooks. There may be ${webhooksMax} webhooks. ${stepUp}`,
    webhookMessage: delivery,
    problems: ['step-up-required'],
    handle: (context) => createWebhook(context, secrets),
  });
}

/** The ETag is that of the webhook without its secret, which is also that of GET /webhooks/{id}. */
async function createWebhook(
  context: Context<object, object, NewWebhook, Caller>,
  secrets: SealedSecrets,
): Promise<Representation<CreatedWebhook>> {
  const { body, caller, database, now } = context;
  checkStepUp(caller, now, 'Creating a webhook');
  return database.write((writer) => {
    const { webhook, secret } = addWebhook(context.authorizeWrite(writer), body, secrets);
    const { version: _version, ...shown } = webhook;
    const { id, ownerId, etag } = representWebhook(webhook);
    return represent({ ...shown, secret }, { id, ownerId, etag });
  });
}

function listWebhooksRoute(cursors: Cursors): Route {
  return route({
    ...webhookRouteBase,
    method: 'GET',
    path: '/webhooks',
    summary: 'List webhooks, newest first',
    query: listParameters,
    reply: listOf(Webhook),
    handle(context) {
      return listPage(context, {
        cursors,
        selectionFor: webhookSelection,
        find: createFinder(webhookResource),
      });
    },
  });
}

function readWebhookRoute(): Route {
  return route({
    ...webhookRouteBase,
    method: 'GET',
    path: '/webhooks/{id}',
    summary: 'Read a webhook',
    reply: ok(Webhook),
    handle({ params: { id }, caller, database }) {
      const access = accountAccessOf(caller);
      return representWebhook(requireVisible(webhookSource, { db: database.read, id, access }));
    },
  });
}

function patchWebhookRoute(bodies: WebhookBodies, onEnabled: WebhookServices['onEnabled']): Route {
  return route({
    ...webhookRouteBase,
    method: 'PATCH',
    path: '/webhooks/{id}',
    summary: 'Change, pause, enable or replay a webhook',
    body: bodies.WebhookPatch,
    reply: ok(Webhook),
    description:
      'A pause loses nothing: once enabled again, a webhook continues after `position`. Enabling one that ' +
      `fails retries immediately. The ETag changes with each delivery that is saved. ${stepUp}`,
    problems: ['step-up-required'],
    async handle(context) {
      checkStepUp(context.caller, context.now, 'Changing a webhook');
      const webhook = await changeObject(context, changeableWebhook, { write: replaceWebhook });
      if (context.body.status === 'enabled') onEnabled(context.params.id);
      return webhook;
    },
  });
}

function deleteWebhookRoute(): Route {
  return route({
    ...webhookRouteBase,
    method: 'DELETE',
    path: '/webhooks/{id}',
    summary: 'Delete a webhook',
    reply: noContent(),
    description: stepUp,
    problems: ['step-up-required'],
    handle(context) {
      checkStepUp(context.caller, context.now, 'Deleting a webhook');
      return removeObject(context, webhookResource, { remove: removeWebhook });
    },
  });
}

function createSecretRoute(secrets: SealedSecrets): Route {
  return route({
    ...webhookRouteBase,
    method: 'POST',
    path: '/webhooks/{id}/secrets',
    summary: 'Replace the secret of a webhook',
    reply: created(WebhookSecret, ({ id }) => `/webhooks/${id}`, { isSecret: true }),
    description:
      'For 24 hours deliveries have two signatures, of the new secret and of the one before it, so that ' +
      `the receiver can be changed meanwhile. ${stepUp}`,
    problems: ['not-found', 'step-up-required'],
    handle: (context) => addSecret(context, secrets),
  });
}

async function addSecret(
  context: Context<{ readonly id: number }, object, undefined, Caller>,
  secrets: SealedSecrets,
): Promise<Representation<WebhookSecret>> {
  const { params, caller, database, now } = context;
  const { id } = params;
  checkStepUp(caller, now, 'Replacing the secret of a webhook');
  return database.write((writer) => {
    const permit = context.authorizeWrite(writer);
    const access = accountAccessOf(permit.caller);
    const webhook = requireVisible(webhookSource, { db: writer, id, access });
    return represent(rotateSecret(permit, webhook, secrets), { id, ownerId: null });
  });
}
