// JSON Schemas (2020-12) that carry their static type, and the check whether a value fits one.

declare const phantom: unique symbol;
const plan = Symbol('plan');

/** What a schema object shows: OpenAPI prints it as it is. */
export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly items?: JsonSchema;
  readonly properties?: Members;
  readonly [plan]?: Plan;
  readonly [keyword: string]: unknown;
};
export type Schema<T> = JsonSchema & { readonly [phantom]?: () => T };
export type Infer<S> = S extends { readonly [phantom]?: () => infer T } ? T : never;
type Optional<T> = Schema<T> & { readonly [isOptional]: true };
declare const isOptional: unique symbol;

/** One fault, and where: exactly one of pointer (JSON Pointer into the body), parameter, header. */
export type Issue = {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly code: string;
  readonly detail: string;
};

/** A rule beyond JSON Schema: the sentence that says what is wrong, or undefined. */
type Rule = (value: string) => string | undefined;

type Plan = {
  readonly kind: 'string' | 'integer' | 'boolean' | 'array' | 'object';
  readonly isNullable?: boolean;
  readonly isOptional?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly isUnique?: boolean;
  readonly pattern?: RegExp | undefined;
  readonly says?: string | undefined;
  readonly rule?: Rule | undefined;
  readonly values?: ReadonlySet<string>;
  readonly items?: JsonSchema;
  readonly members?: ReadonlyMap<string, JsonSchema>;
  readonly required?: readonly string[];
  readonly objectRule?: ((value: object) => Issue[]) | undefined;
  readonly base?: JsonSchema | undefined;
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
  /** What the pattern asks for, as the end of a sentence: "must be …". */
  readonly says?: string;
  readonly format?: string;
  readonly rule?: Rule;
};

/** Lengths count code points, as JSON Schema has it. */
export function string(options: StringOptions): Schema<string> {
  const { says, rule, ...shown } = options;
  const pattern = options.pattern === undefined ? undefined : new RegExp(options.pattern, 'u');
  return make(
    { type: 'string', ...shown },
    { kind: 'string', min: options.minLength ?? 0, max: options.maxLength, pattern, says, rule },
  );
}

