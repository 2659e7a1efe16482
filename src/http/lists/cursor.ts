// Cursors. A cursor is the position where the next page begins, with a MAC over the position, the list, its
// filters and its order.
import { timingSafeEqual } from 'node:crypto';
import type { Mac } from '../../auth/mac.ts';
import { memoizeLast } from '../../base/memoize-last.ts';
import { Problem } from '../../problem.ts';
import type { KeysetPosition } from '../../storage/keyset.ts';

export type Cursors = ReturnType<typeof createCursors>;

/** A list's checked query, with the parameters that every list has. */
export type ListQuery = {
  readonly cursor?: string;
  readonly limit?: number;
  readonly total?: boolean;
  readonly [name: string]: unknown;
};

/** The list that a cursor belongs to. */
type CursorList = {
  readonly path: string;
  readonly query: ListQuery;
  /** The order of the list's rows, even if the query leaves out `sort`. */
  readonly order: string;
};

const tagLength = 22; // 132 bits

/** `macs` has one MAC for each secret: the first one signs cursors, and any of them may verify. */
export function createCursors(macs: readonly Mac[]) {
  const tagsOfText = macs.map((mac) => (text: string) => mac(text).toString('base64url').slice(0, tagLength));
  // a repeated page has the same cursor, and a MAC takes a seventh of the page's time
  const [newTag = () => ''] = tagsOfText.map((tagOf) => memoizeLast(tagOf));

  /** Returns the position in the query's cursor; undefined without a cursor. Throws `invalid-cursor`. */
  function decode(list: CursorList): KeysetPosition | undefined {
    const { cursor } = list.query;
    if (cursor === undefined) return undefined;
    const payload = cursor.slice(0, -tagLength);
    const text = authenticatedText(list, payload);
    const tag = Buffer.from(cursor.slice(-tagLength));
    const isTag = (made: string): boolean => timingSafeEqual(Buffer.from(made), tag);
    if (tag.length !== tagLength || !tagsOfText.some((tagOf) => isTag(tagOf(text)))) {
      throw new Problem(
        'invalid-cursor',
        'The cursor does not belong to this list, filters and sort; use `next` unchanged.',
      );
    }
    // the MAC is right, so `encode` wrote the payload
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  }

  /** Returns the cursor of the page after this position. */
  function encode(list: CursorList, position: KeysetPosition): string {
    const payload = Buffer.from(JSON.stringify(position), 'utf8').toString('base64url');
    return payload + newTag(authenticatedText(list, payload));
  }

  /** Returns path and query of the page after this position. */
  function next(list: CursorList, position: KeysetPosition): string {
    return withCursor(list.path, list.query, encode(list, position));
  }

  return { decode, encode, next };
}

/** Returns path and query, in which `cursor` replaces the query's own. */
export function withCursor(path: string, query: ListQuery, cursor: string): string {
  const parts: string[] = [];
  for (const name in query) {
    if (name !== 'cursor' && query[name] !== undefined)
      parts.push(`${name}=${encodeURIComponent(String(query[name])).replaceAll('%2C', ',')}`);
  }
  return `${path}?${parts.map((part) => `${part}&`).join('')}cursor=${cursor}`;
}

/** As JSON, so that no value can pass as another parameter. */
function authenticatedText({ path, query, order }: CursorList, payload: string): string {
  const names = Object.keys(query)
    .filter((name) => !unboundParameters.has(name))
    .sort();
  return JSON.stringify([path, order, names.map((name) => [name, query[name]]), payload]);
}

/**
 * The parameters that may change from page to page. A cursor is bound to the order rather than to `sort`,
 * which may be omitted for the default.
 */
const unboundParameters: ReadonlySet<string> = new Set(['cursor', 'limit', 'total', 'include', 'sort']);
