// Compares the service's schemas with Ajv on random values: both have to report the same places.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { schemaIssues, issuesMax } from '../../../src/schema/schema-check.ts';
import { sentMembers, type Issue, type JsonSchema } from '../../../src/schema/schema.ts';
import type { MountedRoute } from '../../../src/http/routing/router.ts';
import { folderWith } from './outside-tools.ts';
import { Dice } from '../../http/requests/fuzz-values.ts';
import { randomValue } from './random-values.ts';

type AjvError = {
  readonly instancePath: string;
  readonly params: { readonly missingProperty?: string; readonly additionalProperty?: string };
};
type Validate = ((value: unknown) => boolean) & { readonly errors?: readonly AjvError[] | null };
type Ajv = { compile(schema: object): Validate };
type AjvModule = { readonly Ajv2020: new (options: object) => Ajv };

type Json = { readonly [name: string]: unknown };
/** A schema of a request, in the route and in the document. */
type Subject = {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly shown: Json;
  readonly turns: number;
};

export type Comparison = {
  values: number;
  fitting: number;
  /** How many values are valid for Ajv, but not for a rule of the service beyond JSON Schema, by member. */
  readonly stricter: Map<string, number>;
  readonly violations: string[];
};

export function compareWithAjv(
  mounted: readonly MountedRoute[],
  document: string,
  { folder, seed }: { readonly folder: string; readonly seed: number },
): Comparison {
  const { Ajv2020 }: AjvModule = createRequire(join(folderWith('ajv', folder), 'here.js'))(
    'ajv/dist/2020.js',
  );
  const ajv = new Ajv2020({ strict: true, allErrors: true, validateFormats: false, allowUnionTypes: true });
  const random = new Dice(seed);
  const comparison: Comparison = { values: 0, fitting: 0, stricter: new Map(), violations: [] };
  for (const subject of subjectsOf(mounted, JSON.parse(document)))
    compareOn(subject, ajv, random, comparison);
  return comparison;
}

/** Bodies of requests and query parameters of all routes. */
function subjectsOf(mounted: readonly MountedRoute[], document: Json): Subject[] {
  const { schemas } = document['components'] as { schemas: Json };
  const standalone = (schema: unknown): Json =>
    JSON.parse(
      JSON.stringify({ ...(schema as Json), $defs: schemas }).replaceAll('#/components/schemas/', '#/$defs/'),
    );
  return mounted.flatMap(({ route: { method, path, body, query = {} } }) => {
    const operation = (document['paths'] as Record<string, Json>)[path]?.[method.toLowerCase()] as Operation;
    return [
      ...(body === undefined
        ? []
        : [
            {
              name: `${method} ${path}`,
              schema: body,
              shown: standalone(operation.requestBody.content['application/json'].schema),
              turns: 3_000,
            },
          ]),
      ...Object.entries(query).map(([name, schema]) => {
        return {
          name: `${method} ${path}?${name}`,
          schema,
          shown: standalone(operation.parameters.find((each) => each.name === name)?.schema),
          turns: 200,
        };
      }),
    ];
  });
}

type Operation = {
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: Json } } };
  readonly parameters: readonly { readonly name?: string; readonly schema?: Json }[];
};

function compareOn(
  { name, schema, shown, turns }: Subject,
  ajv: Ajv,
  random: Dice,
  comparison: Comparison,
): void {
  const plain = plainOf(schema);
  const validate = ajv.compile(plain);
  const validateShown = ajv.compile(shown);
  for (let turn = 0; turn < turns; turn += 1) {
    const value = randomValue(plain, random, random.pick([0, 0.02, 0.1, 0.4]));
    const theirs = validate(value) ? '' : placesOfAjv(validate.errors ?? []);
    const fitsShown = validateShown(value);
    const issues = schemaIssues(schema, value); // removes a null that stands for an absent member
    const ours = placesOf(issues.filter((issue) => !isBeyondJsonSchema(issue)));
    // The service reports only the first two of equal items, and Ajv none among items of a wrong type, so
    // only the verdicts are compared there.
    const isCutShort =
      issues.length === issuesMax ||
      issues.some(({ code }) => code === 'max-items' || code === 'unique-items');
    const agrees = isCutShort ? (ours === '') === (theirs === '') : ours === theirs;
    if (!agrees)
      comparison.violations.push(
        `${name}, ${JSON.stringify(value)}: ours wrong at ${ours || 'none'}, Ajv's at ${theirs || 'none'}`,
      );
    if (fitsShown !== (theirs === ''))
      comparison.violations.push(
        `${name}, ${JSON.stringify(value)}: the document's schema says otherwise than the route's`,
      );
    comparison.values += 1;
    if (issues.length === 0) comparison.fitting += 1;
    if (theirs === '')
      for (const { pointer } of issues)
        count(comparison.stricter, pointer?.replace(/^.*\//, '') || name.replace(/^.*\?/, ''));
  }
}

/** The schema as JSON, with null for what may be absent. */
function plainOf(schema: JsonSchema): Json {
  const properties = Object.entries(sentMembers(schema) ?? {}).map(([name, member]) => [
    name,
    plainOf(member),
  ]);
  return JSON.parse(
    JSON.stringify({
      ...schema,
      ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
      ...(schema.items === undefined ? {} : { items: plainOf(schema.items) }),
    }),
  );
}

/**
 * Rules of the service: which e-mail addresses, countries, passwords and calendar times are valid; postal
 * codes by country; sums and their maximum.
 */
function isBeyondJsonSchema({ code, detail }: Issue): boolean {
  return (
    code === 'format' ||
    code === 'postal-code' ||
    code === 'password' ||
    code === 'total' ||
    code === 'conflict' || // a payment before it is paid
    ((code === 'maximum' || code === 'minimum') && detail.startsWith('The total'))
  );
}

/** The places of the issues, sorted. */
function placesOf(issues: readonly Issue[]): string {
  return joined(issues.map(({ pointer }) => pointer || '/'));
}

function placesOfAjv(errors: readonly AjvError[]): string {
  return joined(
    errors.map(({ instancePath, params: { missingProperty, additionalProperty } }) => {
      const member = missingProperty ?? additionalProperty;
      return (
        (member === undefined
          ? instancePath
          : `${instancePath}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`) || '/'
      );
    }),
  );
}

function joined(places: readonly string[]): string {
  return [...new Set(places)].sort().join(' ');
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
