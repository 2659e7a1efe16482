// JSON Schemas (2020-12) that carry their static type; `schema-check.ts` finds the issues of values.
//
// The enumerable members of a schema are JSON Schema: the OpenAPI document contains them unchanged. A symbol leads to
// what JSON Schema doesn't have, such as sentences, rules, and whether a member of an object may be absent.

declare const phantom: unique symbol;
declare const optionalMark: unique symbol;
const hidden = Symbol('hidden');

type TypeName = 'string' | 'integer' | 'boolean' | 'array' | 'object';
export type JsonSchema = {
  readonly type?: TypeName | readonly [TypeName, 'null'];
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: MemberSchemas;
  readonly required?: readonly string[];
  readonly maxProperties?: number;
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: JsonSchema | false;
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

/** A rule beyond JSON Schema. Returns a sentence that reports the issue, or undefined. */
export type Rule = (value: string) => string | undefined;

type Hidden = {
  /** Whether the schema may be absent as a member of an object. */
  readonly isOptional?: true;
  /** Whether it is a JSON Merge Patch (RFC 7396), in which null has a meaning. */
  readonly isPatch?: true;
  /** Whether responses of later versions may have other values. */
  readonly mayGrow?: true;
  /** The named schema of which this is the nullable form. */
  readonly base?: JsonSchema | undefined;
  /** The pattern of a text, or of the names in a map of texts. */
  readonly form?: RegExp | undefined;
  readonly rule?: Rule | undefined;
  readonly rules?: readonly AnyObjectRule[];
} & Sentences;

type Sentences = {
  /** The end of the sentence “must be …”, which is reported for another form or type. */
  readonly mustBe?: string | undefined;
  /** Whether `mustBe` is also reported for a text of the wrong length, instead of the length. */
  readonly reportsFormatForLength?: boolean | undefined;
};

type Annotations = {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly writeOnly?: boolean;
};

type StringOptions = Annotations &
  Sentences & {
    readonly minLength?: number;
    readonly maxLength: number;
    readonly pattern?: string;
    readonly format?: string;
    readonly rule?: Rule;
  };

/** Lengths count code points, as in JSON Schema. */
export function string(options: StringOptions): Schema<string> {
  const { mustBe, reportsFormatForLength, rule, ...shown } = options;
  const form = options.pattern === undefined ? undefined : new RegExp(options.pattern, 'u');
  return withHidden({ type: 'string', ...shown }, { form, mustBe, reportsFormatForLength, rule });
}

type IntegerOptions = Annotations & {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly mustBe?: string;
};

export function integer(options: IntegerOptions = {}): Schema<number> {
  const { minimum = 1, maximum = Number.MAX_SAFE_INTEGER, mustBe, ...notes } = options;
  return withHidden({ type: 'integer', format: 'int64', minimum, maximum, ...notes }, { mustBe });
}

export function boolean(notes: Annotations = {}): Schema<boolean> {
  return { type: 'boolean', ...notes };
}

export function oneOf<const V extends string>(values: readonly V[], notes: Annotations = {}): Schema<V> {
  return { type: 'string', enum: values, ...notes };
}

/** An enumeration of requests to which later versions may add. Responses have one of its values, or any text. */
export function growingOneOf<const V extends string>(values: readonly V[]): Schema<V> {
  return withHidden(oneOf(values), { mayGrow: true });
}

type ArrayOptions = Annotations & {
  readonly minItems?: number;
  readonly maxItems: number;
  readonly uniqueItems?: true;
};

export function array<T>(items: Schema<T>, options: ArrayOptions): Schema<T[]> {
  return { type: 'array', items, ...options };
}

/** A rule for objects with the members M. The pointers of the rule's issues begin at the object. */
type ObjectRule<M> = {
  readonly requires: MemberSchemas;
  readonly issuesOf: (value: ObjectOf<M>) => Issue[];
};
type AnyObjectRule = {
  readonly requires: MemberSchemas;
  readonly issuesOf: (value: object) => Issue[];
};

/**
 * Makes a rule that applies if the members in `requires` fit these schemas. Members that `requires` doesn't
 * name may be invalid, even in nested objects.
 */
export function ruleFor<N extends MemberSchemas>(
  requires: N,
  issuesOf: (value: ObjectOf<N>) => Issue[],
): ObjectRule<N> {
  return { requires, issuesOf };
}

/** An object without other members: unknown members are invalid. */
export function object<M extends MemberSchemas>(
  members: M,
  notes: Annotations = {},
  rules: readonly ObjectRule<NoInfer<M>>[] = [],
): Schema<ObjectOf<M>> & { readonly properties: M } {
  const required = Object.keys(members).filter((name) => !isOptional(members[name]));
  const shown = {
    type: 'object',
    properties: members,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
    ...notes,
  } as const;
  // each rule is called only with values that fit its `requires`
  return { ...shown, [hidden]: { rules: rules as readonly AnyObjectRule[] } };
}

/** An object with any members, each a pair of values or null. Only for responses. */
export function pairMap(
  notes: Annotations = {},
): Schema<Readonly<Record<string, readonly unknown[] | null>>> {
  const pair = { type: ['array', 'null'], minItems: 2, maxItems: 2, items: {} } as const;
  return { type: 'object', additionalProperties: pair, ...notes };
}

type TextMapOptions = Annotations & {
  readonly maxProperties: number;
  readonly names: { readonly pattern: string; readonly mustBe: string };
  readonly values: Schema<string>;
};

/** An object whose members have any names of a form, and texts as values. */
export function textMap({
  maxProperties,
  names: { pattern, mustBe },
  values,
  ...notes
}: TextMapOptions): Schema<Readonly<Record<string, string>>> {
  const propertyNames = { type: 'string', pattern } as const;
  const shown = { maxProperties, propertyNames, additionalProperties: values, ...notes };
  return withHidden({ type: 'object', ...shown }, { form: new RegExp(pattern, 'u'), mustBe });
}

export function optional<S extends JsonSchema>(schema: S, notes: Annotations = {}): Optional<Infer<S>> {
  // what is hidden carries the mark
  return withHidden({ ...schema, ...notes }, { isOptional: true }) as Optional<Infer<S>>;
}

export function nullable<T>(schema: Schema<T>, notes: Annotations = {}): Schema<T | null> {
  const { title, ...shown } = schema;
  const words = schema.enum === undefined ? {} : { enum: [...schema.enum, null] };
  const type = [typeOf(schema) ?? 'object', 'null'] as const;
  const base = title === undefined ? nullableBase(schema) : schema;
  return withHidden({ ...shown, ...words, ...notes, type }, { base });
}

/**
 * Makes all members optional, even in nested objects: the schema of a JSON Merge Patch (RFC 7396). A rule
 * applies if all its members are sent; otherwise its result would depend on the patched object.
 */
export function partial<T extends object>(schema: Schema<T>, notes: Annotations = {}): Schema<Patch<T>> {
  const { required: _required, title: _title, ...shown } = schema;
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    return [name, optional(patchOf(member))] as const;
  });
  const patch = { ...shown, ...notes, properties: Object.fromEntries(members) };
  return withHidden(patch, { isPatch: true, base: undefined });
}

