// The fields of a schema on the documentation page, each with its rules and limits; nested fields have paths. And
// samples of code.
import { html, inline, type Html } from '../../web/page-layout.ts';
import { follow, type ApiDocument, type Parameter, type DocumentSchema } from './api-document.ts';

type Field = {
  readonly name: string;
  readonly schema: DocumentSchema;
  readonly isRequired?: boolean;
  /** Where a parameter is. */
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

export function codeSample(title: string, code: string): Html {
  return html`<div class="sample"><p class="bar">${title}</p><pre><code>${code}</code></pre></div>`;
}

export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

export function parameterField(parameter: Parameter, api: ApiDocument): Html {
  const { required: isRequired = false, in: place } = parameter;
  return fieldOf({ ...parameter, isRequired, place }, api);
}

/** Marks required members of requests only: a response has all its members. */
export function fieldsOf(
  schema: DocumentSchema,
  api: ApiDocument,
  { side, path = '' }: FieldsOptions,
): Html[] {
  const { properties = {}, required = [] } = solid(schema, api);
  return Object.entries(properties).flatMap(([name, member]) => {
    const { items } = solid(member, api);
    const isRequired = side === 'request' && required.includes(name);
    const inner = `${path}${name}${items === undefined ? '.' : '[].'}`;
    return [
      fieldOf({ name: path + name, schema: member, isRequired }, api),
      ...fieldsOf(items ?? member, api, { side, path: inner }),
    ];
  });
}

function fieldOf(
  { name, schema, isRequired = false, place = '', description }: Field,
  api: ApiDocument,
): Html {
  const kind = typeOf(schema, api) + (place === '' ? '' : ` · ${place}`);
  const mark = isRequired ? html` <em>required</em>` : '';
  const text = description ?? solid(schema, api).description ?? '';
  return html`<div><dt><code>${name}</code> <span>${kind}</span>${mark}</dt>
<dd>${inline(text)} <span class="rules">${inline(rulesOf(schema, api).join(' '))}</span></dd></div>
`;
}

/** Resolves references and drops null. */
function solid(schema: DocumentSchema, api: ApiDocument): DocumentSchema {
  return follow(api, schema.anyOf?.[0] ?? schema);
}

function typeOf(schema: DocumentSchema, api: ApiDocument): string {
  const { type = '', items, format = 'int64' } = solid(schema, api);
  let kind = [type]
    .flat()
    .filter((each) => each !== 'null')
    .join(' or ');
  if (items !== undefined) kind = `array of ${typeOf(items, api)}s`;
  else if (format !== 'int64') kind += `, ${format}`;
  const isNullable = [schema, ...(schema.anyOf ?? [])].some((each) => [each.type].flat().includes('null'));
  return isNullable ? `${kind}, or null` : kind;
}

/** Leaves out patterns that people can't read. */
function rulesOf(schema: DocumentSchema, api: ApiDocument): string[] {
  const { items, format, pattern = '', ...shown } = solid(schema, api);
  const element = items === undefined ? {} : solid(items, api);
  const values = shown.enum ?? element.enum;
  const [example] = schema.examples ?? [];
  /** Of an enumeration to which later versions may add. */
  const { anyOf: choices = [] } = items ?? schema;
  const rules = [
    values === undefined ? '' : `One of ${listed(values)}.`,
    format === 'date-time' || shown.enum !== undefined
      ? ''
      : range(shown.minLength, shown.maxLength, ' characters'),
    range(shown.minimum, shown.maximum, ''),
    range(shown.minItems, shown.maxItems, ' items'),
    shown.uniqueItems === true ? 'No duplicates.' : '',
    format === undefined && isReadable(pattern) ? `Matches \`${pattern}\`.` : '',
    ...choices.map((each) => (each.type === 'string' ? (each.description ?? '') : '')),
    example === undefined ? '' : `Example: \`${String(example)}\`.`,
  ];
  return rules.filter((rule) => rule !== '');
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
