// Checks values against schemas: every issue of a value, with the JSON Pointer of its place.
import assert from 'node:assert';
import { issuesMax } from '../limits.ts';
import { kindLabel, placeLabel, pointerOf, unknownMember, type Path } from './issue-text.ts';
import { planOf, type Checked, type Issue, type JsonSchema, type Plan, type Schema } from './schema.ts';

/** Returns every issue of the value, none if it fits; of more than are reported, one more than these. */
export function schemaIssues(schema: JsonSchema, value: unknown): Issue[] {
  const result: IssueCollector = { issues: [], max: issuesMax + 1, misfits: 0, ignoresUnknown: false };
  walk(planOf(schema), value, [], result);
  return result.issues;
}

/** `misfits` counts the issues found without objects' rules, which need members that have none. */
type IssueCollector = {
  readonly issues: Issue[];
  readonly max: number;
  misfits: number;
  readonly ignoresUnknown: boolean;
};

/** Whether the value fits, as a proof for the compiler. */
export function fits<T>(schema: Schema<T>, value: unknown): value is T {
  return schemaIssues(schema, value).length === 0;
}

/** The value, unless its schema finds issues, or there are `further` ones, which the schema can't find. */
export function parse<T>(schema: Schema<T>, value: unknown, further: readonly Issue[] = []): Checked<T> {
  const issues = [...schemaIssues(schema, value), ...further];
  if (issues.length > 0) return { ok: false, issues };
  return { ok: true, value: value as T }; // its schema has found no issue
}

function walk(rules: Plan, value: unknown, path: Path, result: IssueCollector): void {
  if (value === null) {
    if (!rules.isNullable) add(result, path, 'type', `must be ${kindLabel(rules)}, not null`);
    return;
  }
  switch (rules.kind) {
    case 'string':
      return walkString(rules, value, path, result);
    case 'integer':
      return walkInteger(rules, value, path, result);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : add(result, path, 'type', 'must be true or false');
    case 'array':
      return walkArray(rules, value, path, result);
    case 'object':
      return walkObject(rules, value, path, result);
    case 'map':
      return walkMap(value, path, result);
  }
}

function walkString(rules: Plan, value: unknown, path: Path, result: IssueCollector): void {
  if (typeof value !== 'string') return add(result, path, 'type', `must be ${kindLabel(rules)}`);
  if (rules.values !== undefined) {
    if (!rules.values.has(value)) add(result, path, 'enum', `must be one of ${[...rules.values].join(', ')}`);
    return;
  }
  const lengthIssue = lengthIssueOf(rules, value);
  if (lengthIssue !== undefined && rules.isFormat) return add(result, path, 'pattern', patternClaim(rules));
  if (lengthIssue !== undefined) return add(result, path, ...lengthIssue);
  // no pattern has to be safe on long input
  if (rules.pattern?.test(value) === false) return add(result, path, 'pattern', patternClaim(rules));
  const sentence = rules.rule?.(value);
  if (sentence !== undefined) addIssue(result, path, 'format', sentence);
}

