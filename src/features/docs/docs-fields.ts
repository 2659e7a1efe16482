// The fields of a schema on the documentation page, each with its rules and limits; nested fields have paths. And
// samples of code.
import { follow, type ApiDocument, type Parameter, type Schema } from './api-document.ts';
import { html, inline, type Html } from '../../web/page-layout.ts';

type FieldNotes = {
  readonly name: string;
  readonly isRequired?: boolean;
  readonly place?: string;
  readonly description?: string;
};

type FieldsOptions = {
  readonly side: 'request' | 'response';
  /** The path of the object that has the fields; empty for the whole body. */
  readonly path?: string;
};

export function definitions(terms: readonly (readonly [term: string, description: string])[]): Html {
  const rows = terms.map(
    ([term, description]) => html`<div><dt>${term}</dt><dd>${inline(description)}</dd></div>`,
  );
  return html`<dl class="fields">${rows}</dl>`;
}

export function sample(title: string, code: string): Html {
  return html`<div class="sample"><p class="bar">${title}</p><pre><code>${code}</code></pre></div>`;
}

export function json(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

export function parameterField(
  { name, schema, required, in: place, description }: Parameter,
  api: ApiDocument,
): Html {
  return fieldOf(schema, api, { name, isRequired: required === true, place, description });
}

/** Marks required members of requests only: a response has all its members. */
export function fieldsOf(schema: Schema, api: ApiDocument, { side, path = '' }: FieldsOptions): Html[] {
  const { properties = {}, required = [] } = solid(schema, api);
  return Object.entries(properties).flatMap(([name, member]) => {
    const { items } = solid(member, api);
    const isRequired = side === 'request' && required.includes(name);
    return [
      fieldOf(member, api, { name: path + name, isRequired }),
      ...fieldsOf(items ?? member, api, { side, path: `${path}${name}${items === undefined ? '.' : '[].'}` }),
    ];
  });
}

function fieldOf(
  schema: Schema,
  api: ApiDocument,
  { name, isRequired = false, place = '', description = solid(schema, api).description ?? '' }: FieldNotes,
): Html {
  const example = schema.examples?.[0];
  const rules = [...rulesOf(solid(schema, api), api), ...growthOf(schema, api)];
  if (example !== undefined) rules.push(`Example: \`${String(example)}\`.`);
  const type = typeOf(schema, api);
  const kind = place === '' ? type : `${type} · ${place}`;
  const mark = isRequired ? html` <em>required</em>` : '';
  return html`<div><dt><code>${name}</code> <span>${kind}</span>${mark}</dt>
<dd>${inline(description)} <span class="rules">${inline(rules.join(' '))}</span></dd></div>
`;
}

/** Resolves references and drops null. */
function solid(schema: Schema, api: ApiDocument): Schema {
  return follow(api, schema.anyOf?.[0] ?? schema);
}

function typeOf(schema: Schema, api: ApiDocument): string {
  const { type = '', items, format = 'int64' } = solid(schema, api);
  const names = [type].flat().filter((each) => each !== 'null');
  let kind = names.join(' or ');
  if (items !== undefined) kind = `array of ${typeOf(items, api)}s`;
  else if (format !== 'int64') kind += `, ${format}`;
  const isNullable = [schema, ...(schema.anyOf ?? [])].some((each) => [each.type].flat().includes('null'));
  return isNullable ? `${kind}, or null` : kind;
}

/** What a response says of an enumeration to which later versions may add. */
function growthOf(schema: Schema, api: ApiDocument): string[] {
  const { anyOf = [] } = solid(schema, api).items ?? schema;
  return anyOf.flatMap(({ type, description }) => (type === 'string' ? (description ?? []) : []));
}

/** Leaves out patterns that people can't read. */
function rulesOf(
  { enum: values, items, format, pattern = '', ...schema }: Schema,
  api: ApiDocument,
): string[] {
  const rules: string[] = [];
  if (values !== undefined) rules.push(`One of ${listed(values)}.`);
  else if (format !== 'date-time') rules.push(range(schema.minLength, schema.maxLength, ' characters'));
  rules.push(range(schema.minimum, schema.maximum, ''));
  rules.push(range(schema.minItems, schema.maxItems, ' items'));
  if (schema.uniqueItems === true) rules.push('No duplicates.');
  if (items !== undefined) rules.push(...memberRules(solid(items, api), api));
  if (format === undefined && isReadable(pattern)) rules.push(`Matches \`${pattern}\`.`);
  return rules.filter((rule) => rule !== '');
}

/** Shows only the allowed values of an array's elements, no other rules. */
function memberRules(items: Schema, api: ApiDocument): string[] {
  return items.enum === undefined ? [] : rulesOf(items, api);
}

function listed(values: readonly unknown[]): string {
  return values
    .filter((each) => each !== null)
    .map((each) => `\`${String(each)}\``)
    .join(', ');
}

function isReadable(pattern: string): boolean {
  return pattern !== '' && pattern.length <= 26 && !/\[\^|\\x/.test(pattern);
}

function range(min = 0, max: number | undefined, unit: string): string {
  if (max === undefined) return '';
  const most = withSpaces(max);
  if (max === Number.MAX_SAFE_INTEGER) return `From ${min}.`;
  if (min === max) return `Exactly ${min}${unit}.`;
  return min === 0 && unit !== '' ? `At most ${most}${unit}.` : `${min}–${most}${unit}.`;
}

/** Writes 1000000 as 1 000 000; toLocaleString would take a quarter of the page's time. */
function withSpaces(number: number): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ' ');
}
