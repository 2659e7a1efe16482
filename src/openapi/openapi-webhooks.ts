// The requests that the service sends, in the OpenAPI document: webhooks.
import { jsonType } from '../http/responses/media-types.ts';
import type { WebhookMessage, Route } from '../http/routing/route.ts';
import type { MountedRoute } from '../http/routing/router.ts';
import { string, type Schema } from '../schema/schema.ts';
import { exampleOf, pascalCase, type Components, type Json } from './openapi-components.ts';
import { contentOf } from './openapi-responses.ts';

export function webhooksOf(mounted: readonly MountedRoute[], components: Components): Json {
  const webhooks: Json = {};
  for (const { route } of mounted)
    if (route.webhookMessage !== undefined)
      webhooks[route.webhookMessage.name] = { post: delivery(route, route.webhookMessage, components) };
  return webhooks;
}

function delivery(
  { tag }: Route,
  { name, summary, description, schema }: WebhookMessage,
  components: Components,
): Json {
  return {
    operationId: `receive${pascalCase(name)}`,
    tags: [tag],
    summary,
    description,
    security: [],
    parameters: signedFields,
    requestBody: {
      required: true,
      content: contentOf([jsonType], components.use(schema, 'response'), exampleOf(schema)),
    },
    responses: {
      '2XX': { description: 'The event was received.' },
      410: { description: 'The webhook is disabled: nothing more is sent.' },
      default: { description: 'The event is sent again later; Retry-After can delay that.' },
    },
  };
}

/** The header fields that Standard Webhooks defines. */
const signedFields = [
  field(
    'webhook-id',
    'Identifies the event; the same whenever it is sent again.',
    string({ maxLength: 100, pattern: '^evt_[0-9a-f]{16}_\\d+$' }),
  ),
  field(
    'webhook-timestamp',
    'When it was sent, in seconds since 1970: reject what is old.',
    string({ maxLength: 20, pattern: '^\\d+$' }),
  ),
  field(
    'webhook-signature',
    'Signatures separated by blanks, each `v1,` and the base64 of the HMAC-SHA-256 of id, timestamp and ' +
      'body, joined by dots. One of them has to match.',
    string({ maxLength: 200, pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$' }),
  ),
];

function field(name: string, description: string, schema: Schema<string>): Json {
  return { name, in: 'header', required: true, description, schema };
}
