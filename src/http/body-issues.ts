// The issues of a body: those of its schema, and those that only its route can find.
import { check } from '../schema/schema-check.ts';
import type { Issue } from '../schema/schema.ts';
import type { Exchange } from './exchange.ts';
import type { Route } from './route.ts';

/** At most one issue for each pointer: that of the schema takes precedence over a reference's. */
export function bodyIssues(route: Route, exchange: Exchange): Issue[] {
  const { body } = exchange;
  const issues = check(route.body ?? {}, body);
  if (issues.length === 0 || route.validateReferences === undefined) return issues;
  if (typeof body !== 'object' || body === null) return issues;
  const references = route.validateReferences({ ...body }, exchange);
  const isNew = ({ pointer }: Issue): boolean => !issues.some((issue) => issue.pointer === pointer);
  return [...issues, ...references.filter(isNew)];
}
