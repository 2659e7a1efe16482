// One operation on the documentation page: what it takes and returns, a call with curl, and an example response.
import { html, link, prose, type Html } from '../../web/page-layout.ts';
import {
  codesOf,
  successOf,
  type ApiDocument,
  type Operation,
  type PlacedOperation,
} from './api-document.ts';
import { fieldsOf, jsonText, parameterField, codeSample } from './docs-fields.ts';

export type DocsContext = {
  readonly api: ApiDocument;
  readonly publicUrl: string;
  /** The command, with what makes it trust the service's own certificate. */
  readonly curl: string;
  /** Problems that every operation can respond with, listed in one place. */
  readonly everywhere: ReadonlySet<string>;
};

export function operationArticle(placed: PlacedOperation, context: DocsContext): Html {
  const { method, path, operation } = placed;
  const { operationId: id, summary, description } = operation;
  const [status, { content = {} }] = successOf(operation);
  const example = Object.values(content).find((media) => media.example !== undefined)?.example;
  return html`<article id="${id}" class="wide"><div><h3>${link(`#${id}`, summary)}</h3>
<p class="endpoint">${badge(method)} <code>${path}</code></p>
${prose(description)}
${fieldLists(operation, context)}
<h4>Responses</h4>${responsesOf(operation, context)}</div>
<div>${codeSample('curl', curlCommand(placed, context))}
${example === undefined ? '' : codeSample(`Response ${status}`, jsonText(example))}</div></article>
`;
}

export function badge(method: string): Html {
  return html`<b class="method ${method.toLowerCase()}">${method}</b>`;
}

function fieldLists({ parameters, requestBody }: Operation, { api }: DocsContext): Html {
  const own = parameters.filter(({ $ref }) => $ref === undefined).map((each) => parameterField(each, api));
  const shared = parameters.flatMap(({ $ref }) => $ref?.split('/').at(-1) ?? []);
  const names = shared.map((name, index) => html`${index === 0 ? '' : ', '}<code>${name}</code>`);
  const [body] = Object.values(requestBody?.content ?? {});
  const line = body?.['x-line-schema'];
  const schema = line ?? body?.schema;
  const fields = schema === undefined ? [] : fieldsOf(schema, api, { side: 'request' });
  return html`${fieldList('Parameters', own)}
${names.length === 0 ? '' : html`<p class="quiet">Also ${link('#header-fields', 'header fields')}: ${names}.</p>`}
${fieldList(line === undefined ? 'Body' : 'Each line of the body', fields)}`;
}

function fieldList(title: string, fields: readonly Html[]): Html {
  return fields.length === 0 ? html`` : html`<h4>${title}</h4><dl class="fields">${fields}</dl>`;
}

/** A line for a shell. The first object of each kind stands for all. */
function curlCommand({ method, path, operation }: PlacedOperation, { publicUrl, curl }: DocsContext): string {
  const [[type, body] = []] = Object.entries(operation.requestBody?.content ?? {});
  const target = path.replaceAll('{name}', 'validation-failed').replaceAll(/\{\w+\}/g, '1');
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined);
  const parts = [`${curl}${isImplied ? '' : ` -X ${method}`} ${publicUrl}${target}`];
  const { security } = operation;
  const needsToken = security.length > 0 && security.every((each) => Object.keys(each).length > 0);
  if (needsToken) parts.push('-H "Authorization: Bearer $TOKEN"');
  if (body !== undefined) {
    const text = typeof body.example === 'string' ? body.example : jsonText(body.example);
    const flag = typeof body.example === 'string' ? '--data-binary' : '-d'; // -d would remove line breaks
    parts.push(`-H 'Content-Type: ${type}'`, `${flag} '${text.replaceAll("'", "'\\''")}'`);
  }
  return parts.join(' \\\n  ');
}

function responsesOf({ responses }: Operation, { everywhere }: DocsContext): Html {
  const rows = Object.entries(responses).map(([status, response]) => {
    const codes = codesOf(response);
    const own = codes
      .filter((code) => !everywhere.has(code))
      .map((code) => html`${link(`/problems/${code}`, code)} `);
    if (codes.length > 0 && own.length === 0) return '';
    return html`<div><dt>${status}</dt><dd>${codes.length === 0 ? response.description : own}</dd></div>`;
  });
  return html`<dl class="responses">${rows}</dl>
<p class="quiet">Also the problems that ${link('#everywhere', 'every operation')} can return.</p>`;
}
