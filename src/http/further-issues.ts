// The issues of a request that schemas can't find, added to those that they have found.
import type { Issue } from '../schema/schema.ts';
import type { HandlerContext } from './handler-context.ts';

/**
 * The issues of the body, with those that only the route can find at pointers that have none yet. Throws what
 * takes precedence over all of them.
 */
export function withBodyIssues(context: HandlerContext, issues: readonly Issue[]): readonly Issue[] {
  const { body, route } = context;
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const further = route.furtherIssues?.(isObject ? { ...body } : {}, context) ?? [];
  return isObject ? withFurther(issues, further, 'pointer') : issues;
}

/** The issues, with the further ones that are at places without an issue. */
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
