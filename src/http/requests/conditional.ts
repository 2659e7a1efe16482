// Evaluates conditional requests in the order of RFC 9110 section 13.2.2. No resource has a Last-Modified.
import { Problem } from '../../problem.ts';
import type { RequestHeaders } from '../connections/request-fields.ts';

const mismatch = 'If-Match must have the ETag of the current version, as it was sent; read the object again.';
const weakened =
  'If-Match has the current ETag, but made weak (W/), by a proxy that compresses. Send it without "W/".';
/** Equals no entity tag of a header field, since entity tags have quotation marks. */
const unknownTag = '';

export function isConditional(fields: RequestHeaders): boolean {
  return fields['if-match'] !== undefined || fields['if-none-match'] !== undefined;
}

/**
 * Throws 412 if the object has changed since the client read it; `etag` is undefined if there is no object.
 */
export function checkConditions(fields: RequestHeaders, etag: string | undefined): void {
  if (etag === undefined && fields['if-match'] !== undefined)
    throw preconditionFailed('If-Match does not match: there is nothing here yet.');
  if (etag === undefined) return;
  checkMatch(fields, etag);
  if (fields['if-none-match'] !== undefined && matches(fields['if-none-match'], etag, 'weak'))
    throw preconditionFailed('If-None-Match matches the current version.');
}

/**
 * Throws 412 if a condition of a POST fails. A POST has no version to compare, so no entity tag matches, and
 * `*` matches if the path can be read.
 */
export function checkPostConditions(fields: RequestHeaders, path: { readonly isReadable: boolean }): void {
  checkConditions(fields, path.isReadable ? unknownTag : undefined);
}

/** Throws 412 if If-Match has other entity tags than this one. */
export function checkMatch({ 'if-match': field }: RequestHeaders, etag: string): void {
  if (field === undefined || matches(field, etag, 'strong')) return;
  throw preconditionFailed(matches(field, etag, 'weak') ? weakened : mismatch);
}

/** Whether the client of a GET or HEAD already has this version, by If-None-Match: the response is a 304. */
export function isUnmodified({ 'if-none-match': field }: RequestHeaders, etag: string): boolean {
  return field !== undefined && (field === etag || matches(field, etag, 'weak'));
}

/** `field` is `*` or a list of entity tags: weak tags never match strongly, malformed ones never at all. */
function matches(field: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (field.trim() === '*') return true;
  const equals = (tag: string): boolean => tag === etag || (comparison === 'weak' && tag === `W/${etag}`);
  return tagsIn(field).some((tag) => equals(tag) || equals(tag.replace(proxySuffix, '"')));
}

/** The endings that proxies such as Apache's mod_deflate append to the tags of responses that they compress. */
const proxySuffix = /-(?:gzip|br|zstd)"$/;

/** Returns the well-formed entity tags (RFC 9110 section 8.8.3), with their quotation marks. */
function tagsIn(field: string): string[] {
  const found = field.matchAll(/(?<=^|,)[ \t]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/g);
  return Array.from(found, ([, tag = '']) => tag);
}

function preconditionFailed(detail: string): Problem {
  return new Problem('precondition-failed', detail);
}
