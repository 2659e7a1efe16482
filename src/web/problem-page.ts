// The pages of problem types, for people.
import { kinds, type Kind } from '../errors.ts';
import { problems } from '../http/problem.ts';
import { follow, kindsEverywhere, kindsOf, operationsOf, type Description } from './docs-description.ts';
import { sample } from './docs-operation.ts';
import { html, link, pageOf, inline, type Html, type Page } from './page-layout.ts';

export const problemTable = html`<dl class="fields">${kinds.map((kind) => html`<div><dt>${link(`/problems/${kind}`, html`<code>${kind}</code>`)} <span>${problems[kind].status}</span></dt>
<dd>${inline(problems[kind].about)}</dd></div>
`)}</dl>`;

/** One problem type, or all of them. `document` is what `openapiDocument` made. */
export function problemPage(kind: Kind | undefined, document: object): Page {
  const description = document as Description; // it says so itself: docs-page.test.ts reads all of it
  const contents = html`<ul><li>${link('/docs', 'API documentation')}</li><li>${link('/problems', 'Problem types')}<ul>${kinds.map((each) => html`<li><a href="/problems/${each}"${each === kind ? html` aria-current="page"` : ''}><span>${each}</span> <b>${problems[each].status}</b></a></li>`)}</ul></li></ul>`;
  if (kind === undefined) return pageOf({ title: 'Problem types · orderly API', contents, main: html`<section><h1>Problem types</h1>${problemTable}</section>` });
  const { title, status, about } = problems[kind];
  const main = html`<section><p class="endpoint"><b class="method problem">${status}</b> <code>${kind}</code></p><h1>${title}</h1><p class="lead">${inline(about)}</p>
${sample('Such as', JSON.stringify(description.components.examples[kind]?.value, null, 2), '', 'open')}<h2>Where</h2>${placesOf(kind, description)}</section>`;
  return pageOf({ title: `${title} · orderly API`, contents, main });
}

function placesOf(kind: Kind, description: Description): Html {
  if (kindsEverywhere(description).has(kind)) return html`<p>Every operation can answer with it.</p>`;
  const found = operationsOf(description).filter(({ operation }) => Object.values(operation.responses).some((each) => kindsOf(follow(description, each)).includes(kind)));
  if (found.length === 0) return html`<p>Of paths as a whole, not of one operation.</p>`;
  return html`<ul>${found.map(({ method, path, operation }) => html`<li>${link(`/docs#${operation.operationId}`, operation.summary)} <code>${method} ${path}</code></li>`)}</ul>`;
}
