// The form that tries an operation: a field for each parameter, header field and body. The form is a
// template, which costs a browser next to nothing before it is opened.
import type { Content, Parameter, PlacedOperation, Schema } from './api-document.ts';
import { textOf } from './docs-examples.ts';
import { html, type Html } from '../../web/page-layout.ts';

type TryFormOptions = {
  /** The parameters, with all references resolved. */
  readonly parameters: readonly Parameter[];
  readonly content: Content;
};

export function tryForm(
  { method, path, operation }: PlacedOperation,
  { parameters, content }: TryFormOptions,
): Html {
  const { operationId: id, summary } = operation;
  const fields = parameters.map((each) => field(`${id}-${each.name}`, each));
  const [type, media] = Object.entries(content)[0] ?? [];
  const body = type === undefined ? '' : bodyField(`${id}-body`, type, media?.example);
  const name = html`<span class="hidden">: ${summary}</span>`;
  const marks = html`data-method="${method}" data-path="${path}" data-summary="${summary}"`;
  return html`<details class="try"><summary>Try it${name}</summary><template><form ${marks}>
${fields}
${body}
<button>Send ${method}${name}</button><p class="outcome" role="status"></p>
<div class="response"></div></form></template></details>`;
}

function bodyField(id: string, type: string, example: unknown): Html {
  const text = textOf(example);
  const rows = Math.min(text.split('\n').length, 20);
  const marks = html`id="${id}" name="${type}" data-place="body"`;
  return html`<div class="field"><label for="${id}">Body <small>${type}</small></label>
<textarea ${marks} rows="${rows}" spellcheck="false" autocapitalize="off">
${text}</textarea></div>`;
}

function field(id: string, { name, in: place, required, schema }: Parameter): Html {
  const marks = html`id="${id}" name="${name}" data-place="${place}" aria-describedby="${id}-issue"`;
  const isRequired = required === true;
  const note = isRequired ? html`${place}, <em>required</em>` : html`${place}`;
  const control = controlOf(schema, isRequired ? html`${marks} required` : marks);
  return html`<div class="field"><label for="${id}">${name} <small>${note}</small></label>${control}
<p class="issue" id="${id}-issue"></p></div>`;
}

/** Returns a list for the values of an enumeration, with multiple choice if the field is an array. */
function controlOf({ type, enum: values, items }: Schema, marks: Html): Html {
  if (items?.enum !== undefined) {
    const size = Math.min(items.enum.length, 4);
    return html`<select multiple size="${size}" ${marks}>${optionsOf(items.enum)}</select>`;
  }
  const choices = type === 'boolean' ? ['true', 'false'] : values;
  if (choices !== undefined)
    return html`<select ${marks}><option value="">not sent</option>${optionsOf(choices)}</select>`;
  const numeric = type === 'integer' ? html` inputmode="numeric"` : '';
  return html`<input ${marks}${numeric} autocomplete="off" autocapitalize="off" spellcheck="false">`;
}

function optionsOf(values: readonly (string | null)[]): Html {
  return html`${values.map((value) => html`<option>${value ?? 'null'}</option>`)}`;
}
