// Checks values against schemas, and finds every issue of a value with its JSON Pointer.
import assert from 'node:assert';
import {
  validatorOf,
  type Checked,
  type Issue,
  type JsonSchema,
  type Validator,
  type Schema,
} from './schema.ts';

/** The most issues that a response reports. */
export const issuesMax = 100;

/**
 * Returns the issues of the value: at most one more than `issuesMax`, so that the response can tell that it
 * omits some.
 */
export function schemaIssues(schema: JsonSchema, value: unknown): Issue[] {
  return allIssues(schema, value, { isKept: false });
}

/**
 * Returns the issues of what is kept, or was merged with a body that fits. Rules of texts aren't applied again: what
 * was kept under those of an earlier version stays until it is changed.
 */
export function keptIssues(schema: JsonSchema, value: unknown): Issue[] {
  return allIssues(schema, value, { isKept: true });
}

function allIssues(schema: JsonSchema, value: unknown, options: { readonly isKept: boolean }): Issue[] {
  const findings = newFindings(issuesMax + 1, options);
  walk(validatorOf(schema), value, findings);
  return findings.issues;
}

/** Names of members and indexes of elements, from the outside in. */
type Path = (string | number)[];

/** The state of a walk through a value: its place, and the issues so far. */
type Findings = {
  /** The path of the value that is being checked. */
  readonly path: Path;
  readonly issues: Issue[];
  readonly max: number;
  /**
   * Counts the issues that schemas have found, without those of object rules: a rule applies only if its
   * members have no such issue.
   */
  ownIssueCount: number;
  readonly ignoresUnknown: boolean;
  /** Whether rules of texts were applied before, when the value was sent. */
  readonly isKept: boolean;
};

function newFindings(max: number, { ignoresUnknown = false, isKept = false } = {}): Findings {
  return { path: [], issues: [], max, ownIssueCount: 0, ignoresUnknown, isKept };
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

function walk(validator: Validator, value: unknown, findings: Findings): void {
  if (value === null) {
    if (!validator.isNullable) add(findings, 'type', `must be ${kindLabel(validator)}, not null`);
    return;
  }
  switch (validator.kind) {
    case 'string':
      return walkString(validator, value, findings);
    case 'integer':
      return walkInteger(validator, value, findings);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : add(findings, 'type', 'must be true or false');
    case 'array':
      return walkArray(validator, value, findings);
    case 'object':
      return walkObject(validator, value, findings);
    case 'pairs':
      return walkPairs(value, findings);
    case 'texts':
      return walkTexts(validator, value, findings);
  }
}

function walkString(validator: Validator, value: unknown, findings: Findings): void {
  if (typeof value !== 'string') return add(findings, 'type', `must be ${kindLabel(validator)}`);
  if (validator.values !== undefined) {
    const mayBeLater = validator.mayGrow && findings.isKept; // of a declared resource, or of another version
    if (!validator.values.has(value) && !mayBeLater) add(findings, 'enum', enumClaim([...validator.values]));
    return;
  }
  const lengthIssue = lengthIssueOf(validator, value);
  if (lengthIssue !== undefined && validator.reportsFormatForLength)
    return add(findings, 'pattern', patternClaim(validator));
  if (lengthIssue !== undefined) return add(findings, ...lengthIssue);
  // no pattern has to be safe on long input
  if (validator.pattern?.test(value) === false) return add(findings, 'pattern', patternClaim(validator));
  const sentence = findings.isKept ? undefined : validator.rule?.(value);
  if (sentence !== undefined) addIssue(findings, 'format', sentence);
}

function enumClaim(values: readonly string[]): string {
  return `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}`;
}

function lengthIssueOf({ min, max }: Validator, text: string): [code: string, claim: string] | undefined {
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

function patternClaim({ mustBe }: Validator): string {
  return mustBe === undefined ? 'has an invalid format' : `must be ${mustBe}`;
}

function walkInteger(validator: Validator, value: unknown, findings: Findings): void {
  const { min, max, mustBe = 'an integer' } = validator;
  if (typeof value !== 'number' || hasFraction(value)) add(findings, 'type', `must be ${mustBe}`);
  else if (value > max) add(findings, 'maximum', `must be at most ${max}`);
  else if (value < min) add(findings, 'minimum', `must be at least ${min}`);
}

/** Whether the number is no integer. Infinity stands for an integer that is too large. */
function hasFraction(value: number): boolean {
  return value !== Math.trunc(value);
}

function walkArray(validator: Validator, value: unknown, findings: Findings): void {
  const { min, max, items } = validator;
  if (!Array.isArray(value)) return add(findings, 'type', 'must be an array');
  if (value.length > max) add(findings, 'max-items', `must have at most ${max} items, not ${value.length}`);
  else if (value.length < min)
    add(findings, 'min-items', `must have at least ${min} ${min === 1 ? 'item' : 'items'}`);
  else if (validator.isUnique && new Set(value).size < value.length)
    add(findings, 'unique-items', 'must not contain duplicates');
  assert(items !== undefined, 'an array has a validator for its items');
  for (let index = 0; index < value.length && !isFull(findings); index += 1) {
    findings.path.push(index);
    walk(items, value[index], findings);
    findings.path.pop();
  }
}

function walkObject(validator: Validator, value: unknown, findings: Findings): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return add(findings, 'type', 'must be an object');
  const { members, required, objectRules, isPartial, dropsNulls } = validator;
  const entries = value as Record<string, unknown>; // it is an object
  const issuesBefore = findings.ownIssueCount;
  let present = 0;
  for (const name in value) {
    if (isFull(findings)) return;
    const member = members.get(name);
    if (dropsNulls && member?.isOptional === true && !member.isNullable && entries[name] === null) {
      delete entries[name];
      continue;
    }
    findings.path.push(name);
    if (member === undefined) addUnknown(members, findings);
    else {
      if (!member.isOptional) present += 1;
      walk(member, entries[name], findings);
    }
    findings.path.pop();
  }
  if (present < required.length) addMissing(required, value, findings);
  for (const { requires, issuesOf } of objectRules) {
    if (isPartial && !requires.keys().every((name) => Object.hasOwn(value, name))) continue;
    if (findings.ownIssueCount > issuesBefore && !isSatisfied(value, requires)) continue;
    for (const issue of issuesOf(value)) addFound(findings, issue);
  }
}

/** Whether these members fit, whatever the other members are. Only called if the object has an issue. */
function isSatisfied(value: object, requires: ReadonlyMap<string, Validator>): boolean {
  const findings = newFindings(1, { ignoresUnknown: true });
  for (const [name, validator] of requires) {
    // the value has this member
    if (Object.hasOwn(value, name)) walk(validator, (value as Record<string, unknown>)[name], findings);
    else if (!validator.isOptional) return false;
    if (findings.ownIssueCount > 0) return false;
  }
  return true;
}

function walkPairs(value: unknown, findings: Findings): void {
  if (typeof value !== 'object' || Array.isArray(value)) add(findings, 'type', 'must be an object');
}

/** In what a merge has made, null stands for a text that is removed. */
function walkTexts({ items, pattern, mustBe, max }: Validator, value: unknown, findings: Findings): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return add(findings, 'type', 'must be an object');
  assert(items !== undefined && pattern !== undefined, 'texts have a form of names, and values');
  const texts = Object.entries(value).filter(([, text]) => text !== null || !findings.isKept);
  if (texts.length > max)
    add(findings, 'max-properties', `must have at most ${max} names, not ${texts.length}`);
  for (const [name, text] of texts) {
    if (isFull(findings)) return;
    // the name `__proto__` can't be merged
    if (name === '__proto__' || !pattern.test(name)) {
      add(
        findings,
        'pattern',
        `must have names ${mustBe}, unlike ${JSON.stringify(name.slice(0, repeatedNameMax))}`,
      );
      continue;
    }
    findings.path.push(name);
    walk(items, text, findings);
    findings.path.pop();
  }
}

