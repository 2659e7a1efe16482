// The results of handlers: one type for each kind of response.
import { createEncodings, type Encoded } from './compression.ts';
import { json } from './media-types.ts';
import { etagOf, toWireLatin1, type Representation, type Represents } from './representation.ts';
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

/** A text that is created for one response and is no object of the database: a state, metrics, sales. */
export type Document<T> = Represents<T> & {
  readonly kind: 'document';
  readonly mediaType: string;
  readonly text: string;
  readonly etag: string;
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
  readonly lines: HeaderLines;
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

export function jsonDocument<T>(value: T): Document<T> {
  return textDocument(JSON.stringify(value), json);
}

export function textDocument(content: string, mediaType: string): Document<never> {
  const text = toWireLatin1(content);
  return { kind: 'document', mediaType, text, etag: etagOf(text) };
}

type SharedOptions = { readonly mediaType?: string; readonly fields?: HeaderFields };

/** Called once for a document, like the two functions below; handlers keep the result. */
export function sharedDocument<T>(value: T): Promise<SharedDocument<T>> {
  return sharedText(JSON.stringify(value));
}

export async function sharedText(
  text: string,
  { mediaType = json, fields }: SharedOptions = {},
): Promise<SharedDocument<never>> {
  const encoded = await createEncodings(Buffer.from(text));
  const lines = fields === undefined ? jsonPolicyLines : headerLines(fields);
  return { kind: 'shared document', mediaType, lines, encoded };
}

/** Returns a page for people; `fields` must have its Content-Security-Policy. */
export function sharedHtml(html: string, fields: HeaderFields): Promise<SharedDocument<never>> {
  return sharedText(html, { mediaType: 'text/html; charset=utf-8', fields });
}

export function streamed(
  mediaType: string,
  start: (stream: ResponseStream) => void,
  fields: HeaderFields = [],
): Streamed {
  return { kind: 'stream', mediaType, lines: headerLines(fields), start };
}
