// The issues of a request that schemas can't find, added to those that they have found.
import type { Issue } from '../schema/schema.ts';
import type { Exchange } from './exchange.ts';
import type { Route } from './route.ts';

/**
 * Adds the issues that only the route can find, at pointers that have none yet. Throws what takes precedence
 * over all of them.
 */
export function completeIssues(route: Route, exchange: Exchange, issues: Issue[]): void {
  const { body } = exchange;
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const further = route.furtherIssues?.(isObject ? { ...body } : {}, exchange) ?? [];
  if (isObject) addIssues(issues, further, 'pointer');
}

/** Adds those that are at places without an issue. */
export function addIssues(issues: Issue[], further: readonly Issue[], place: 'pointer' | 'parameter'): void {
  if (further.length === 0) return;
  const places = new Set(issues.map((issue) => issue[place]));
  for (const issue of further) {
    if (!places.has(issue[place])) issues.push(issue);
    places.add(issue[place]);
  }
}