function lengthIssueOf({ min, max }: Plan, text: string): [code: string, claim: string] | undefined {
  if (text.length > max && codePoints(text) > max)
    return ['max-length', `must have at most ${max} ${max === 1 ? 'character' : 'characters'}`];
  if (text.length >= min * 2 || (text.length >= min && codePoints(text) >= min)) return undefined;
  return ['min-length', text === '' ? 'must not be empty' : `must have at least ${min} characters`];
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function patternClaim({ mustBe }: Plan): string {
  return mustBe === undefined ? 'has an invalid format' : `must be ${mustBe}`;
}

function walkInteger({ min, max }: Plan, value: unknown, path: Path, result: IssueCollector): void {
  if (typeof value !== 'number') return add(result, path, 'type', 'must be an integer');
  if (value > max) return add(result, path, 'maximum', `must be at most ${max}`);
  if (value < min) return add(result, path, 'minimum', `must be at least ${min}`);
  if (!Number.isInteger(value)) add(result, path, 'type', 'must be an integer');
}

function walkArray(rules: Plan, value: unknown, path: Path, result: IssueCollector): void {
  const { min, max, items } = rules;
  if (!Array.isArray(value)) return add(result, path, 'type', 'must be an array');
  if (value.length > max)
    add(result, path, 'max-items', `must have at most ${max} items, not ${value.length}`);
  else if (value.length < min)
    add(result, path, 'min-items', `must have at least ${min} ${min === 1 ? 'item' : 'items'}`);
  else if (rules.isUnique && new Set(value).size < value.length)
    add(result, path, 'unique-items', 'must not contain duplicates');
  assert(items !== undefined, 'an array has a plan for its items');
  for (let index = 0; index < value.length && !isFull(result); index += 1) {
    path.push(index);
    walk(items, value[index], path, result);
    path.pop();
  }
}

function walkObject(rules: Plan, value: unknown, path: Path, result: IssueCollector): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return add(result, path, 'type', 'must be an object');
  const { members, required, objectRules } = rules;
  const { misfits } = result;
  let present = 0;
  for (const name in value) {
    if (isFull(result)) return;
    const member = members.get(name);
    path.push(name);
    if (member === undefined) addUnknown(members, path, result);
    else {
      if (!member.isOptional) present += 1;
      walk(member, (value as Record<string, unknown>)[name], path, result); // `name` comes from the value
    }
    path.pop();
  }
  if (present < required.length) addMissing(required, value, path, result);
  for (const { needs, issuesOf } of objectRules) {
    if (result.misfits > misfits && !meets(value, needs)) continue;
    for (const issue of issuesOf(value)) addFound(result, path, issue);
  }
}

/** Whether these members fit, whatever others the object has. Not called where the whole object fits. */
function meets(value: object, needs: ReadonlyMap<string, Plan>): boolean {
  const result: IssueCollector = { issues: [], max: 1, misfits: 0, ignoresUnknown: true };
  for (const [name, plan] of needs) {
    // the value has this member
    if (Object.hasOwn(value, name)) walk(plan, (value as Record<string, unknown>)[name], [], result);
    else if (!plan.isOptional) return false;
    if (result.misfits > 0) return false;
  }
  return true;
}

function walkMap(value: unknown, path: Path, result: IssueCollector): void {
  if (typeof value !== 'object' || Array.isArray(value)) add(result, path, 'type', 'must be an object');
}

/** More issues would not be reported, so none are looked for. */
function isFull({ issues, max }: IssueCollector): boolean {
  return issues.length >= max;
}

function addUnknown(members: ReadonlyMap<string, Plan>, path: Path, result: IssueCollector): void {
  if (result.ignoresUnknown) return;
  addIssue(result, path, 'unknown-member', unknownMember(path, members));
}

function addMissing(required: readonly string[], value: object, path: Path, result: IssueCollector): void {
  for (const name of required) {
    if (!Object.hasOwn(value, name)) add(result, [...path, name], 'required', 'is required');
  }
}

function add(result: IssueCollector, path: Path, code: string, claim: string): void {
  addIssue(result, path, code, `${placeLabel(path)} ${claim}.`);
}

function addIssue(result: IssueCollector, path: Path, code: string, detail: string): void {
  result.misfits += 1;
  if (!isFull(result)) result.issues.push({ pointer: pointerOf(path), code, detail });
}

/** What a rule of the object at this path has found. */
function addFound(result: IssueCollector, path: Path, issue: Issue): void {
  if (!isFull(result)) result.issues.push({ ...issue, pointer: pointerOf(path) + (issue.pointer ?? '') });
}

/**
 * Reads a query parameter's text as the schema's type: digits as an integer, `true`/`false`, a comma list as
 * an array.
 */
export function fromText(schema: JsonSchema, text: string): unknown {
  switch (planOf(schema).kind) {
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
