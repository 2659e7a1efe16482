// Finds the issues of a value by its schema, each with its JSON Pointer: an inspection walks through both together.
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
 * Returns the issues of the value: at most one more than `issuesMax`, so that the response can say that it omits
 * some. Removes members whose null stands for absence, so that rules and handlers find them absent.
 */
export function schemaIssues(schema: JsonSchema, value: unknown): Issue[] {
  return issuesOf(schema, value, { isKept: false });
}

/**
 * Returns the issues of a kept value, or of one that was merged with a body that fits. Rules of texts aren't applied
 * again: a text that an earlier version accepted stays until it is changed.
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

/** The present place of an inspection, and the issues so far. */
type Inspection = {
  /** Names of members and indexes of elements, from the outside in. */
  readonly path: (string | number)[];
  readonly issues: Issue[];
  readonly issuesMax: number;
  readonly isKept: boolean;
  readonly ignoresUnknown: boolean;
};
type Path = Inspection['path'];

function issuesOf(schema: JsonSchema, value: unknown, { isKept }: { readonly isKept: boolean }): Issue[] {
  const inspection = { path: [], issues: [], issuesMax: issuesMax + 1, isKept, ignoresUnknown: false };
  inspectValue(inspection, schema, value);
  return inspection.issues;
}

const typeLabels = {
  string: 'a string',
  integer: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
} as const;

function inspectValue(inspection: Inspection, schema: JsonSchema, value: unknown): void {
  const type = typeOf(schema);
  if (type === undefined) return;
  if (value !== null) inspectors[type](inspection, schema, value);
  else if (!isNullable(schema)) report(inspection, 'type', `must be ${typeLabels[type]}, not null`);
}

const inspectors = {
  string: inspectString,
  integer: inspectInteger,
  boolean: inspectBoolean,
  array: inspectArray,
  object: inspectObject,
} as const;

