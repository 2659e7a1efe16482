// The fields of a schema on the documentation page: nested ones by their path, each with its rules and
// limits.
import { follow, type Description, type Schema } from './docs-description.ts';
import { html, inline, type Html } from './page-layout.ts';

type About = { readonly isRequired?: boolean; readonly place?: string; readonly says?: string };

export function definitions(terms: readonly (readonly [term: string, says: string])[]): Html {
  const rows = terms.map(([term, says]) => html`<div><dt>${term}</dt><dd>${inline(says)}</dd></div>`);
  return html`<dl class="fields">${rows}</dl>`;
}

/** In a request it matters what is required; a response has everything. */
export function fieldsOf(
  schema: Schema,
  description: Description,
  side: 'request' | 'response',
  path = '',
): Html[] {
  const { properties = {}, required = [] } = solid(schema, description);
  return Object.entries(properties).flatMap(([name, member]) => {
    const { items } = solid(member, description);
    const isRequired = side === 'request' && required.includes(name);
    return [
      fieldOf(path + name, member, description, { isRequired }),
      ...fieldsOf(items ?? member, description, side, `${path}${name}${items === undefined ? '.' : '[].'}`),
    ];
  });
}

export function fieldOf(
  name: string,
  schema: Schema,
  description: Description,
  { isRequired = false, place = '', says = solid(schema, description).description ?? '' }: About,
): Html {
  const example = schema.examples?.[0];
  const rules = rulesOf(solid(schema, description), description);
  if (example !== undefined) rules.push(`Such as \`${String(example)}\`.`);
  const type = typeOf(schema, description);
  const kind = place === '' ? type : `${type} · ${place}`;
  const mark = isRequired ? html` <em>required</em>` : '';
  return html`<div><dt><code>${name}</code> <span>${kind}</span>${mark}</dt>
<dd>${inline(says)} <span class="rules">${inline(rules.join(' '))}</span></dd></div>
`;
}

/** Without references, and without null. */
function solid(schema: Schema, description: Description): Schema {
  return follow(description, schema.anyOf?.[0] ?? schema);
}

function typeOf(schema: Schema, description: Description): string {
  const { type = '', items, format = 'int64' } = solid(schema, description);
  const names = [type].flat().filter((each) => each !== 'null');
  let kind = names.join(' or ');
  if (items !== undefined) kind = `array of ${typeOf(items, description)}s`;
  else if (format !== 'int64') kind += `, ${format}`;
  const isNullable = schema.anyOf !== undefined || [schema.type].flat().includes('null');
  return isNullable ? `${kind}, or null` : kind;
}

/** Only patterns that people can read are shown. */
function rulesOf(
  { enum: values, items, format, pattern = '', ...schema }: Schema,
  description: Description,
): string[] {
  const rules: string[] = [];
  if (values !== undefined) rules.push(`One of ${listed(values)}.`);
  else if (format !== 'date-time') rules.push(range(schema.minLength, schema.maxLength, ' characters'));
  rules.push(range(schema.minimum, schema.maximum, ''));
  rules.push(range(schema.minItems, schema.maxItems, ' items'));
  if (schema.uniqueItems === true) rules.push('None twice.');
  if (items !== undefined) rules.push(...memberRules(solid(items, description), description));
  if (format === undefined && isReadable(pattern)) rules.push(`Matches \`${pattern}\`.`);
  return rules.filter((rule) => rule !== '');
}

/** Of the schema of an array's elements only the allowed values are shown. */
function memberRules(items: Schema, description: Description): string[] {
  return items.enum === undefined ? [] : rulesOf(items, description);
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

/** 1 000 000; toLocaleString would take a quarter of the page's time. */
function withSpaces(number: number): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ' ');
}
