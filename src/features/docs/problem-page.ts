// The pages of problem types, for people.
import { problemTypes } from '../../http/responses/problem-types.ts';
import { problemCodes, type ProblemCode } from '../../problem.ts';
import { html, inline, link, pageOf, type Html, type Page } from '../../web/page-layout.ts';
import type { ApiDocument } from './api-document.ts';
import { jsonText, codeSample } from './docs-fields.ts';

export const problemList = html`<dl class="fields" id="problem-list">${problemCodes.map(problemRow)}</dl>`;

function problemRow(code: ProblemCode): Html {
  const { status, about } = problemTypes[code];
  const name = link(`/problems/${code}`, html`<code>${code}</code>`);
  return html`<div><dt id="problem-${code}">${name} <span>${status}</span></dt>
<dd>${inline(about)}</dd></div>`;
}

/** One problem type, or all of them. */
export function problemPage(code: ProblemCode | undefined, document: object): Page {
  if (code === undefined)
    return pageOf({
      title: 'Problem types · orderly API',
      contents: contentsFor(code),
      main: html`<section><h1>Problem types</h1>${problemList}</section>`,
    });
  const { title, status, about } = problemTypes[code];
  const api = document as ApiDocument; // openapi.ts creates this shape, and the tests read all of it
  const example = jsonText(api.components.examples[code]?.value);
  const main = html`<section>
<p class="endpoint"><b class="method problem">${status}</b> <code>${code}</code></p>
<h1>${title}</h1><p class="lead">${inline(about)}</p>
${codeSample('Example', example)}</section>`;
  return pageOf({ title: `${title} · orderly API`, contents: contentsFor(code), main });
}

function contentsFor(code: ProblemCode | undefined): Html {
  const entries = problemCodes.map((each) => {
    const current = each === code ? html` aria-current="page"` : '';
    const text = html`<span>${each}</span> <small>${problemTypes[each].status}</small>`;
    return html`<li><a href="/problems/${each}"${current}>${text}</a></li>`;
  });
  return html`<ul><li>${link('/docs', 'API documentation')}</li>
<li>${link('/problems', 'Problem types')}<ul>${entries}</ul></li></ul>`;
}
