// Components of the OpenAPI document, which operations share, and examples of schemas.
import { isDeepStrictEqual } from 'node:util';
import { mayGrow, nullableBase, sentMembers, typeOf, type JsonSchema } from '../schema/schema.ts';

export type Json = { [name: string]: unknown };

export type Components = ReturnType<typeof createComponents>;

/** Requests are closed: unknown members are invalid. Responses are open: later versions may add members. */
type Side = 'request' | 'response';

/** Turns named schemas and equal responses into components, and returns references to them. */
export function createComponents() {
  const components: Record<'schemas' | 'responses', Record<string, Json>> = { schemas: {}, responses: {} };
  const references: Record<Side, Map<JsonSchema, Json>> = { request: new Map(), response: new Map() };

  function component(kind: keyof typeof components, name: string, json: Json): Json {
    const known = (components[kind][name] ??= json);
    if (isLonger(json['enum'], known['enum'])) known['enum'] = json['enum'];
    if (isLonger(known['enum'], json['enum'])) json['enum'] = known['enum'];
    if (!isDeepStrictEqual(known, json)) throw new TypeError(`two ${kind} are named ${name}`);
    return { $ref: `#/components/${kind}/${name}` };
  }

  /**
   * Returns a schema with references. Each named schema becomes one component, since most are in many
   * operations.
   */
  function use(schema: JsonSchema, side: Side): Json {
    const known = references[side].get(schema);
    if (known !== undefined) return known;
    const shown = side === 'response' && mayGrow(schema) ? openEnum(schema) : show(schema, side);
    if ('$ref' in shown) references[side].set(schema, shown);
    return shown;
  }

  /** Generated clients that check responses would otherwise refuse what a later version adds. */
  function openEnum(schema: JsonSchema): Json {
    return {
      anyOf: [use(schema, 'request'), { type: 'string', description: 'Later versions may add others.' }],
    };
  }

  function show(schema: JsonSchema, side: Side): Json {
    const base = nullableBase(schema);
    if (base !== undefined) return { anyOf: [use(base, side), { type: 'null' }] };
    // without the hidden part, whose key is a symbol
    const { title, ...shown }: Json = Object.fromEntries(Object.entries(schema));
    const hasAnyNames = 'propertyNames' in shown; // a map of texts: this says what they are
    if (side === 'response' && !hasAnyNames) delete shown['additionalProperties'];
    const { items } = schema;
    const properties = side === 'request' ? sentMembers(schema) : schema.properties;
    if (properties !== undefined)
      shown['properties'] = Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, use(member, side)]),
      );
    if (items !== undefined) shown['items'] = use(items, side);
    if (items !== undefined && side === 'response' && mayGrow(items)) delete shown['maxItems'];
    return typeof title === 'string' ? component('schemas', title, shown) : shown;
  }

  return {
    ...components,
    use,
    schema: (name: string, json: Json) => component('schemas', name, json),
    response: (name: string, json: Json) => component('responses', name, json),
  };
}

/** Converts `email-taken` to `EmailTaken`. */
export function pascalCase(name: string): string {
  const words = name.split(/\W/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Returns the example without members that a response has only on request. */
export function shownExampleOf(schema: JsonSchema): unknown {
  const { properties = {}, required = [] } = schema;
  const always = Object.entries(properties).filter(([name]) => required.includes(name));
  return exampleOf({ ...schema, properties: Object.fromEntries(always) });
}

/** Returns a value that fits the schema, made of the schema's own examples. */
export function exampleOf(schema: JsonSchema): unknown {
  const { examples, enum: words, properties = {}, items = {}, minimum } = schema;
  if (examples !== undefined) return examples[0];
  if (words !== undefined) return words[0];
  const type = typeOf(schema);
  if (type === 'object')
    return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, exampleOf(member)]));
  if (type === 'array') return [exampleOf(items)];
  if (type === 'integer') return minimum;
  return type === 'boolean' ? true : undefined;
}

/** A list that may grow is longer where the kinds of declared resources are known. */
function isLonger(one: unknown, other: unknown): boolean {
  return Array.isArray(one) && Array.isArray(other) && one.length > other.length;
}