function patchOf(member: JsonSchema): JsonSchema {
  if (member.properties !== undefined) return partial(member as Schema<object>); // its type
  const { title: _title, ...shown } = member;
  const { propertyNames, additionalProperties: values } = member;
  if (propertyNames === undefined || values === undefined || values === false) return member;
  const patch = { ...shown, additionalProperties: nullable(values) }; // null removes a text
  return withHidden(patch, { base: undefined });
}

/** Returns the members of an object as a client may send them, with null for what may be absent. */
export function sentMembers({ properties, [hidden]: own }: JsonSchema): MemberSchemas | undefined {
  if (properties === undefined || own?.isPatch === true) return properties;
  const sent = Object.entries(properties).map(([name, member]) => {
    return [name, isNullForAbsent(member) ? nullable(member as Schema<unknown>) : member] as const;
  });
  return Object.fromEntries(sent);
}

/** Names the schema. The OpenAPI document has it once, under components. */
export function named<S extends JsonSchema>(name: string, schema: S): S {
  return { ...schema, title: name };
}

/** If the schema is the nullable form of a named schema, returns the named one. */
export function nullableBase(schema: JsonSchema): JsonSchema | undefined {
  return schema[hidden]?.base;
}

export function mayGrow(schema: JsonSchema): boolean {
  return schema[hidden]?.mayGrow === true;
}

/** The type of values that aren't null. */
export function typeOf({ type }: JsonSchema): TypeName | undefined {
  return typeof type === 'object' ? type[0] : type;
}

export function isNullable({ type }: JsonSchema): boolean {
  return typeof type === 'object';
}

export function isOptional(schema: JsonSchema | undefined): boolean {
  return schema?.[hidden]?.isOptional === true;
}

/** Whether null counts as absent, as a client may send it for an optional member. */
export function isNullForAbsent(schema: JsonSchema): boolean {
  return isOptional(schema) && !isNullable(schema);
}

export function hiddenOf(schema: JsonSchema): Hidden {
  return schema[hidden] ?? {};
}

function withHidden<T>(schema: JsonSchema, added: Hidden): Schema<T> {
  return { ...schema, [hidden]: { ...schema[hidden], ...added } };
}