export function integer(
  options: Annotations & { readonly minimum?: number; readonly maximum?: number } = {},
): Schema<number> {
  const { minimum = 1, maximum = Number.MAX_SAFE_INTEGER, ...notes } = options;
  return make(
    { type: 'integer', format: 'int64', minimum, maximum, ...notes },
    { kind: 'integer', min: minimum, max: maximum },
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
      items,
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

/**
 * Strict: members that it doesn't name are a fault. `rule` looks at members together once each fits; its
 * pointers begin at the object.
 */
export function object<M extends Members>(
  members: M,
  notes: Annotations = {},
  rule?: (value: ObjectOf<M>) => Issue[],
): Schema<ObjectOf<M>> & { readonly properties: M } {
  const required = Object.keys(members).filter((name) => members[name]?.[plan]?.isOptional !== true);
  const demands = required.length > 0 ? { required } : {};
  const shown = { type: 'object', properties: members, ...demands, additionalProperties: false, ...notes };
  const rules: Plan = {
    kind: 'object',
    members: new Map(Object.entries(members)),
    required,
    objectRule: rule as Plan['objectRule'],
  }; // asked once all members fit
  return make(shown, rules) as Schema<ObjectOf<M>> & { readonly properties: M };
}

export function optional<S extends JsonSchema>(schema: S, notes: Annotations = {}): Optional<Infer<S>> {
  // the mark lives in the plan
  return make({ ...schema, ...notes }, { ...planOf(schema), isOptional: true }) as Optional<Infer<S>>;
}

export function nullable<T>(schema: Schema<T>, notes: Annotations = {}): Schema<T | null> {
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  const { title, ...shown } = schema;
  const base = title === undefined ? {} : { base: schema };
  return make(
    { ...shown, ...values, ...notes, type: [planOf(schema).kind, 'null'] },
    { ...planOf(schema), ...base, isNullable: true },
  );
}

/** Every member optional, in nested objects too: the shape of a JSON Merge Patch (RFC 7396) of the object. */
export function partial<T extends object>(schema: Schema<T>, notes: Annotations = {}): Schema<Patch<T>> {
  const { required: _required, title: _title, ...shown } = schema;
  const members = new Map<string, JsonSchema>();
  for (const [name, member] of planOf(schema).members ?? []) {
    // its kind says so
    const inner = planOf(member).kind === 'object' ? partial(member as Schema<object>) : member;
    members.set(name, optional(inner));
  }
  const changed = { ...shown, ...notes, properties: Object.fromEntries(members) };
  return make(changed, { ...planOf(schema), members, required: [], base: undefined, objectRule: undefined });
}
export type Patch<T> = {
  [K in keyof T]?: T[K] extends readonly unknown[]
    ? T[K]
    : T[K] extends object | null
      ? Patch<NonNullable<T[K]>> | Extract<T[K], null>
      : T[K];
};

/** The same schema under a name: OpenAPI prints it once, under components. */
export function named<S extends JsonSchema>(name: string, schema: S): S {
  return make({ ...schema, title: name }, planOf(schema)) as unknown as S; // only annotated
}

/** The named schema that this one lets be null, if that is what it is. */
export function nullableBase(schema: JsonSchema): JsonSchema | undefined {
  return schema[plan]?.base;
}

/** Every fault of the value, or none. */
export function check(schema: JsonSchema, value: unknown): Issue[] {
  const found: Found = { issues: [], misfits: 0 };
  walk(schema, value, [], found);
  return found.issues;
}

/**
 * `misfits` counts the issues that aren't of objects' rules: where there are any, an object's rule can't be
 * asked.
 */
type Found = { readonly issues: Issue[]; misfits: number };

/** Whether the value fits, as a proof for the compiler. */
export function fits<T>(schema: Schema<T>, value: unknown): value is T {
  return check(schema, value).length === 0;
}

export const issuesMax = 100;

type Path = (string | number)[];

function walk(schema: JsonSchema, value: unknown, path: Path, found: Found): void {
  const rules = planOf(schema);
  if (value === null) {
    if (rules.isNullable !== true) add(found, path, 'type', `must be ${nameOf(rules)}, not null`);
    return;
  }
  switch (rules.kind) {
    case 'string':
      return checkString(rules, value, path, found);
    case 'integer':
      return checkInteger(rules, value, path, found);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : add(found, path, 'type', 'must be true or false');
    case 'array':
      return checkArray(rules, value, path, found);
    case 'object':
      return checkObject(rules, value, path, found);
  }
}

function checkString(rules: Plan, value: unknown, path: Path, found: Found): void {
  if (typeof value !== 'string') return add(found, path, 'type', `must be ${nameOf(rules)}`);
  if (rules.values !== undefined) {
    if (!rules.values.has(value)) add(found, path, 'enum', `must be one of ${[...rules.values].join(', ')}`);
    return;
  }
  const { min = 0, max = 0 } = rules;
  if (value.length > max && codePoints(value) > max)
    return add(found, path, 'max-length', `must have at most ${max} characters`);
  if (value.length < min || (value.length < min * 2 && codePoints(value) < min)) {
    return add(
      found,
      path,
      'min-length',
      value === '' ? 'must not be empty' : `must have at least ${min} characters`,
    );
  }
  if (rules.pattern?.test(value) === false)
    return add(found, path, 'pattern', `must be ${rules.says ?? 'of another form'}`);
  const fault = rules.rule?.(value);
  if (fault !== undefined) addIssue(found, path, 'format', fault);
}

function checkInteger(rules: Plan, value: unknown, path: Path, found: Found): void {
  const { min = 0, max = 0 } = rules;
  if (typeof value !== 'number') return add(found, path, 'type', 'must be an integer');
  if (value > max) return add(found, path, 'maximum', `must be at most ${max}`);
  if (value < min) return add(found, path, 'minimum', `must be at least ${min}`);
  if (!Number.isInteger(value)) add(found, path, 'type', 'must be an integer');
}

function checkArray(rules: Plan, value: unknown, path: Path, found: Found): void {
  const { min = 0, max = 0, items } = rules;
  if (!Array.isArray(value)) return add(found, path, 'type', 'must be an array');
  if (value.length > max)
    return add(found, path, 'max-items', `must have at most ${max} items, not ${value.length}`);
  if (value.length < min)
    add(found, path, 'min-items', `must have at least ${min} item${min === 1 ? '' : 's'}`);
  if (rules.isUnique === true && new Set(value).size < value.length)
    add(found, path, 'unique-items', 'must not name the same twice');
  for (let index = 0; index < value.length; index += 1) {
    path.push(index);
    walk(items ?? {}, value[index], path, found);
    path.pop();
  }
}

function checkObject(rules: Plan, value: unknown, path: Path, found: Found): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return add(found, path, 'type', 'must be an object');
  const members = rules.members ?? new Map<string, JsonSchema>();
  const { misfits } = found;
  let present = 0;
  for (const name in value) {
    const member = members.get(name);
    path.push(name);
    if (member === undefined) add(found, path, 'unknown-member', `is not known here${known(members)}`);
    else {
      if (planOf(member).isOptional !== true) present += 1;
      walk(member, (value as Record<string, unknown>)[name], path, found); // `name` comes from the value
    }
    path.pop();
  }
  if (present < (rules.required?.length ?? 0)) addMissing(rules, value, path, found);
  if (rules.objectRule === undefined || found.misfits > misfits) return;
  for (const issue of rules.objectRule(value)) {
    if (found.issues.length < issuesMax)
      found.issues.push({ ...issue, pointer: pointerOf(path) + (issue.pointer ?? '') });
  }
}

function addMissing(rules: Plan, value: object, path: Path, found: Found): void {
  for (const name of rules.required ?? []) {
    if (!Object.hasOwn(value, name)) add(found, [...path, name], 'required', 'is required');
  }
}

function add(found: Found, path: Path, code: string, claim: string): void {
  addIssue(found, path, code, `${labelOf(path)} ${claim}.`);
}

function addIssue(found: Found, path: Path, code: string, detail: string): void {
  found.misfits += 1;
  if (found.issues.length < issuesMax) found.issues.push({ pointer: pointerOf(path), code, detail });
}

/** RFC 6901. */
function pointerOf(path: Path): string {
  let pointer = '';
  for (const step of path)
    pointer += typeof step === 'number' ? `/${step}` : `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return pointer;
}

function labelOf(path: Path): string {
  if (path.length === 0) return 'The body';
  let label = '';
  for (const step of path) {
    if (typeof step === 'number') label += `[${step}]`;
    else label += label === '' ? step : `.${step}`;
  }
  return label;
}

function known(members: ReadonlyMap<string, unknown>): string {
  return members.size === 0 ? '' : `; known are ${[...members.keys()].join(', ')}`;
}

function nameOf(rules: Plan): string {
  return rules.kind === 'integer' || rules.kind === 'array' || rules.kind === 'object'
    ? `an ${rules.kind}`
    : `a ${rules.kind}`;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function planOf(schema: JsonSchema): Plan {
  const found = schema[plan];
  if (found === undefined) throw new TypeError('not a schema made here');
  return found;
}

function make<T>(shown: JsonSchema, rules: Plan): Schema<T> {
  return { ...shown, [plan]: rules };
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
