// One operation on the documentation page: its input and output, sample calls, and a form to try it.
import { isDeepStrictEqual } from 'node:util';
import { callSample, foldedSample } from './code-samples.ts';
import { callOf, examplesOf, json, type Trust } from './docs-examples.ts';
import {
  codesOf,
  parametersOf,
  successOf,
  type ApiDocument,
  type Operation,
  type Parameter,
  type PlacedOperation,
} from './api-document.ts';
import { fieldOf, fieldsOf } from './docs-fields.ts';
import { html, link, prose, type Html } from '../../web/page-layout.ts';
import { tryForm } from './try-form.ts';

export type DocsContext = {
  readonly api: ApiDocument;
  readonly publicUrl: string;
  readonly trust: Trust;
  /** Problems that every operation can respond with, listed in one place. */
  readonly everywhere: ReadonlySet<string>;
  /** Parameters and header fields that many operations accept, also listed in one place. */
  readonly common: readonly Parameter[];
};

export function operationArticle(placed: PlacedOperation, context: DocsContext): Html {
  const { method, path, operation } = placed;
  const { operationId: id, summary } = operation;
  const parameters = parametersOf(operation, context.api);
  return html`<article id="${id}" tabindex="-1"><div class="about"><h3>${link(`#${id}`, summary)}</h3>
<p class="endpoint">${badge(method)} <code>${path}</code></p>
${prose(operation.description)}
${fieldLists(operation, parameters, context)}
<h4>Responses</h4>${responsesOf(operation, context)}</div>
<div class="calls">${samplesOf(placed, context)}
${tryForm(placed, { parameters, content: operation.requestBody?.content ?? {} })}</div></article>
`;
}

function fieldLists(
  { requestBody }: Operation,
  parameters: readonly Parameter[],
  { api, common }: DocsContext,
): Html {
  const [body] = Object.values(requestBody?.content ?? {});
  const isCommon = (parameter: Parameter): boolean =>
    common.some((each) => isDeepStrictEqual(each, parameter));
  const own = parameters.filter((each) => !isCommon(each)).map((each) => parameterField(each, api));
  const schema = body?.['x-line-schema'] ?? body?.schema;
  const bodyFields = schema === undefined ? [] : fieldsOf(schema, api, { side: 'request' });
  return html`${fieldList('Parameters', own)}${commonNames(parameters.filter(isCommon))}
${fieldList(body?.['x-line-schema'] === undefined ? 'Body' : 'Each line of the body', bodyFields)}`;
}

export function parameterField(
  { name, schema, required, in: place, description }: Parameter,
  api: ApiDocument,
): Html {
  return fieldOf(schema, api, { name, isRequired: required === true, place, description });
}

function commonNames(parameters: readonly Parameter[]): Html {
  if (parameters.length === 0) return html``;
  const names = parameters.map(({ name }, index) => html`${index === 0 ? '' : ', '}<code>${name}</code>`);
  return html`<p class="common">Also ${link('#common-parameters', 'common ones')}: ${names}.</p>`;
}

function fieldList(title: string, fields: readonly Html[]): Html {
  if (fields.length === 0) return html``;
  return html`<h4>${title}</h4><dl class="fields">${fields}</dl>`;
}

export function badge(method: string): Html {
  return html`<b class="method ${method.toLowerCase()}">${method}</b>`;
}

function samplesOf({ method, path, operation }: PlacedOperation, { publicUrl, trust }: DocsContext): Html {
  const { operationId: id, summary, requestBody } = operation;
  const [[type, body] = []] = Object.entries(requestBody?.content ?? {});
  const url = publicUrl + path.replaceAll('{name}', 'validation-failed').replaceAll(/\{\w+\}/g, '7');
  const call = callOf(operation, { method, url, type: type ?? 'application/json', body: body?.example });
  const [status, { content = {} }] = successOf(operation);
  const example = Object.values(content).find((media) => media.example !== undefined)?.example;
  const result = example === undefined ? '' : foldedSample(`Response ${status}`, json(example));
  return html`${callSample({ id, title: summary }, examplesOf(call, trust))}
${result}`;
}

function responsesOf({ responses }: Operation, { everywhere }: DocsContext): Html {
  const rows = Object.entries(responses).map(([status, response]) => {
    const codes = codesOf(response);
    const own = codes
      .filter((code) => !everywhere.has(code))
      .map((code) => html`${link(`/problems/${code}`, code)} `);
    return codes.length > 0 && own.length === 0
      ? ''
      : html`<div><dt>${status}</dt><dd>${codes.length === 0 ? response.description : own}</dd></div>`;
  });
  return html`<dl class="responses">${rows}</dl>
<p class="quiet">Also the problems that ${link('#everywhere', 'every operation')} can return.</p>`;
}
