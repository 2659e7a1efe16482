// The fields of a schema on the documentation page: nested ones by their path, each with its rules and
// limits.
import { follow, type Description, type Schema } from './docs-description.ts';
import { html, inline, type Html } from './page-layout.ts';

type About = { readonly isRequired?: boolean; readonly place?: string; readonly says?: string };

export function definitions(terms: readonly (readonly [term: string, says: string])[]): Html {
  return html`<dl class="fields">${terms.map(([term, says]) => html`<div><dt>${term}</dt><dd>${inline(says)}</dd></div>`)}</dl>`;
}

/** In a request it matters what is required; an answer has everything. */
export function fieldsOf(
  schema: Schema,
  description: Description,
  side: 'request' | 'answer',
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
  { isRequired = false, place = '', says = schema.description ?? '' }: About,
): Html {
  const example = schema.examples?.[0];
  const rules = [
    ...rulesOf(solid(schema, description)),
    ...(example === undefined ? [] : [`Such as \`${String(example)}\`.`]),
  ].join(' ');
  return html`<div><dt><code>${name}</code> <span>${typeOf(schema, description)}${place === '' ? '' : ` · ${place}`}</span>${isRequired ? html` <em>required</em>` : ''}</dt>
<dd>${inline(says)} <span class="rules">${inline(rules)}</span></dd></div>
`;
}

/** Without references, and without null. */
function solid(schema: Schema, description: Description): Schema {
  return follow(description, schema.anyOf?.[0] ?? schema);
}

function typeOf(schema: Schema, description: Description): string {
  const { type = '', items, format = 'int64' } = solid(schema, description);
  const name = [type]
    .flat()
    .filter((each) => each !== 'null')
    .join(' or ');
  const kind =
    items !== undefined
      ? `array of ${typeOf(items, description)}s`
      : format === 'int64'
        ? name
        : `${name}, ${format}`;
  return schema.anyOf !== undefined || [schema.type].flat().includes('null') ? `${kind}, or null` : kind;
}

/** Patterns are shown where people can read them. */
function rulesOf({ enum: values, items, format, pattern = '', ...schema }: Schema): string[] {
  const isPlain = values === undefined && format !== 'date-time';
  return [
    values === undefined
      ? ''
      : `One of ${values
          .filter((each) => each !== null)
          .map((each) => `\`${each}\``)
          .join(', ')}.`,
    isPlain ? range(schema.minLength, schema.maxLength, ' characters') : '',
    range(schema.minimum, schema.maximum, ''),
    range(schema.minItems, schema.maxItems, ' items'),
    schema.uniqueItems === true ? 'None twice.' : '',
    ...(items?.enum === undefined ? [] : rulesOf(items)),
    pattern === '' || pattern.length > 26 || format !== undefined || /\[\^|\\x/.test(pattern)
      ? ''
      : `Matches \`${pattern}\`.`,
  ].filter((rule) => rule !== '');
}

function range(min = 0, max: number | undefined, unit: string): string {
  if (max === undefined) return '';
  const most = max.toLocaleString('en').replaceAll(',', ' ');
  if (max === Number.MAX_SAFE_INTEGER) return `From ${min}.`;
  if (min === max) return `Exactly ${min}${unit}.`;
  return min === 0 && unit !== '' ? `At most ${most}${unit}.` : `${min}–${most}${unit}.`;
}
