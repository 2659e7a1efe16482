// One rule for what others do to the rows of a list: they change in their places, and new ones wait behind
// “3 new – show”. What the user asks for is shown as it is.
import { type ApiClient, query, type QueryParameters } from '../service/api-client.ts';
import { button, type Child, h } from '../browser/elements.ts';
import { count } from '../words/formats.ts';
import { undefinedIfMissing } from '../service/request-errors.ts';
import { numbered, t } from '../words/texts.ts';
import type { Reload } from '../page/view.ts';

export type Row = { readonly id: number; readonly createdAt: string };

type Known<T> = {
  readonly loaded: readonly T[];
  /** The list in the API, which begins the paths of its objects. */
  readonly path: string;
  /** What they are read with, too: `include`. */
  readonly include?: QueryParameters;
  /** What was changed since the user asked last: `/orders/7`. */
  readonly subjects: ReadonlySet<string>;
  readonly signal: AbortSignal;
};

/**
 * Resolves to the rows that are shown, as they are now. What has left the list stays until the user asks for the list
 * again, unless it was deleted.
 */
export async function rowsInPlace<T extends Row>(
  client: ApiClient,
  shown: readonly T[],
  { loaded, path, include = {}, subjects, signal }: Known<T>,
): Promise<readonly T[]> {
  const byId = new Map(loaded.map((row) => [row.id, row]));
  const rows = shown.map(async (row) => {
    const { id } = row;
    if (byId.has(id) || !subjects.has(`${path}/${id}`)) return byId.get(id) ?? row;
    return client.get<T>(`${path}/${id}?${query(include)}`, signal).catch(undefinedIfMissing);
  });
  return (await Promise.all(rows)).filter((row) => row !== undefined);
}

/** Says over the head of the table that rows wait. */
export function newerNotice(newer: number, reload: Reload): Child {
  if (newer === 0) return undefined;
  const text = t(numbered(newer, '1 new – show', '{count} new – show'), { count: count(newer) });
  return h(
    'div.newer',
    { role: 'status' },
    button(text, () => void reload()),
  );
}
