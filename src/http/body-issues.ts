// The issues of a request with a body: those that were found, and those that only its route can find.
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
  if (!isObject || further.length === 0) return;
  const pointers = new Set(issues.map(({ pointer }) => pointer));
  for (const issue of further) {
    if (!pointers.has(issue.pointer)) issues.push(issue);
    pointers.add(issue.pointer);
  }
}
