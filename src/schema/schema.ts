// JSON Schemas (2020-12) that carry their static type, and the check of a value, which `schema-check.ts` starts.
//
// The enumerable members of a schema are JSON Schema: the OpenAPI document contains them unchanged. A symbol leads to
// what JSON Schema doesn't have: the check, and whether the schema may be absent or null as a member of an object. A
// check walks a value together with its `Findings`, which know the place in the value and collect the issues.
import { isObject } from './json-objects.ts';

declare const phantom: unique symbol;
declare const optionalMark: unique symbol;
const hidden = Symbol('hidden');

export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly items?: JsonSchema;
  readonly properties?: MemberSchemas;
  readonly [hidden]?: Hidden;
  readonly [keyword: string]: unknown;
};
export type Schema<T> = JsonSchema & { readonly [phantom]?: () => T };
export type Infer<S> = S extends { readonly [phantom]?: () => infer T } ? T : never;
type Optional<T> = Schema<T> & { readonly [optionalMark]: true };

export type MemberSchemas = Readonly<Record<string, JsonSchema>>;
type OptionalKeys<M> = {
  [K in keyof M]: M[K] extends { readonly [optionalMark]: true } ? K : never;
}[keyof M];
export type ObjectOf<M> = { [K in Exclude<keyof M, OptionalKeys<M>>]: Infer<M[K]> } & {
  [K in OptionalKeys<M>]?: Infer<M[K]>;
};
type Patch<T> = {
  [K in keyof T]?: T[K] extends readonly unknown[]
    ? T[K]
    : T[K] extends object | null
      ? Patch<NonNullable<T[K]>> | Extract<T[K], null>
      : T[K];
};

/** One issue. Exactly one of pointer (JSON Pointer into the body), parameter and header locates it. */
export type Issue = {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly code: string;
  readonly detail: string;
};

/** A value without issues, or its issues. */
export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly issues: readonly Issue[] };

/** A rule beyond JSON Schema. Returns a sentence that reports the issue, or undefined. */
export type Rule = (value: string) => string | undefined;

/** Reports the issues of a value that isn't null. */
type Check = (value: unknown, findings: Findings) => void;

type Hidden = {
  readonly type: keyof typeof typeLabels;
  readonly check: Check;
  readonly isOptional: boolean;
  readonly isNullable: boolean;
  /** Whether later versions may answer other values. */
  readonly mayGrow: boolean;
  /** The named schema of which this is the nullable form. */
  readonly base: JsonSchema | undefined;
  /** What the check of an object with known members is made of. */
  readonly object: ObjectParts | undefined;
  /** What the check of a map of texts is made of. */
  readonly texts: TextParts | undefined;
};

const typeLabels = {
  string: 'a string',
  integer: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
} as const;

type Annotations = {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly writeOnly?: boolean;
};

/** The place of a check in a value, and the issues so far. */
export class Findings {
  /** Names of members and indexes of elements, from the outside in. */
  readonly path: (string | number)[] = [];
  readonly issues: Issue[] = [];
  /** The number of issues that schemas have found, without those of rules. */
  count = 0;
  /** Whether rules of texts were applied before, when the value was sent. */
  readonly isKept: boolean;
  readonly ignoresUnknown: boolean;
  readonly #max: number;

  constructor(max: number, { isKept = false, ignoresUnknown = false } = {}) {
    this.#max = max;
    this.isKept = isKept;
    this.ignoresUnknown = ignoresUnknown;
  }

  /** Whether the check can end, since no more issues would be reported. */
  get isFull(): boolean {
    return this.issues.length >= this.#max;
  }

  check({ check, isNullable, type }: Hidden, value: unknown): void {
    if (value !== null) check(value, this);
    else if (!isNullable) this.claim('type', `must be ${typeLabels[type]}, not null`);
  }

  checkAt(step: string | number, schema: Hidden, value: unknown): void {
    this.path.push(step);
    this.check(schema, value);
    this.path.pop();
  }

  /** Adds an issue of the present value. The claim follows the name of its place. */
  claim(code: string, claim: string, path = this.path): void {
    this.add(code, `${placeLabel(path)} ${claim}.`, path);
  }

