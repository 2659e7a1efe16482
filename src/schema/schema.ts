// JSON Schemas (2020-12) that carry their static type; `schema-check.ts` checks values against them.

declare const phantom: unique symbol;
const validator = Symbol('validator');

/** A schema. Its enumerable members are JSON Schema: the OpenAPI document contains them unchanged. */
export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly items?: JsonSchema;
  readonly properties?: Members;
  readonly [validator]?: Validator;
  readonly [keyword: string]: unknown;
};
export type Schema<T> = JsonSchema & { readonly [phantom]?: () => T };
export type Infer<S> = S extends { readonly [phantom]?: () => infer T } ? T : never;
type Optional<T> = Schema<T> & { readonly [isOptional]: true };
declare const isOptional: unique symbol;

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

/** The prepared form of a schema, which checks read. */
export type Validator = {
  readonly kind: 'string' | 'integer' | 'boolean' | 'array' | 'object' | 'pairs' | 'texts';
  readonly isNullable: boolean;
  readonly isOptional: boolean;
  readonly min: number;
  readonly max: number;
  readonly isUnique: boolean;
  readonly pattern: RegExp | undefined;
  /** The requirement of the pattern, as the end of a sentence: "must be …". */
  readonly mustBe: string | undefined;
  readonly reportsFormatForLength: boolean;
  readonly rule: Rule | undefined;
  readonly values: ReadonlySet<string> | undefined;
  /** Whether later versions may answer other values. */
  readonly mayGrow: boolean;
  readonly items: Validator | undefined;
  readonly members: ReadonlyMap<string, Validator>;
  readonly required: readonly string[];
  readonly objectRules: readonly {
    readonly requires: ReadonlyMap<string, Validator>;
    readonly issuesOf: (value: object) => Issue[];
  }[];
  /** Whether a rule applies only to a value that has all members that the rule requires. */
  readonly isPartial: boolean;
  /** Whether a check removes an optional member that is null and may not be: it counts as absent. */
  readonly dropsNulls: boolean;
  readonly base: JsonSchema | undefined;
};
const emptyValidator: Omit<Validator, 'kind'> = {
  isNullable: false,
  isOptional: false,
  min: 0,
  max: 0,
  isUnique: false,
  pattern: undefined,
  mustBe: undefined,
  reportsFormatForLength: false,
  rule: undefined,
  values: undefined,
  mayGrow: false,
  items: undefined,
  members: new Map(),
  required: [],
  objectRules: [],
  isPartial: false,
  dropsNulls: false,
  base: undefined,
};

type Annotations = {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly writeOnly?: boolean;
};
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
  const pattern = options.pattern === undefined ? undefined : new RegExp(options.pattern, 'u');
  return make(
    { type: 'string', ...shown },
    {
      kind: 'string',
      min: options.minLength ?? 0,
      max: options.maxLength,
      pattern,
      mustBe,
      reportsFormatForLength,
      rule,
    },
  );
}

type IntegerOptions = Annotations & {
  readonly minimum?: number;
  readonly maximum?: number;
  /** The end of the sentence that is reported for another number or type: "must be …". */
  readonly mustBe?: string;
};

export function integer(options: IntegerOptions = {}): Schema<number> {
  const { minimum = 1, maximum = Number.MAX_SAFE_INTEGER, mustBe, ...notes } = options;
  return make(
    { type: 'integer', format: 'int64', minimum, maximum, ...notes },
    { kind: 'integer', min: minimum, max: maximum, mustBe },
  );
}

export function boolean(notes: Annotations = {}): Schema<boolean> {
  return make({ type: 'boolean', ...notes }, { kind: 'boolean' });
}

export function oneOf<const V extends string>(values: readonly V[], notes: Annotations = {}): Schema<V> {
  return make(
    { type: 'string', enum: values, ...notes },
    { kind: 'string', values: new Set<string>(values) },
  );
}

/** An enumeration of requests to which later versions may add. Responses have one of its values, or any text. */
export function growingOneOf<const V extends string>(values: readonly V[]): Schema<V> {
  const schema = oneOf(values);
  return make(schema, { ...validatorOf(schema), mayGrow: true });
}

export function mayGrow(schema: JsonSchema): boolean {
  return schema[validator]?.mayGrow === true;
}

