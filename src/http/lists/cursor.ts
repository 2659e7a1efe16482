// Cursors. A cursor is the position where the next page begins; a hash binds it to its list, filters and order. It needs
// no secret: a client may invent any position, since row access is one of the list's filters. So cursors of 1.0.0 are
// accepted without the hash.
import { hash } from 'node:crypto';
import { Problem } from '../../problem.ts';
import type { KeysetPosition } from '../../storage/keyset.ts';

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

const hashLength = 22; // 132 bits
const currentPrefix = '0';
/** Cursors of 1.0.0 begin with this. They have no other prefix, and end with a MAC. They stay valid. */
const legacyPrefix = 'W';

/** Returns the position in the query's cursor; undefined without a cursor. Throws `invalid-cursor`. */
export function decodeCursor(list: CursorList): KeysetPosition | undefined {
  const { cursor } = list.query;
  if (cursor === undefined) return undefined;
  const isLegacy = cursor.startsWith(legacyPrefix);
  const content = isLegacy ? cursor.slice(0, -hashLength) : cursor.slice(currentPrefix.length + hashLength);
  const position = positionIn(content);
  if (position !== undefined && (isLegacy || cursor === encodeCursor(list, position))) return position;
  throw new Problem(
    'invalid-cursor',
    'The cursor does not belong to this list, filters and sort; use `next` unchanged.',
  );
}

function positionIn(content: string): KeysetPosition | undefined {
  try {
    const [key, id, ...rest]: unknown[] = JSON.parse(Buffer.from(content, 'base64url').toString('utf8'));
    const isKey = typeof key === 'string' || typeof key === 'number';
    if (!isKey || typeof id !== 'number' || rest.length > 0) return undefined;
    return contentOf([key, id]) === content ? [key, id] : undefined;
  } catch {
    return undefined;
  }
}

function contentOf(position: KeysetPosition): string {
  return Buffer.from(JSON.stringify(position), 'utf8').toString('base64url');
}

/** Returns the cursor of the page after this position. */
export function encodeCursor(list: CursorList, position: KeysetPosition): string {
  const content = contentOf(position);
  return (
    currentPrefix + hash('sha256', hashedText(list, content), 'base64url').slice(0, hashLength) + content
  );
}

/** Returns path and query of the page after this position. */
export function nextPath(list: CursorList, position: KeysetPosition): string {
  return withCursor(list.path, list.query, encodeCursor(list, position));
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

/** Returns JSON, so that no value can pass as another parameter. */
function hashedText({ path, query, order }: CursorList, content: string): string {
  const names = Object.keys(query)
    .filter((name) => !unboundParameters.has(name))
    .sort();
  return JSON.stringify([path, order, names.map((name) => [name, query[name]]), content]);
}

/**
 * The parameters that may change from page to page. A cursor is bound to the order rather than to `sort`,
 * which may be omitted for the default.
 */
const unboundParameters: ReadonlySet<string> = new Set(['cursor', 'limit', 'total', 'include', 'sort']);
