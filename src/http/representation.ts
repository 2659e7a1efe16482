// The bytes of a response, made once: its text, its entity tag, and what the server needs besides.
import assert from 'node:assert';
import { hash } from 'node:crypto';
import { createEncodings, type Coding, type Encoded } from './content-codings.ts';
import type { ResponseStream } from './response-stream.ts';

declare const phantom: unique symbol;

/**
 * A resource as sent. `text` holds the UTF-8 bytes one a character (latin1), which `node:http` sends with the
 * head in one piece.
 */
export type Representation<T> = {
  readonly id: number;
  /** The owner's id, for the owner check; null if there is none. */
  readonly ownerId: number | null;
  readonly text: string;
  readonly etag: string;
  readonly mediaType: string;
  /** Set by a change that had nothing to change: sending the request again does no harm. */
  readonly isUnchanged?: boolean;
  /** Set by a PUT that created what it was sent to: its status is 201. */
  readonly isNew?: boolean;
  /** For lists: where the next page is. */
  readonly next?: string | null;
  /** Further header fields: name, value, name, value. */
  readonly fields?: readonly string[];
  /** For documents made once: their shared bytes, sent in place of `text` and `etag`. */
  readonly encoded?: (coding: Coding) => Encoded;
  /** For a streamed response: called once its head has been sent, in place of sending `text`. */
  readonly stream?: (stream: ResponseStream) => void;
  readonly [phantom]?: T;
};

/** What a handler returns. */
export type HandlerResult = Representation<unknown> | Promise<Representation<unknown>>;

type About = {
  readonly id?: number;
  readonly ownerId?: number | null;
  /** Distinguishes versions that look alike. */
  readonly salt?: string;
  /**
   * The ETag, if the object's version is known: then it differs for each text. By default a hash of the text.
   */
  readonly etag?: string;
};

export function represent<T>(value: T, about: About = {}): Representation<T> {
  return representText(JSON.stringify(value), about);
}

/** Represents JSON text; the caller guarantees that it is a T. */
export function representText<T>(json: string, about: About = {}): Representation<T> {
  const text = toWireLatin1(json);
  return {
    id: about.id ?? 0,
    ownerId: about.ownerId ?? null,
    text,
    etag: about.etag ?? etagOf(text + (about.salt ?? '')),
    mediaType: 'application/json',
  };
}

/** A page for people, in place of the negotiated reply. */
export function page(html: string, fields: readonly string[]): Representation<never> {
  const text = toWireLatin1(html);
  return { id: 0, ownerId: null, text, etag: etagOf(text), mediaType: 'text/html; charset=utf-8', fields };
}

/** A streamed response, in place of the negotiated reply. */
export function streamed(mediaType: string, stream: (stream: ResponseStream) => void): Representation<never> {
  return { id: 0, ownerId: null, text: '', etag: '', mediaType, stream };
}

/** Makes it a document that is made once and sent often: handlers hold on to what this returns. */
export async function shared<T>(made: Representation<T>): Promise<Representation<T>> {
  return { ...made, encoded: await createEncodings(Buffer.from(made.text, 'latin1')) };
}

/** The representation that a write of an idempotent route returned, whose type is not known there. */
export function asRepresentation(value: unknown): Representation<unknown> {
  const isOne = typeof value === 'object' && value !== null && 'etag' in value && 'ownerId' in value;
  assert(isOne, 'a write of an idempotent route returns its representation');
  return value as Representation<unknown>; // no other value has both members
}

export function toWireLatin1(text: string): string {
  const isAscii = Buffer.byteLength(text) === text.length;
  return isAscii ? text : Buffer.from(text, 'utf8').toString('latin1');
}

export function etagOf(text: string): string {
  return `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
}

export function estimateBytes(representation: Representation<unknown>): number {
  return representation.text.length + 320; // the rest of the record and its map entry, measured
}