export function array<T>(
  items: Schema<T>,
  options: Annotations & {
    readonly minItems?: number;
    readonly maxItems: number;
    readonly uniqueItems?: true;
  },
): Schema<T[]> {
  return make(
    { type: 'array', items, ...options },
    {
      kind: 'array',
      items: validatorOf(items),
      min: options.minItems ?? 0,
      max: options.maxItems,
      isUnique: options.uniqueItems ?? false,
    },
  );
}

export type Members = Readonly<Record<string, JsonSchema>>;
type OptionalKeys<M> = { [K in keyof M]: M[K] extends { readonly [isOptional]: true } ? K : never }[keyof M];
export type ObjectOf<M> = { [K in Exclude<keyof M, OptionalKeys<M>>]: Infer<M[K]> } & {
  [K in OptionalKeys<M>]?: Infer<M[K]>;
};

/** A rule for objects with the members M. The pointers of the rule's issues begin at the object. */
type ObjectRule<M> = {
  readonly requires: ReadonlyMap<string, Validator>;
  readonly issuesOf: (value: ObjectOf<M>) => Issue[];
};

/**
 * Makes a rule that applies if the members in `requires` fit these schemas. Members that `requires` doesn't
 * name may be invalid, even in nested objects.
 */
export function ruleFor<N extends Members>(
  requires: N,
  issuesOf: (value: ObjectOf<N>) => Issue[],
): ObjectRule<N> {
  return { requires: validatorsOf(requires), issuesOf };
}

/** An object without other members: unknown members are invalid. */
export function object<M extends Members>(
  members: M,
  notes: Annotations = {},
  rules: readonly ObjectRule<NoInfer<M>>[] = [],
): Schema<ObjectOf<M>> & { readonly properties: M } {
  const required = Object.keys(members).filter((name) => members[name]?.[validator]?.isOptional !== true);
  const requiredKeyword = required.length > 0 ? { required } : {};
  const shown = {
    type: 'object',
    properties: members,
    ...requiredKeyword,
    additionalProperties: false,
    ...notes,
  };
  return make(shown, {
    kind: 'object',
    members: validatorsOf(members),
    required,
    objectRules: rules as Validator['objectRules'], // each is called only with values that fit its `requires`
  }) as Schema<ObjectOf<M>> & { readonly properties: M };
}

/** An object with any members, each a pair of values or null. Only for responses. */
export function pairMap(
  notes: Annotations = {},
): Schema<Readonly<Record<string, readonly unknown[] | null>>> {
  const additionalProperties = { type: ['array', 'null'], minItems: 2, maxItems: 2, items: {} };
  return make({ type: 'object', additionalProperties, ...notes }, { kind: 'pairs' });
}

type TextMapOptions = Annotations & {
  readonly maxProperties: number;
  readonly names: { readonly pattern: string; readonly mustBe: string };
  readonly values: Schema<string>;
};

/** An object whose members have any names of a form, and texts as values. */
export function textMap({
  maxProperties,
  names,
  values,
  ...notes
}: TextMapOptions): Schema<Readonly<Record<string, string>>> {
  const propertyNames = { type: 'string', pattern: names.pattern };
  return make(
    { type: 'object', maxProperties, propertyNames, additionalProperties: values, ...notes },
    {
      kind: 'texts',
      max: maxProperties,
      pattern: new RegExp(names.pattern, 'u'),
      mustBe: names.mustBe,
      items: validatorOf(values),
    },
  );
}

export function optional<S extends JsonSchema>(schema: S, notes: Annotations = {}): Optional<Infer<S>> {
  // the validator carries the mark
  return make({ ...schema, ...notes }, { ...validatorOf(schema), isOptional: true }) as Optional<Infer<S>>;
}

export function nullable<T>(schema: Schema<T>, notes: Annotations = {}): Schema<T | null> {
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  const { title, ...shown } = schema;
  const base = title === undefined ? {} : { base: schema };
  return make(
    { ...shown, ...values, ...notes, type: [jsonTypeOf(schema), 'null'] },
    { ...validatorOf(schema), ...base, isNullable: true },
  );
}

function jsonTypeOf(schema: JsonSchema): string {
  const { kind } = validatorOf(schema);
  return kind === 'pairs' || kind === 'texts' ? 'object' : kind;
}

