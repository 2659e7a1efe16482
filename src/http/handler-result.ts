// The results of handlers: one type for each kind of response.
import { createEncodings, type Encoded } from './compression.ts';
import { json } from './media-types.ts';
import type { Representation, Represents } from './representation.ts';
import { headerLines, type HeaderFields, type HeaderLines } from '../base/header-lines.ts';
import { jsonPolicyLines } from './response-head.ts';
import type { ResponseStream } from './response-stream.ts';

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
  /** That of the reply by default. */
  readonly mediaType?: string;
};

/** A document that is created once and sent often, with header fields of its own; all share its bytes. */
export type SharedDocument<T> = Represents<T> & {
  readonly kind: 'shared document';
  readonly mediaType: string;
  /** Its own header fields. */
  readonly lines: HeaderLines;
  /** Takes Accept-Encoding. */
  readonly encoded: (accept: string | undefined) => Encoded;
};

/** A body that is written gradually: `start` is called once the head has been sent. */
export type Streamed = {
  readonly kind: 'stream';
  readonly mediaType: string;
  /** Its own header fields. */
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

type SharedOptions = { readonly mediaType?: string; readonly fields?: HeaderFields };

/** Compresses a value as JSON, like `sharedText`. */
export function sharedDocument<T>(value: T): Promise<SharedDocument<T>> {
  return sharedText(JSON.stringify(value));
}

/**
 * Compresses a text, once: handlers keep the result. The fields of a page for people must have its
 * Content-Security-Policy.
 */
export async function sharedText(
  text: string,
  { mediaType = json, fields }: SharedOptions = {},
): Promise<SharedDocument<never>> {
  const encoded = await createEncodings(Buffer.from(text));
  const lines = fields === undefined ? jsonPolicyLines : headerLines(fields);
  return { kind: 'shared document', mediaType, lines, encoded };
}
