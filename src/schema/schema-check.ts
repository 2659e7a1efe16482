// Checks values against schemas: every issue of a value with its JSON Pointer.
import { Findings, hiddenOf, type Checked, type Issue, type JsonSchema, type Schema } from './schema.ts';

/** The most issues that a response reports. */
export const issuesMax = 100;

/**
 * Returns the issues of the value: at most one more than `issuesMax`, so that the response can tell that it
 * omits some.
 */
export function schemaIssues(schema: JsonSchema, value: unknown): Issue[] {
  return issuesOf(schema, value, { isKept: false });
}

/**
 * Returns the issues of what is kept, or was merged with a body that fits. Rules of texts aren't applied again: what
 * was kept under those of an earlier version stays until it is changed.
 */
export function keptIssues(schema: JsonSchema, value: unknown): Issue[] {
  return issuesOf(schema, value, { isKept: true });
}

function issuesOf(schema: JsonSchema, value: unknown, options: { readonly isKept: boolean }): Issue[] {
  const findings = new Findings(issuesMax + 1, options);
  findings.check(hiddenOf(schema), value);
  return findings.issues;
}

/** Whether the value fits the schema, as a type predicate. */
export function fits<T>(schema: Schema<T>, value: unknown): value is T {
  return schemaIssues(schema, value).length === 0;
}

/** Returns the value, or the issues of its schema and the `further` issues, which no schema can find. */
export function parse<T>(schema: Schema<T>, value: unknown, further: readonly Issue[] = []): Checked<T> {
  return checked(value as T, [...schemaIssues(schema, value), ...further]); // unless there are issues
}

/** Parses a kept object with which a body that fits was merged. */
export function parseMerged<T>(schema: Schema<T>, merged: unknown, further: readonly Issue[]): Checked<T> {
  return checked(merged as T, [...keptIssues(schema, merged), ...further]); // unless there are issues
}

function checked<T>(value: T, issues: readonly Issue[]): Checked<T> {
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value };
}

/**
 * Converts a query parameter's text to the schema's type: digits to an integer, `true` and `false` to a
 * boolean, a comma-separated list to an array.
 */
export function fromText(schema: JsonSchema, text: string): unknown {
  switch (hiddenOf(schema).type) {
    case 'integer':
      return /^-?(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : text;
    case 'boolean':
      if (text === 'true') return true;
      return text === 'false' ? false : text;
    case 'array':
      return text.split(',');
    default:
      return text;
  }
}
