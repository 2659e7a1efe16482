// The reply of a route that succeeds. The type of the handler's result, the head of the response and the
// documentation follow from this value.
import type { HeaderFields } from '../../base/header-fields.ts';
import type { JsonSchema, Schema } from '../../schema/schema.ts';
import { csvType, jsonType, ndjsonType } from '../responses/media-types.ts';
import type { Representation, Represents } from '../responses/representation.ts';
import type { ResponseStream } from '../responses/response-stream.ts';
import type { SharedDocument } from '../responses/shared-document.ts';

/** The values of Cache-Control: a copy has to be revalidated before each use, or must not be stored. */
export const revalidated = 'private, no-cache';
export const notStored = 'no-store';

/** The media types of a list that can be exported. The handler returns the negotiated one. */
export const exportable = [jsonType, csvType, ndjsonType] as const;

export type Reply = ReplyHead & (ReplyWithSchema | OtherReply);

/** `schema` describes the object, or an element of the list. */
type ReplyWithSchema = { readonly kind: 'object' | 'list'; readonly schema: JsonSchema };
type OtherReply = {
  readonly kind: Exclude<HandlerResult['kind'], ReplyWithSchema['kind']>;
  readonly schema?: JsonSchema;
};

type ReplyHead = {
  /** JSON by default. */
  readonly mediaTypes?: readonly string[];
  /** The location of an object that the request creates, with status 201. */
  readonly location?: (made: Representation<unknown>) => string;
  /** The location of an object that a PUT may create, then with status 201. */
  readonly newLocation?: (made: Representation<unknown>) => string;
  /**
   * By default documents are not stored, and copies of other replies are revalidated. A stream is never
   * stored.
   */
  readonly cacheControl?: string;
  /** Whether clients follow the list as it grows: `next` is null only on the last page of a sorted list. */
  readonly isFeed?: boolean;
};

/** The value that a reply's schema describes; any value if it has no schema. */
type Shown<R> = R extends { readonly schema: Schema<infer T> } ? T : unknown;

/** What a handler returns for its route's reply. */
export type ResultOf<R extends Reply> =
  | (R extends { readonly kind: 'object' } ? Representation<Shown<R>> : never)
  | (R extends { readonly kind: 'list' } ? ListPage<Shown<R>> : never)
  | (R extends { readonly kind: 'list'; readonly mediaTypes: readonly string[] } ? Streamed : never)
  | (R extends { readonly kind: 'document' } ? Document<Shown<R>> : never)
  | (R extends { readonly kind: 'shared document' } ? SharedDocument<Shown<R>> : never)
  | (R extends { readonly kind: 'stream' } ? Streamed : never)
  | (R extends { readonly kind: 'none' } ? Empty : never);

export function statusOf({ kind, location }: Reply): 200 | 201 | 204 {
  if (kind === 'none') return 204;
  return location === undefined ? 200 : 201;
}

/** Returns the status of a response with an object, and its Location if it has one. */
export function statusAndLocationOf(
  reply: Reply,
  object: Representation<unknown>,
): { readonly status: number; readonly location: string | undefined } {
  if (object.isNew === true) return { status: 201, location: reply.newLocation?.(object) };
  return { status: statusOf(reply), location: reply.location?.(object) };
}

export function mediaTypesOf({ kind, mediaTypes = onlyJson }: Reply): readonly string[] {
  return kind === 'none' ? none : mediaTypes;
}

const onlyJson: readonly string[] = [jsonType];
const none: readonly string[] = [];

export function cacheControlOf({ kind, cacheControl }: Reply): string {
  return cacheControl ?? (kind === 'document' ? notStored : revalidated);
}

// The results of handlers: one type for each kind.

export type ListPage<T> = Represents<readonly T[]> & {
  readonly kind: 'list';
  readonly text: string;
  readonly etag: string;
  /** Path and query of the next page; null if this is the last one. */
  readonly next: string | null;
};

/** A value that is created for one response and is no object of the database: a state, metrics, sales. */
export type Document<T> = {
  readonly kind: 'document';
  /** JSON, unless it is a text. */
  readonly content: T | string;
  /** By default the reply's media type. */
  readonly mediaType?: string;
};

/** A body that is written gradually: `start` is called once the head has been sent. */
export type Streamed = {
  readonly kind: 'stream';
  readonly mediaType: string;
  /** Further header fields of this response. */
  readonly fields?: HeaderFields;
  readonly start: (stream: ResponseStream) => void;
};

/** A response without a body. */
export type Empty = { readonly kind: 'none' };

export type HandlerResult =
  | Representation<unknown>
  | ListPage<unknown>
  | Document<unknown>
  | SharedDocument<unknown>
  | Streamed
  | Empty;

export const empty: Empty = { kind: 'none' };
