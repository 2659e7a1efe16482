// The representation of an object: its text, created once, its entity tag, and its owner.
import { hash } from 'node:crypto';
import { ownerIdOf } from '../../storage/object-access.ts';

declare const represented: unique symbol;

/** Marks a text with the type of the value that it represents, for the compiler alone. */
export type Represents<T> = { readonly [represented]?: T };

/**
 * An object of the database, as JSON. Each character of `text` is one byte of UTF-8 (latin1), so `node:http`
 * sends it together with the head.
 */
export type Representation<T> = Represents<T> & {
  readonly kind: 'object';
  readonly id: number;
  /** The id of the user who owns the object; null if nobody owns it. */
  readonly ownerId: number | null;
  readonly text: string;
  readonly etag: string;
  /** Set in the result of a PUT that has created the object. */
  readonly isNew?: true;
};

type RepresentationOptions = {
  readonly id: number;
  readonly ownerId: number | null;
  /** Distinguishes versions with the same text. */
  readonly salt?: string;
  /** The ETag, by default a hash of the text. An ETag that is passed must differ for each text. */
  readonly etag?: string;
};

export function represent<T>(
  value: T,
  { id, ownerId, salt = '', etag }: RepresentationOptions,
): Representation<T> {
  const text = toWireLatin1(JSON.stringify(value));
  return { kind: 'object', id, ownerId, text, etag: etag ?? etagOf(text + salt) };
}

/** Represents a row that a user may own. */
export function representRow<R extends { readonly id: number }>(row: R): Representation<R> {
  return represent(row, { id: row.id, ownerId: ownerIdOf(row) });
}

export function isRepresentation(result: unknown): result is Representation<unknown> {
  return typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'object';
}

/** A member that `include` adds to objects, by their ids; null for an object that has no value. */
export type Included = { readonly member: string; readonly values: ReadonlyMap<number, unknown> };

/** Adds a member. The result has another ETag, since it is no longer the object's own representation. */
export function withIncluded<T>(object: Representation<T>, { member, values }: Included): Representation<T> {
  const value = toWireLatin1(JSON.stringify(values.get(object.id) ?? null));
  const text = `${object.text.slice(0, -1)},"${member}":${value}}`;
  return { ...object, text, etag: etagOf(text) };
}

/** Adds a secret that only the response to a creation shows. The ETag stays: a GET doesn't show the secret. */
export function withSecret<T, S extends object>(object: Representation<T>, secret: S): Representation<T & S> {
  const added = toWireLatin1(JSON.stringify(secret).slice(1));
  return { ...object, text: `${object.text.slice(0, -1)},${added}` } as Representation<T & S>; // with the members of both
}

export function toWireLatin1(text: string): string {
  const isAscii = Buffer.byteLength(text) === text.length;
  return isAscii ? text : Buffer.from(text, 'utf8').toString('latin1');
}

export function etagOf(text: string): string {
  return `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
}

/** Estimates the memory that a cached text takes. */
export function estimateBytes({ text }: { readonly text: string }): number {
  return text.length + 272; // the rest of the record and its map entry, measured
}
