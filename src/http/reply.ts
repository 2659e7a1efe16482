// The declaration of a route's successful response: the result of its handler, and the head of the response.
import type { JsonSchema, Schema } from '../schema/schema.ts';
import {
  type Document,
  type Empty,
  type HandlerResult,
  type ListPage,
  type SharedDocument,
  type Streamed,
} from './handler-result.ts';
import { csv, json, ndjson } from './media-types.ts';
import type { Representation } from './representation.ts';
import { eventStream } from './server-sent-events.ts';

/** The values of Cache-Control: a copy has to be revalidated before each use, or must not be stored. */
export const revalidated = 'private, no-cache';
export const notStored = 'no-store';

export type Reply<R extends HandlerResult = HandlerResult> = {
  readonly status: 200 | 201 | 204;
  /** The kind of result. A `list` may also be a stream. */
  readonly kind: HandlerResult['kind'];
  /** Whether the list has no last page: its `next` is never null. */
  readonly isFeed?: boolean;
  readonly schema?: JsonSchema;
  readonly mediaTypes: readonly string[];
  readonly location?: (made: Representation<unknown>) => string;
  /** The location of an object that a PUT creates, with status 201. */
  readonly newLocation?: (made: Representation<unknown>) => string;
  /** Undefined for a stream, which is never stored, and for a response without a body. */
  readonly cacheControl?: string;
  /** For the compiler alone. */
  readonly result?: R;
};

/** `isSecret`: the response has a secret, which is shown only this once. */
type Secrecy = { readonly isSecret?: boolean };

export function ok<T>(
  schema: Schema<T>,
  { isSecret = false, ...creation }: Secrecy & Pick<Reply, 'newLocation'> = {},
): Reply<Representation<T>> {
  return {
    status: 200,
    kind: 'object',
    schema,
    mediaTypes: [json],
    cacheControl: isSecret ? notStored : revalidated,
    ...creation,
  };
}

/** A page of a list; `schema` is that of one element. */
export function listOf<T>(schema: Schema<T>): Reply<ListPage<T>> {
  return {
    status: 200,
    kind: 'list',
    schema,
    mediaTypes: [json],
    cacheControl: revalidated,
  };
}

/** A page, or the whole list as a file: the negotiated media type decides what the handler returns. */
export function listOrExportOf<T>(schema: Schema<T>): Reply<ListPage<T> | Streamed> {
  return { ...listOf(schema), mediaTypes: [json, csv, ndjson] };
}

/** A page or a file, or a stream of the elements as they are added. */
export function listOrStreamOf<T>(schema: Schema<T>): Reply<ListPage<T> | Streamed> {
  return { ...listOf(schema), isFeed: true, mediaTypes: [json, eventStream, csv, ndjson] };
}

export function created<T>(
  schema: Schema<T>,
  location: (made: Representation<unknown>) => string,
  { isSecret = false }: Secrecy = {},
): Reply<Representation<T>> {
  return {
    status: 201,
    kind: 'object',
    schema,
    location,
    mediaTypes: [json],
    cacheControl: isSecret ? notStored : revalidated,
  };
}

/** Returns the status of a response with an object, and its Location if it has one. */
export function headOf(
  { status, location, newLocation }: Reply,
  object: Representation<unknown>,
): { readonly status: number; readonly location: string | undefined } {
  if (object.isNew === true) return { status: 201, location: newLocation?.(object) };
  return { status, location: location?.(object) };
}

export function noContent(): Reply<Empty> {
  return { status: 204, kind: 'none', mediaTypes: [] };
}

/** A document that is made for one response: a state, metrics. */
export function documentIn<T>(mediaType: string, schema?: Schema<T>): Reply<Document<T>> {
  return {
    status: 200,
    kind: 'document',
    mediaTypes: [mediaType],
    cacheControl: notStored,
    ...shown(schema),
  };
}

/** A document that is made once, and compressed: the OpenAPI document, a page for people, a file. */
export function sharedDocumentIn<T>(
  mediaTypes: readonly string[],
  cacheControl: string,
  schema?: Schema<T>,
): Reply<SharedDocument<T>> {
  return { status: 200, kind: 'shared document', mediaTypes, cacheControl, ...shown(schema) };
}

function shown<T>(schema: Schema<T> | undefined): Pick<Reply, 'schema'> {
  return schema === undefined ? {} : { schema };
}

/** A stream of results, which begins while the request's body is still being read. */
export function streamIn(mediaType: string): Reply<Streamed> {
  return { status: 200, kind: 'stream', mediaTypes: [mediaType] };
}