  add(code: string, detail: string, path = this.path): void {
    this.count += 1;
    if (!this.isFull) this.issues.push({ pointer: pointerOf(path), code, detail });
  }

  /** Adds an issue that a rule of the present object has found. */
  addOfRule(issue: Issue): void {
    if (!this.isFull) this.issues.push({ ...issue, pointer: pointerOf(this.path) + (issue.pointer ?? '') });
  }
}

/** Returns the subject of a sentence, such as `items[0].quantity`. */
function placeLabel(path: Findings['path']): string {
  if (path.length === 0) return 'The body';
  let label = '';
  for (const step of path) {
    if (typeof step === 'number') label += `[${step}]`;
    else label += label === '' ? step : `.${step}`;
  }
  return label;
}

/** Returns the JSON Pointer (RFC 6901). */
function pointerOf(path: Findings['path']): string {
  let pointer = '';
  for (const step of path)
    pointer += typeof step === 'number' ? `/${step}` : `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return pointer;
}

type StringOptions = Annotations & {
  readonly minLength?: number;
  readonly maxLength: number;
  readonly pattern?: string;
  /** The requirement of the pattern, as the end of a sentence: "must be …". */
  readonly mustBe?: string;
  /** Whether `mustBe` is also reported for a text of the wrong length, instead of the length. */
  readonly reportsFormatForLength?: boolean;
  readonly format?: string;
  readonly rule?: Rule;
};

/** Lengths count code points, as in JSON Schema. */
export function string(options: StringOptions): Schema<string> {
  const { mustBe, reportsFormatForLength = false, rule, ...shown } = options;
  const { minLength = 0, maxLength, pattern } = options;
  const form = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const formClaim = mustBe === undefined ? 'has an invalid format' : `must be ${mustBe}`;
  return make({ type: 'string', ...shown }, 'string', (value, findings) => {
    if (typeof value !== 'string') return findings.claim('type', 'must be a string');
    const lengthIssue = lengthIssueOf(value, minLength, maxLength);
    if (lengthIssue !== undefined && !reportsFormatForLength) return findings.claim(...lengthIssue);
    // no pattern has to be safe on long input
    if (lengthIssue !== undefined || form?.test(value) === false) return findings.claim('pattern', formClaim);
    const sentence = findings.isKept ? undefined : rule?.(value);
    if (sentence !== undefined) findings.add('format', sentence);
  });
}

function lengthIssueOf(text: string, min: number, max: number): [code: string, claim: string] | undefined {
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

type IntegerOptions = Annotations & {
  readonly minimum?: number;
  readonly maximum?: number;
  /** The end of the sentence that is reported for another number or type: "must be …". */
  readonly mustBe?: string;
};

export function integer(options: IntegerOptions = {}): Schema<number> {
  const { minimum = 1, maximum = Number.MAX_SAFE_INTEGER, mustBe = 'an integer', ...notes } = options;
  const shown = { type: 'integer', format: 'int64', minimum, maximum, ...notes };
  return make(shown, 'integer', (value, findings) => {
    // Infinity stands for an integer that is too large
    if (typeof value !== 'number' || value !== Math.trunc(value)) findings.claim('type', `must be ${mustBe}`);
    else if (value > maximum) findings.claim('maximum', `must be at most ${maximum}`);
    else if (value < minimum) findings.claim('minimum', `must be at least ${minimum}`);
  });
}

export function boolean(notes: Annotations = {}): Schema<boolean> {
  return make({ type: 'boolean', ...notes }, 'boolean', (value, findings) => {
    if (typeof value !== 'boolean') findings.claim('type', 'must be true or false');
  });
}

export function oneOf<const V extends string>(values: readonly V[], notes: Annotations = {}): Schema<V> {
  const known: ReadonlySet<unknown> = new Set(values);
  const claim = `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}`;
  return make({ type: 'string', enum: values, ...notes }, 'string', (value, findings) => {
    if (typeof value !== 'string') findings.claim('type', 'must be a string');
    else if (!known.has(value)) findings.claim('enum', claim);
  });
}

/** An enumeration of requests to which later versions may add. Responses have one of its values, or any text. */
export function growingOneOf<const V extends string>(values: readonly V[]): Schema<V> {
  const schema = oneOf(values);
  const own = hiddenOf(schema);
  const check: Check = (value, findings) => {
    // a kept value may be of another version, or of a resource that is no longer declared
    if (typeof value !== 'string' || !findings.isKept) own.check(value, findings);
  };
  return withHidden(schema, { ...own, check, mayGrow: true });
}

export function mayGrow(schema: JsonSchema): boolean {
  return schema[hidden]?.mayGrow === true;
}

type ArrayOptions = Annotations & {
  readonly minItems?: number;
  readonly maxItems: number;
  readonly uniqueItems?: true;
};

export function array<T>(items: Schema<T>, options: ArrayOptions): Schema<T[]> {
  const { minItems: min = 0, maxItems: max, uniqueItems } = options;
  const item = hiddenOf(items);
  return make({ type: 'array', items, ...options }, 'array', (value, findings) => {
    if (!Array.isArray(value)) return findings.claim('type', 'must be an array');
    const { length } = value;
    if (length > max) findings.claim('max-items', `must have at most ${max} items, not ${length}`);
    else if (length < min)
      findings.claim('min-items', `must have at least ${min} ${min === 1 ? 'item' : 'items'}`);
    else if (uniqueItems === true && new Set(value).size < length)
      findings.claim('unique-items', 'must not contain duplicates');
    for (let index = 0; index < length && !findings.isFull; index += 1)
      findings.checkAt(index, item, value[index]);
  });
}

/** A rule for objects with the members M. The pointers of the rule's issues begin at the object. */
type ObjectRule<M> = {
  readonly requires: ReadonlyMap<string, Hidden>;
  readonly issuesOf: (value: ObjectOf<M>) => Issue[];
};

/**
 * Makes a rule that applies if the members in `requires` fit these schemas. Members that `requires` doesn't
 * name may be invalid, even in nested objects.
 */
export function ruleFor<N extends MemberSchemas>(
  requires: N,
  issuesOf: (value: ObjectOf<N>) => Issue[],
): ObjectRule<N> {
  return { requires: hiddenOfAll(requires), issuesOf };
}

/** An object without other members: unknown members are invalid. */
export function object<M extends MemberSchemas>(
  members: M,
  notes: Annotations = {},
  rules: readonly ObjectRule<NoInfer<M>>[] = [],
): Schema<ObjectOf<M>> & { readonly properties: M } {
  const required = Object.keys(members).filter((name) => members[name]?.[hidden]?.isOptional !== true);
  const shown = {
    type: 'object',
    properties: members,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
    ...notes,
  };
  const parts = {
    members: hiddenOfAll(members),
    rules: rules as ObjectParts['rules'], // each is called only with values that fit its `requires`
    isPatch: false,
  };
  return withHidden(shown, ofObject(parts)) as Schema<ObjectOf<M>> & { readonly properties: M };
}

type ObjectParts = {
  readonly members: ReadonlyMap<string, Hidden>;
  readonly rules: readonly {
    readonly requires: ReadonlyMap<string, Hidden>;
    readonly issuesOf: (value: object) => Issue[];
  }[];
  /** Whether it is a JSON Merge Patch (RFC 7396), in which null has a meaning. */
  readonly isPatch: boolean;
};

/**
 * An optional member that is null and may not be counts as absent: the check removes it, so that rules and handlers
 * find it absent. A rule applies to a patch only if that has all members that the rule requires.
 */
function ofObject(parts: ObjectParts): Hidden {
  const { members, rules, isPatch } = parts;
  const required = [...members].flatMap(([name, { isOptional }]) => (isOptional ? [] : [name]));
  const check: Check = (value, findings) => {
    if (!isObject(value)) return findings.claim('type', 'must be an object');
    const countBefore = findings.count;
    let present = 0;
    for (const name in value) {
      if (findings.isFull) return;
      const member = members.get(name);
      if (member === undefined) addUnknown(name, members, findings);
      else if (value[name] === null && !isPatch && isNullForAbsent(member)) delete value[name];
      else {
        if (!member.isOptional) present += 1;
        findings.checkAt(name, member, value[name]);
      }
    }
    if (present < required.length) addMissing(required, value, findings);
    for (const { requires, issuesOf } of rules) {
      if (isPatch && !requires.keys().every((name) => Object.hasOwn(value, name))) continue;
      if (findings.count > countBefore && !satisfies(value, requires)) continue;
      for (const issue of issuesOf(value)) findings.addOfRule(issue);
    }
  };
  return { ...unmarked, type: 'object', check, object: parts };
}

function isNullForAbsent({ isOptional, isNullable }: Hidden): boolean {
  return isOptional && !isNullable;
}

/** Returns the members of an object as a client may send them, with null for what may be absent. */
export function sentMembers({ properties, [hidden]: own }: JsonSchema): MemberSchemas | undefined {
  if (properties === undefined || own?.object?.isPatch === true) return properties;
  const sent: Record<string, JsonSchema> = {};
  for (const [name, member] of Object.entries(properties))
    sent[name] = isNullForAbsent(hiddenOf(member)) ? nullable(member as Schema<unknown>) : member;
  return sent;
}

function addMissing(required: readonly string[], value: object, findings: Findings): void {
  for (const name of required)
    if (!Object.hasOwn(value, name)) findings.claim('required', 'is required', [...findings.path, name]);
}

/** Whether these members fit, whatever the other members are. Only called if the object has an issue. */
function satisfies(value: Readonly<Record<string, unknown>>, requires: ReadonlyMap<string, Hidden>): boolean {
  const findings = new Findings(1, { ignoresUnknown: true });
  for (const [name, schema] of requires) {
    if (Object.hasOwn(value, name)) findings.check(schema, value[name]);
    else if (!schema.isOptional) return false;
  }
  return findings.count === 0;
}

/**
 * Longer unknown names are truncated, and the issue points to the object, so that no response repeats a whole
 * body.
 */
const repeatedNameMax = 100;

function addUnknown(name: string, members: ReadonlyMap<string, Hidden>, findings: Findings): void {
  if (findings.ignoresUnknown) return;
  const { path } = findings;
  const isLong = name.length > repeatedNameMax;
  const label = placeLabel([...path, isLong ? `${name.slice(0, repeatedNameMax)}…` : name]);
  const supported = [...members.keys()].join(', ') || 'none';
  const detail = `Unknown member "${label}". Supported: ${supported}.`;
  findings.add('unknown-member', detail, isLong ? path : [...path, name]);
}

/** An object with any members, each a pair of values or null. Only for responses. */
export function pairMap(
  notes: Annotations = {},
): Schema<Readonly<Record<string, readonly unknown[] | null>>> {
  const additionalProperties = { type: ['array', 'null'], minItems: 2, maxItems: 2, items: {} };
  return make({ type: 'object', additionalProperties, ...notes }, 'object', (value, findings) => {
    if (!isObject(value)) findings.claim('type', 'must be an object');
  });
}

type TextParts = {
  readonly maxProperties: number;
  readonly names: { readonly pattern: string; readonly mustBe: string };
  readonly values: Schema<string | null>;
};

/** An object whose members have any names of a form, and texts as values. */
export function textMap({
  maxProperties,
  names,
  values,
  ...notes
}: TextParts & Annotations): Schema<Readonly<Record<string, string>>> {
  const propertyNames = { type: 'string', pattern: names.pattern };
  const shown = { type: 'object', maxProperties, propertyNames, additionalProperties: values, ...notes };
  return withHidden(shown, ofTexts({ maxProperties, names, values }));
}

function ofTexts(parts: TextParts): Hidden {
  const { maxProperties: max, names, values } = parts;
  const form = new RegExp(names.pattern, 'u');
  const check: Check = (value, findings) => {
    if (!isObject(value)) return findings.claim('type', 'must be an object');
    // in what a merge has made, null stands for a text that is removed
    const texts = Object.entries(value).filter(([, text]) => text !== null || !findings.isKept);
    if (texts.length > max)
      findings.claim('max-properties', `must have at most ${max} names, not ${texts.length}`);
    for (const [name, text] of texts) {
      if (findings.isFull) return;
      const isNamed = name !== '__proto__' && form.test(name); // that name can't be merged
      const unlike = JSON.stringify(name.slice(0, repeatedNameMax));
      if (isNamed) findings.checkAt(name, hiddenOf(values), text);
      else findings.claim('pattern', `must have names ${names.mustBe}, unlike ${unlike}`);
    }
  };
  return { ...unmarked, type: 'object', check, texts: parts };
}

export function optional<S extends JsonSchema>(schema: S, notes: Annotations = {}): Optional<Infer<S>> {
  // what is hidden carries the mark
  return withHidden({ ...schema, ...notes }, { ...hiddenOf(schema), isOptional: true }) as Optional<Infer<S>>;
}

export function nullable<T>(schema: Schema<T>, notes: Annotations = {}): Schema<T | null> {
  const { title, ...shown } = schema;
  const own = hiddenOf(schema);
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  const base = title === undefined ? own.base : schema;
  return withHidden(
    { ...shown, ...values, ...notes, type: [own.type, 'null'] },
    { ...own, base, isNullable: true },
  );
}

/**
 * Makes all members optional, even in nested objects: the schema of a JSON Merge Patch (RFC 7396). A rule
 * applies if all its members are sent; otherwise its result would depend on the patched object.
 */
export function partial<T extends object>(schema: Schema<T>, notes: Annotations = {}): Schema<Patch<T>> {
  const { required: _required, title: _title, ...shown } = schema;
  const properties: Record<string, JsonSchema> = {};
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    properties[name] = optional(partialMember(member));
  const own = hiddenOf(schema);
  const { check, object: parts } = ofObject({
    rules: own.object?.rules ?? [],
    members: hiddenOfAll(properties),
    isPatch: true,
  });
  return withHidden({ ...shown, ...notes, properties }, { ...own, base: undefined, check, object: parts });
}

function partialMember(member: JsonSchema): JsonSchema {
  const { object: parts, texts } = hiddenOf(member);
  if (parts !== undefined) return partial(member as Schema<object>); // its type
  return texts === undefined ? member : withNullTexts(member, texts);
}

/** In a JSON Merge Patch, null removes a text. */
function withNullTexts({ title: _title, ...member }: JsonSchema, texts: TextParts): JsonSchema {
  const values = nullable(texts.values);
  const { check } = ofTexts({ ...texts, values });
  const own = { ...hiddenOf(member), base: undefined, check };
  return withHidden({ ...member, additionalProperties: values }, own);
}

/** Names the schema. The OpenAPI document has it once, under components. */
export function named<S extends JsonSchema>(name: string, schema: S): S {
  return withHidden({ ...schema, title: name }, hiddenOf(schema)) as unknown as S; // only annotated
}

/** If the schema is the nullable form of a named schema, returns the named one. */
export function nullableBase(schema: JsonSchema): JsonSchema | undefined {
  return schema[hidden]?.base;
}

export function hiddenOf(schema: JsonSchema): Hidden {
  const found = schema[hidden];
  if (found === undefined) throw new TypeError('not a schema of this module');
  return found;
}

function hiddenOfAll(members: MemberSchemas): ReadonlyMap<string, Hidden> {
  return new Map(Object.entries(members).map(([name, member]) => [name, hiddenOf(member)]));
}

const unmarked: Omit<Hidden, 'type' | 'check'> = {
  isOptional: false,
  isNullable: false,
  mayGrow: false,
  base: undefined,
  object: undefined,
  texts: undefined,
};

function make<T>(shown: JsonSchema, type: Hidden['type'], check: Check): Schema<T> {
  return withHidden(shown, { ...unmarked, type, check });
}

function withHidden<T>(shown: JsonSchema, own: Hidden): Schema<T> {
  return { ...shown, [hidden]: own };
}