function inspectString(inspection: Inspection, schema: JsonSchema, value: unknown): void {
  if (typeof value !== 'string') return report(inspection, 'type', 'must be a string');
  if (schema.enum !== undefined) return inspectWord(inspection, schema, value);
  const { form, mustBe, reportsFormatForLength, rule } = hiddenOf(schema);
  const lengthIssue = lengthIssueOf(schema, value);
  if (lengthIssue !== undefined && reportsFormatForLength !== true) return report(inspection, ...lengthIssue);
  // the length comes first, so that no pattern has to be safe on long input
  const claim = mustBe === undefined ? 'has an invalid format' : `must be ${mustBe}`;
  if (lengthIssue !== undefined || form?.test(value) === false) return report(inspection, 'pattern', claim);
  const sentence = inspection.isKept ? undefined : rule?.(value);
  if (sentence !== undefined) add(inspection, 'format', sentence);
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

/** A kept word may come from another version, or from a resource that is no longer declared. */
function inspectWord(inspection: Inspection, schema: JsonSchema, value: string): void {
  const { enum: words = [] } = schema;
  if (words.includes(value) || (inspection.isKept && mayGrow(schema))) return;
  const known = words.filter((word) => word !== null);
  report(inspection, 'enum', `must be ${known.length === 1 ? '' : 'one of '}${known.join(', ')}`);
}

function inspectInteger(inspection: Inspection, schema: JsonSchema, value: unknown): void {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  // Infinity stands for an integer that is too large
  if (typeof value !== 'number' || value !== Math.trunc(value))
    report(inspection, 'type', `must be ${hiddenOf(schema).mustBe ?? 'an integer'}`);
  else if (value > maximum) report(inspection, 'maximum', `must be at most ${maximum}`);
  else if (value < minimum) report(inspection, 'minimum', `must be at least ${minimum}`);
}

function inspectBoolean(inspection: Inspection, _schema: JsonSchema, value: unknown): void {
  if (typeof value !== 'boolean') report(inspection, 'type', 'must be true or false');
}

function inspectArray(inspection: Inspection, schema: JsonSchema, value: unknown): void {
  if (!Array.isArray(value)) return report(inspection, 'type', 'must be an array');
  const { items = {}, minItems: min = 0, maxItems: max = Infinity, uniqueItems } = schema;
  const { length } = value;
  if (length > max) report(inspection, 'max-items', `must have at most ${max} items, not ${length}`);
  else if (length < min)
    report(inspection, 'min-items', `must have at least ${min} ${min === 1 ? 'item' : 'items'}`);
  else if (uniqueItems === true && new Set(value).size < length)
    report(inspection, 'unique-items', 'must not contain duplicates');
  for (let index = 0; index < length && !isFull(inspection); index += 1)
    inspectAt(inspection, index, items, value[index]);
}

function inspectObject(inspection: Inspection, schema: JsonSchema, value: unknown): void {
  if (!isObject(value)) return report(inspection, 'type', 'must be an object');
  if (schema.propertyNames !== undefined) return inspectTexts(inspection, schema, value);
  const { properties, required = [] } = schema;
  if (properties === undefined) return; // any members
  const { isPatch, rules = [] } = hiddenOf(schema);
  const issuesBefore = inspection.issues.length;
  for (const name in value) {
    if (isFull(inspection)) return;
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (member === undefined) reportUnknown(inspection, name, properties);
    else if (value[name] === null && isPatch !== true && isNullForAbsent(member)) delete value[name];
    else inspectAt(inspection, name, member, value[name]);
  }
  for (const name of required)
    if (!Object.hasOwn(value, name))
      report(inspection, 'required', 'is required', [...inspection.path, name]);
  if (isFull(inspection)) return;
  for (const { requires, issuesOf } of rules) {
    if (isPatch === true && !Object.keys(requires).every((name) => Object.hasOwn(value, name))) continue;
    if (inspection.issues.length > issuesBefore && !hasFitting(value, requires)) continue;
    for (const { pointer = '', ...issue } of issuesOf(value))
      if (!isFull(inspection))
        inspection.issues.push({ ...issue, pointer: pointerOf(inspection.path) + pointer });
  }
}

/** Whether these members fit, whatever the other members are. */
function hasFitting(value: Readonly<Record<string, unknown>>, members: MemberSchemas): boolean {
  const inspection = { path: [], issues: [], issuesMax: 1, isKept: false, ignoresUnknown: true };
  return Object.entries(members).every(([name, schema]) => {
    if (!Object.hasOwn(value, name)) return isOptional(schema);
    inspectValue(inspection, schema, value[name]);
    return inspection.issues.length === 0;
  });
}

/** Inspects an object whose members have any names of a form. */
function inspectTexts(
  inspection: Inspection,
  schema: JsonSchema,
  value: Readonly<Record<string, unknown>>,
): void {
  const { maxProperties: max = Infinity, additionalProperties: text } = schema;
  const { form, mustBe } = hiddenOf(schema);
  // in what a merge has made, null stands for a text that is removed
  const texts = Object.entries(value).filter(([, each]) => each !== null || !inspection.isKept);
  if (texts.length > max)
    report(inspection, 'max-properties', `must have at most ${max} names, not ${texts.length}`);
  for (const [name, each] of texts) {
    if (isFull(inspection)) return;
    const isNamed = name !== '__proto__' && form?.test(name) === true; // that name can't be merged
    const unlike = JSON.stringify(name.slice(0, repeatedNameMax));
    if (isNamed) inspectAt(inspection, name, text || {}, each);
    else report(inspection, 'pattern', `must have names ${mustBe}, unlike ${unlike}`);
  }
}

function inspectAt(inspection: Inspection, step: string | number, schema: JsonSchema, value: unknown): void {
  inspection.path.push(step);
  inspectValue(inspection, schema, value);
  inspection.path.pop();
}

/**
 * Longer unknown names are truncated, and the issue points to the object, so that no response repeats a whole
 * body.
 */
const repeatedNameMax = 100;

function reportUnknown(inspection: Inspection, name: string, members: MemberSchemas): void {
  if (inspection.ignoresUnknown) return;
  const { path } = inspection;
  const isLong = name.length > repeatedNameMax;
  const label = placeLabel([...path, isLong ? `${name.slice(0, repeatedNameMax)}…` : name]);
  const supported = Object.keys(members).join(', ') || 'none';
  const detail = `Unknown member "${label}". Supported: ${supported}.`;
  add(inspection, 'unknown-member', detail, isLong ? path : [...path, name]);
}

/** Adds an issue of the present value. The claim follows the name of its place. */
function report(inspection: Inspection, code: string, claim: string, path: Path = inspection.path): void {
  add(inspection, code, `${placeLabel(path)} ${claim}.`, path);
}

function add(inspection: Inspection, code: string, detail: string, path: Path = inspection.path): void {
  if (!isFull(inspection)) inspection.issues.push({ pointer: pointerOf(path), code, detail });
}

/** Whether the inspection can end, since no more issues would be reported. */
function isFull({ issues, issuesMax: max }: Inspection): boolean {
  return issues.length >= max;
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
  const steps = path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1'));
  return steps.map((step) => `/${step}`).join('');
}