/** Whether the check can end, since no more issues would be reported. */
function isFull({ issues, max }: Findings): boolean {
  return issues.length >= max;
}

function addUnknown(members: ReadonlyMap<string, Validator>, findings: Findings): void {
  if (findings.ignoresUnknown) return;
  const { path } = findings;
  const name = String(path.at(-1));
  if (name.length <= repeatedNameMax)
    return addIssue(findings, 'unknown-member', unknownMember(path, members));
  const place = path.slice(0, -1);
  const detail = unknownMember([...place, `${name.slice(0, repeatedNameMax)}…`], members);
  addIssueAt(findings, place, { code: 'unknown-member', detail });
}

function unknownMember(path: Path, members: ReadonlyMap<string, unknown>): string {
  const supported = members.size === 0 ? 'none' : [...members.keys()].join(', ');
  return `Unknown member "${placeLabel(path)}". Supported: ${supported}.`;
}

/**
 * Longer unknown names are truncated, and the issue points to the object, so that no response repeats a whole
 * body.
 */
const repeatedNameMax = 100;

function addMissing(required: readonly string[], value: object, findings: Findings): void {
  for (const name of required) {
    if (Object.hasOwn(value, name)) continue;
    findings.path.push(name);
    add(findings, 'required', 'is required');
    findings.path.pop();
  }
}

/** Adds an issue of the present value, as a claim that follows the name of its place. */
function add(findings: Findings, code: string, claim: string): void {
  addIssue(findings, code, `${placeLabel(findings.path)} ${claim}.`);
}

function addIssue(findings: Findings, code: string, detail: string): void {
  addIssueAt(findings, findings.path, { code, detail });
}

function addIssueAt(findings: Findings, path: Path, { code, detail }: Omit<Issue, 'pointer'>): void {
  findings.ownIssueCount += 1;
  if (!isFull(findings)) findings.issues.push({ pointer: pointerOf(path), code, detail });
}

/** Adds an issue that a rule of the present object has found. */
function addFound(findings: Findings, issue: Issue): void {
  if (isFull(findings)) return;
  findings.issues.push({ ...issue, pointer: pointerOf(findings.path) + (issue.pointer ?? '') });
}

function kindLabel({ kind }: Validator): string {
  return kind === 'integer' || kind === 'array' || kind === 'object' ? `an ${kind}` : `a ${kind}`;
}

/** Returns the subject of a sentence, such as `items[0].quantity`. */
function placeLabel(path: Path): string {
  if (path.length === 0) return 'The body';
  let label = '';
  for (const step of path) {
    if (typeof step === 'number') label += `[${step}]`;
    else label += label === '' ? step : `.${step}`;
  }
  return label;
}

/** Returns the JSON Pointer (RFC 6901). */
function pointerOf(path: Path): string {
  let pointer = '';
  for (const step of path)
    pointer += typeof step === 'number' ? `/${step}` : `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return pointer;
}

/**
 * Converts a query parameter's text to the schema's type: digits to an integer, `true` and `false` to a
 * boolean, a comma-separated list to an array.
 */
export function fromText(schema: JsonSchema, text: string): unknown {
  switch (validatorOf(schema).kind) {
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