/**
 * Makes all members optional, even in nested objects: the schema of a JSON Merge Patch (RFC 7396). A rule
 * applies if all its members are sent; otherwise its result would depend on the patched object.
 */
export function partial<T extends object>(schema: Schema<T>, notes: Annotations = {}): Schema<Patch<T>> {
  const { required: _required, title: _title, ...shown } = schema;
  const properties: Record<string, JsonSchema> = {};
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    properties[name] = optional(partialMember(member));
  }
  const members = validatorsOf(properties);
  return make(
    { ...shown, ...notes, properties },
    { ...validatorOf(schema), members, required: [], base: undefined, isPartial: true },
  );
}

function partialMember(member: JsonSchema): JsonSchema {
  const { kind } = validatorOf(member);
  if (kind === 'object') return partial(member as Schema<object>); // its kind
  return kind === 'texts' ? withNullTexts(member) : member;
}

/** In a JSON Merge Patch, null removes a text. */
function withNullTexts({ title: _title, ...member }: JsonSchema): JsonSchema {
  const { items, ...own } = validatorOf(member);
  const values = nullable(member.additionalProperties as Schema<string>); // `textMap` has made it
  return make(
    { ...member, additionalProperties: values },
    { ...own, items: validatorOf(values), base: undefined },
  );
}
type Patch<T> = {
  [K in keyof T]?: T[K] extends readonly unknown[]
    ? T[K]
    : T[K] extends object | null
      ? Patch<NonNullable<T[K]>> | Extract<T[K], null>
      : T[K];
};

/**
 * Lets optional members be null, even in nested objects and arrays: a check removes those that have no null of their
 * own, so that rules and handlers find them absent. It isn't for a JSON Merge Patch, in which null has a meaning.
 */
export function withNullForAbsent<S extends JsonSchema>(schema: S): S {
  const own = validatorOf(schema);
  const { base } = own;
  const changes: { properties?: Members; items?: JsonSchema } = {};
  const settings: { members?: Validator['members']; items?: Validator; base?: JsonSchema } = {};
  if (base !== undefined) settings.base = withNullForAbsent(base);
  if (own.kind === 'object') {
    const inner = Object.entries(schema.properties ?? {}).map(
      ([name, member]) => [name, withNullForAbsent(member)] as const,
    );
    settings.members = validatorsOf(Object.fromEntries(inner));
    changes.properties = Object.fromEntries(
      inner.map(([name, member]) => [name, withNullIfOptional(member)]),
    );
  }
  if (own.kind === 'array' && schema.items !== undefined) {
    changes.items = withNullForAbsent(schema.items);
    settings.items = validatorOf(changes.items);
  }
  return make({ ...schema, ...changes }, { ...own, ...settings, dropsNulls: true }) as S; // only its members are marked
}

/** Shows an optional member as nullable. Its validator stays, since the check removes the member if it is null. */
function withNullIfOptional(member: JsonSchema): JsonSchema {
  const own = validatorOf(member);
  if (!own.isOptional || own.isNullable) return member;
  const shown = nullable(member as Schema<unknown>);
  return make(shown, { ...own, base: nullableBase(shown) });
}

/** Names the schema. The OpenAPI document has it once, under components. */
export function named<S extends JsonSchema>(name: string, schema: S): S {
  return make({ ...schema, title: name }, validatorOf(schema)) as unknown as S; // only annotated
}

/** If the schema is the nullable form of a named schema, returns the named one. */
export function nullableBase(schema: JsonSchema): JsonSchema | undefined {
  return schema[validator]?.base;
}

export function validatorOf(schema: JsonSchema): Validator {
  const prepared = schema[validator];
  if (prepared === undefined) throw new TypeError('not a schema of this module');
  return prepared;
}

function validatorsOf(members: Members): ReadonlyMap<string, Validator> {
  return new Map(Object.entries(members).map(([name, member]) => [name, validatorOf(member)]));
}

/** The members of a validator that differ from the empty validator. */
type OwnSettings = Pick<Validator, 'kind'> & Partial<Validator>;

function make<T>(shown: JsonSchema, settings: OwnSettings): Schema<T> {
  return { ...shown, [validator]: { ...emptyValidator, ...settings } };
}
