// Adds the issues that only a route can find to those that schemas have found.
import { isObject } from '../schema/json-objects.ts';
import type { Issue } from '../schema/schema.ts';
import type { HandlerContext } from './handler-context.ts';

/**
 * Returns the issues, with those that only the route can find, at pointers without an issue. Throws a problem
 * that takes precedence over all of them.
 */
export function withBodyIssues(context: HandlerContext, issues: readonly Issue[]): readonly Issue[] {
  const { body, route } = context;
  const further = route.furtherIssues?.(isObject(body) ? body : {}, context) ?? [];
  return isObject(body) ? withFurther(issues, further, 'pointer') : issues;
}

/** Returns the issues, with the further ones at places that have none yet. */
export function withFurther(
  issues: readonly Issue[],
  further: readonly Issue[],
  place: 'pointer' | 'parameter',
): readonly Issue[] {
  if (further.length === 0) return issues;
  const places = new Set(issues.map((issue) => issue[place]));
  const all = [...issues];
  for (const issue of further) {
    if (!places.has(issue[place])) all.push(issue);
    places.add(issue[place]);
  }
  return all;
}
