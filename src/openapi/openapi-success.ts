// The successful responses of an operation in the OpenAPI document.
import { pageRowsMax, urlBytesMax } from '../limits.ts';
import { integer } from '../schema/schema.ts';
import { csv, ndjson } from '../http/media-types.ts';
import { shownExampleOf, type Components, type Json } from './openapi-components.ts';
import { commonFields, headerRefs, textSchemas } from './openapi-parts.ts';
import type { Reply } from '../http/reply.ts';
import type { Route } from '../http/route.ts';
import { eventStream } from '../http/server-sent-events.ts';

export function contentOf(mediaTypes: readonly string[], schema: Json, example: unknown): Json {
  return Object.fromEntries(
    mediaTypes.map((type) => [
      type,
      textSchemas[type] === undefined ? { schema, example } : { schema: textSchemas[type] },
    ]),
  );
}

export function successResponse(
  route: Route,
  components: Components,
  status: number = route.reply.status,
): Json {
  const { reply } = route;
  const fields = successFields(route, status);
  if (reply.kind === 'none') return { description: 'Done.', headers: headerRefs(fields) };
  const shown = reply.schema === undefined ? { type: 'object' } : components.use(reply.schema, 'response');
  return {
    description: status === 201 ? 'Created.' : 'OK.',
    headers: headerRefs(fields),
    content: contentOf(
      reply.mediaTypes,
      reply.kind === 'list' ? pageSchema(shown, components, reply) : shown,
      exampleReply(reply),
    ),
  };
}

function successFields(route: Route, status: number): string[] {
  const { reply } = route;
  const fields = commonFields(route);
  if (route.sessionCookie !== undefined) fields.push('Set-Cookie');
  if (reply.kind === 'none') return fields;
  fields.push('ETag', 'Cache-Control', 'Vary', 'Content-Security-Policy', 'X-Content-Type-Options');
  if (status === 201) fields.push('Location');
  const isShared = reply.kind === 'shared document';
  if (reply.kind === 'list' || isShared) fields.push('Link');
  if (isShared) fields.push('Content-Encoding');
  if (reply.mediaTypes.includes('text/html')) fields.push('Referrer-Policy', 'Cross-Origin-Opener-Policy');
  if (reply.mediaTypes.includes(csv)) fields.push('Content-Disposition');
  if (isStreamed(reply)) fields.push('X-Accel-Buffering');
  if (route.acceptsIdempotencyKey === true) fields.push('Idempotency-Replayed');
  return fields;
}

function isStreamed({ mediaTypes }: Reply): boolean {
  return mediaTypes.includes(csv) || mediaTypes.includes(ndjson) || mediaTypes.includes(eventStream);
}

/** Names a page of named elements, such as `OrderPage`, or `EventFeed` if no page is the last. */
function pageSchema(element: Json, components: Components, { isFeed = false }: Reply): Json {
  const name = /\w+$/.exec(String(element['$ref'] ?? ''))?.[0];
  const page = isFeed ? feedPageOf(element) : listPageOf(element);
  return name === undefined ? page : components.schema(`${name}${isFeed ? 'Feed' : 'Page'}`, page);
}

function feedPageOf(element: Json): Json {
  const description = 'Path and query of the next page, to be read now or later; never null.';
  return pageOf(element, { next: { ...nextPage, description } });
}

function listPageOf(element: Json): Json {
  const description =
    'Path and query of the next page; null on the last page. A client that calls operations by name ' +
    'passes the `cursor` of this query to the same operation, with the same filters and sort.';
  return pageOf(element, {
    next: { ...nextPage, type: ['string', 'null'], description },
    total: integer({ minimum: 0, description: 'With `total=true`: the number of all elements.' }),
  });
}

const nextPage = { type: 'string', maxLength: urlBytesMax, pattern: '^/' };

function pageOf(element: Json, members: Json): Json {
  return {
    type: 'object',
    required: ['data', 'next'],
    properties: { data: { type: 'array', items: element, maxItems: pageRowsMax }, ...members },
  };
}

function exampleReply({ kind, schema, isFeed }: Reply): unknown {
  const example = shownExampleOf(schema ?? {});
  if (kind !== 'list') return example;
  return { data: [example], next: isFeed === true ? '/events?cursor=eyJ2IjoxfQ' : null };
}

export function notModifiedResponses(route: Route): Json {
  if (route.method !== 'GET') return {};
  const fields = [...commonFields(route), 'ETag', 'Cache-Control', 'Vary'];
  if (route.reply.kind === 'list') fields.push('Link');
  return {
    304: { description: 'Not modified: the client’s copy is current.', headers: headerRefs(fields) },
  };
}
