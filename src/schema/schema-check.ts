// Finds the issues of a value by its schema, each with its JSON Pointer: a search walks through both together.
import { isObject } from './json-objects.ts';
import {
  hiddenOf,
  isNullable,
  isNullForAbsent,
  isOptional,
  mayGrow,
  typeOf,
  type Issue,
  type JsonSchema,
  type MemberSchemas,
  type Schema,
} from './schema.ts';

/** The most issues that a response reports. */
export const issuesMax = 100;

/**
 * Returns the issues of the value: at most one more than `issuesMax`, so that the response can tell that it
 * omits some. Removes optional members that are null and may not be: rules and handlers find them absent.
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

/** Whether the value fits the schema, as a type predicate. */
export function fits<T>(schema: Schema<T>, value: unknown): value is T {
  return schemaIssues(schema, value).length === 0;
}

/**
 * Converts a query parameter's text to the schema's type: digits to an integer, `true` and `false` to a
 * boolean, a comma-separated list to an array.
 */
export function fromText(schema: JsonSchema, text: string): unknown {
  switch (typeOf(schema)) {
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

/** The present place of a search, and the issues so far. */
type Search = {
  /** Names of members and indexes of elements, from the outside in. */
  readonly path: (string | number)[];
  readonly issues: Issue[];
  readonly issuesMax: number;
  readonly isKept: boolean;
  readonly ignoresUnknown: boolean;
};
type Place = Search['path'];

function issuesOf(schema: JsonSchema, value: unknown, { isKept }: { readonly isKept: boolean }): Issue[] {
  const search = { path: [], issues: [], issuesMax: issuesMax + 1, isKept, ignoresUnknown: false };
  searchValue(search, schema, value);
  return search.issues;
}

const typeLabels = {
  string: 'a string',
  integer: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
} as const;

function searchValue(search: Search, schema: JsonSchema, value: unknown): void {
  const type = typeOf(schema);
  if (type === undefined) return;
  if (value !== null) searches[type](search, schema, value);
  else if (!isNullable(schema)) report(search, 'type', `must be ${typeLabels[type]}, not null`);
}

const searches = {
  string: searchString,
  integer: searchInteger,
  boolean: searchBoolean,
  array: searchArray,
  object: searchObject,
} as const;

function searchString(search: Search, schema: JsonSchema, value: unknown): void {
  if (typeof value !== 'string') return report(search, 'type', 'must be a string');
  if (schema.enum !== undefined) return searchWord(search, schema, value);
  const { form, mustBe, reportsFormatForLength, rule } = hiddenOf(schema);
  const lengthIssue = lengthIssueOf(schema, value);
  if (lengthIssue !== undefined && reportsFormatForLength !== true) return report(search, ...lengthIssue);
  // no pattern has to be safe on long input
  if (lengthIssue !== undefined || form?.test(value) === false)
    return report(search, 'pattern', mustBe === undefined ? 'has an invalid format' : `must be ${mustBe}`);
  const sentence = search.isKept ? undefined : rule?.(value);
  if (sentence !== undefined) add(search, 'format', sentence);
}

function lengthIssueOf(
  { minLength = 0, maxLength = Infinity }: JsonSchema,
  text: string,
): [code: string, claim: string] | undefined {
  if (text.length > maxLength && codePoints(text) > maxLength)
    return ['max-length', `must have at most ${maxLength} ${maxLength === 1 ? 'character' : 'characters'}`];
  if (text.length >= minLength * 2 || (text.length >= minLength && codePoints(text) >= minLength))
    return undefined;
  return ['min-length', text === '' ? 'must not be empty' : `must have at least ${minLength} characters`];
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** A kept word may be of another version, or of a resource that is no longer declared. */
function searchWord(search: Search, schema: JsonSchema, value: string): void {
  const { enum: words = [] } = schema;
  if (words.includes(value) || (search.isKept && mayGrow(schema))) return;
  const known = words.filter((word) => word !== null);
  report(search, 'enum', `must be ${known.length === 1 ? '' : 'one of '}${known.join(', ')}`);
}

function searchInteger(search: Search, schema: JsonSchema, value: unknown): void {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  // Infinity stands for an integer that is too large
  if (typeof value !== 'number' || value !== Math.trunc(value))
    report(search, 'type', `must be ${hiddenOf(schema).mustBe ?? 'an integer'}`);
  else if (value > maximum) report(search, 'maximum', `must be at most ${maximum}`);
  else if (value < minimum) report(search, 'minimum', `must be at least ${minimum}`);
}

function searchBoolean(search: Search, _schema: JsonSchema, value: unknown): void {
  if (typeof value !== 'boolean') report(search, 'type', 'must be true or false');
}

function searchArray(search: Search, schema: JsonSchema, value: unknown): void {
  if (!Array.isArray(value)) return report(search, 'type', 'must be an array');
  const { items = {}, minItems: min = 0, maxItems: max = Infinity, uniqueItems } = schema;
  const { length } = value;
  if (length > max) report(search, 'max-items', `must have at most ${max} items, not ${length}`);
  else if (length < min)
    report(search, 'min-items', `must have at least ${min} ${min === 1 ? 'item' : 'items'}`);
  else if (uniqueItems === true && new Set(value).size < length)
    report(search, 'unique-items', 'must not contain duplicates');
  for (let index = 0; index < length && !isFull(search); index += 1)
    searchAt(search, index, items, value[index]);
}

function searchObject(search: Search, schema: JsonSchema, value: unknown): void {
  if (!isObject(value)) return report(search, 'type', 'must be an object');
  if (schema.propertyNames !== undefined) return searchTexts(search, schema, value);
  const { properties, required = [] } = schema;
  if (properties === undefined) return; // any members
  const { isPatch, rules = [] } = hiddenOf(schema);
  const issuesBefore = search.issues.length;
  for (const name in value) {
    if (isFull(search)) return;
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (member === undefined) reportUnknown(search, name, properties);
    else if (value[name] === null && isPatch !== true && isNullForAbsent(member)) delete value[name];
    else searchAt(search, name, member, value[name]);
  }
  for (const name of required)
    if (!Object.hasOwn(value, name)) report(search, 'required', 'is required', [...search.path, name]);
  if (isFull(search)) return;
  for (const { requires, issuesOf } of rules) {
    if (isPatch === true && !Object.keys(requires).every((name) => Object.hasOwn(value, name))) continue;
    if (search.issues.length > issuesBefore && !hasFitting(value, requires)) continue;
    for (const { pointer = '', ...issue } of issuesOf(value))
      if (!isFull(search)) search.issues.push({ ...issue, pointer: pointerOf(search.path) + pointer });
  }
}

/** Whether these members fit, whatever the other members are. */
function hasFitting(value: Readonly<Record<string, unknown>>, members: MemberSchemas): boolean {
  const search = { path: [], issues: [], issuesMax: 1, isKept: false, ignoresUnknown: true };
  return Object.entries(members).every(([name, schema]) => {
    if (!Object.hasOwn(value, name)) return isOptional(schema);
    searchValue(search, schema, value[name]);
    return search.issues.length === 0;
  });
}

/** Searches an object whose members have any names of a form. */
function searchTexts(search: Search, schema: JsonSchema, value: Readonly<Record<string, unknown>>): void {
  const { maxProperties: max = Infinity, additionalProperties: text } = schema;
  const { form, mustBe } = hiddenOf(schema);
  // in what a merge has made, null stands for a text that is removed
  const texts = Object.entries(value).filter(([, each]) => each !== null || !search.isKept);
  if (texts.length > max)
    report(search, 'max-properties', `must have at most ${max} names, not ${texts.length}`);
  for (const [name, each] of texts) {
    if (isFull(search)) return;
    const isNamed = name !== '__proto__' && form?.test(name) === true; // that name can't be merged
    const unlike = JSON.stringify(name.slice(0, repeatedNameMax));
    if (isNamed) searchAt(search, name, text || {}, each);
    else report(search, 'pattern', `must have names ${mustBe}, unlike ${unlike}`);
  }
}

function searchAt(search: Search, step: string | number, schema: JsonSchema, value: unknown): void {
  search.path.push(step);
  searchValue(search, schema, value);
  search.path.pop();
}

/**
 * Longer unknown names are truncated, and the issue points to the object, so that no response repeats a whole
 * body.
 */
const repeatedNameMax = 100;

function reportUnknown(search: Search, name: string, members: MemberSchemas): void {
  if (search.ignoresUnknown) return;
  const { path } = search;
  const isLong = name.length > repeatedNameMax;
  const label = placeLabel([...path, isLong ? `${name.slice(0, repeatedNameMax)}…` : name]);
  const supported = Object.keys(members).join(', ') || 'none';
  const detail = `Unknown member "${label}". Supported: ${supported}.`;
  add(search, 'unknown-member', detail, isLong ? path : [...path, name]);
}

/** Adds an issue of the present value. The claim follows the name of its place. */
function report(search: Search, code: string, claim: string, path: Place = search.path): void {
  add(search, code, `${placeLabel(path)} ${claim}.`, path);
}

function add(search: Search, code: string, detail: string, path: Place = search.path): void {
  if (!isFull(search)) search.issues.push({ pointer: pointerOf(path), code, detail });
}

/** Whether the search can end, since no more issues would be reported. */
function isFull({ issues, issuesMax: max }: Search): boolean {
  return issues.length >= max;
}

/** Returns the subject of a sentence, such as `items[0].quantity`. */
function placeLabel(path: Place): string {
  if (path.length === 0) return 'The body';
  let label = '';
  for (const step of path) {
    if (typeof step === 'number') label += `[${step}]`;
    else label += label === '' ? step : `.${step}`;
  }
  return label;
}

/** Returns the JSON Pointer (RFC 6901). */
function pointerOf(path: Place): string {
  const steps = path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1'));
  return steps.map((step) => `/${step}`).join('');
}
