// One operation on the documentation page: what it takes and answers, how it is called, and a form to try it.
import { callOf, curlExample, json, scriptExample } from './docs-examples.ts';
import {
  follow,
  kindsOf,
  successOf,
  type Description,
  type Operation,
  type Parameter,
  type Placed,
  type Schema,
} from './docs-description.ts';
import { fieldOf, fieldsOf } from './docs-fields.ts';
import { html, link, prose, type Html } from './page-layout.ts';

export type Setting = {
  readonly description: Description;
  readonly publicUrl: string;
  /** The command, with what it needs to trust the service. */
  readonly curl: string;
  /** Problems that every operation can respond with, listed in one place. */
  readonly everywhere: ReadonlySet<string>;
};
type Body = { readonly type: string; readonly schema: Schema; readonly example?: unknown };

export function operationArticle({ method, path, operation }: Placed, setting: Setting): Html {
  const { description, publicUrl, curl } = setting;
  const { operationId: id, summary, requestBody } = operation;
  const parameters = operation.parameters
    .map((each) => follow(description, each))
    .map((each) => ({ ...each, schema: follow(description, each.schema) }))
    .filter(({ name }) => name !== 'X-Request-Id'); // described once for all
  const [body] = Object.entries(requestBody?.content ?? {}).map(([type, media]) => ({ type, ...media }));
  const [status, { content = {} }] = successOf(operation);
  const example = Object.values(content).find((media) => media.example !== undefined)?.example;
  const call = callOf(operation, {
    method,
    url: publicUrl + path.replaceAll('{name}', 'validation-failed').replaceAll(/\{\w+\}/g, '7'),
    body: body?.example,
  });
  const deprecated = operation.deprecated === true ? html` <b class="method deprecated">deprecated</b>` : '';
  const parameterFields = parameters.map((each) => parameterField(each, description));
  const bodyFields = body === undefined ? [] : fieldsOf(body.schema, description, 'request');
  return html`<article id="${id}"><div class="about"><h3>${link(`#${id}`, summary)}</h3>
<p class="endpoint">${badge(method)} <code>${path}</code>${deprecated}</p>
${prose(operation.description)}
${fieldList('Parameters', parameterFields)}
${fieldList('Body', bodyFields)}
<h4>Answers</h4>${answers(operation, setting)}</div>
<div class="calls">${sample('curl', curlExample(call, curl), `${id}-call`, 'open')}
${sample('JavaScript', scriptExample(call), `${id}-call`)}
${example === undefined ? '' : sample(`Answer ${status}`, json(example), `${id}-answer`, 'open')}
${tryForm({ method, path, operation }, parameters, body)}</div></article>
`;
}

function fieldList(title: string, fields: readonly Html[]): Html {
  if (fields.length === 0) return html``;
  return html`<h4>${title}</h4><dl class="fields">${fields}</dl>`;
}

export function badge(method: string): Html {
  return html`<b class="method ${method.toLowerCase()}">${method}</b>`;
}

/** Of those in one group one is open at a time. Strings stand out, members' names don't. */
export function sample(
  title: string,
  code: string,
  group: string,
  state: 'open' | 'closed' = 'closed',
): Html {
  const colored = code
    .split(/("(?:[^"\\\n]|\\.)*":?)/)
    .map((part, index) => (index % 2 === 1 && !part.endsWith(':') ? html`<i>${part}</i>` : part));
  return html`<details class="sample" name="${group}"${state === 'open' ? html` open` : ''}>
<summary>${title}</summary><pre><code>${colored}</code></pre></details>`;
}

function parameterField(
  { name, schema, required, in: place, description: says }: Parameter,
  description: Description,
): Html {
  return fieldOf(name, schema, description, { isRequired: required === true, place, says });
}

function answers({ responses }: Operation, { description, everywhere }: Setting): Html {
  const rows = Object.entries(responses).map(([status, response]) => {
    const kinds = kindsOf(response, description);
    const own = kinds
      .filter((kind) => !everywhere.has(kind))
      .map((kind) => html`${link(`/problems/${kind}`, kind)} `);
    return kinds.length > 0 && own.length === 0
      ? ''
      : html`<div><dt>${status}</dt><dd>${kinds.length === 0 ? response.description : own}</dd></div>`;
  });
  return html`<dl class="answers">${rows}</dl>
<p class="quiet">And those that ${link('#everywhere', 'every operation')} can answer with.</p>`;
}

function tryForm(
  { method, path, operation: { operationId: id } }: Placed,
  parameters: readonly Parameter[],
  body: Body | undefined,
): Html {
  const inputs = parameters.map((each) => input(`${id}-${each.name}`, each));
  return html`<details class="try"><summary>Try it</summary><form data-method="${method}" data-path="${path}">
${inputs}
${body === undefined ? '' : bodyInput(`${id}-body`, body)}
<button>Send ${method}</button><p class="outcome" role="status"></p>
<div class="answer"></div></form></details>`;
}

function bodyInput(id: string, { type, example }: Body): Html {
  const text = json(example);
  const rows = Math.min(text.split('\n').length, 20);
  const marks = html`id="${id}" name="${type}" data-place="body"`;
  return html`<div class="field"><label for="${id}">Body <small>${type}</small></label>
<textarea ${marks} rows="${rows}" spellcheck="false" autocapitalize="off">
${text}</textarea></div>`;
}

function input(id: string, { name, in: place, required, schema }: Parameter): Html {
  const marks = html`id="${id}" name="${name}" data-place="${place}" aria-describedby="${id}-issue"`;
  const control = controlOf(schema, required === true ? html`${marks} required` : marks);
  return html`<div class="field"><label for="${id}">${name} <small>${place}</small></label>${control}
<p class="issue" id="${id}-issue"></p></div>`;
}

function controlOf(schema: Schema, marks: Html): Html {
  const values = schema.type === 'boolean' ? ['true', 'false'] : schema.enum;
  if (values === undefined)
    return html`<input ${marks} autocomplete="off" autocapitalize="off" spellcheck="false">`;
  const options = values.map((value) => html`<option>${value ?? 'null'}</option>`);
  return html`<select ${marks}><option value="">not sent</option>${options}</select>`;
}
