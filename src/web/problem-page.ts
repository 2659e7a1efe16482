// The pages of problem types, for people.
import { problemKinds, type ProblemKind } from '../problem.ts';
import { problems } from '../http/problem-kinds.ts';
import { kindsEverywhere, kindsOf, operationsOf, type Description } from './docs-description.ts';
import { sample } from './code-samples.ts';
import { json } from './docs-examples.ts';
import { html, inline, link, pageOf, type Html, type Page } from './page-layout.ts';

export const problemList = html`<dl class="fields" id="problem-list">${problemKinds.map(problemRow)}</dl>`;

function problemRow(kind: ProblemKind): Html {
  const { status, about } = problems[kind];
  const name = link(`/problems/${kind}`, html`<code>${kind}</code>`);
  return html`<div><dt id="problem-${kind}" tabindex="-1">${name} <span>${status}</span></dt>
<dd>${inline(about)}</dd></div>`;
}

/** One problem type, or all of them. */
export function problemPage(kind: ProblemKind | undefined, document: object): Page {
  if (kind === undefined)
    return pageOf({
      title: 'Problem types · orderly API',
      contents: contentsFor(kind),
      main: html`<section><h1>Problem types</h1>${problemList}</section>`,
    });
  const { title, status, about } = problems[kind];
  const description = document as Description; // openapi.ts makes it so, and the tests read all of it
  const example = json(description.components.examples[kind]?.value);
  const main = html`<section>
<p class="endpoint"><b class="method problem">${status}</b> <code>${kind}</code></p>
<h1>${title}</h1><p class="lead">${inline(about)}</p>
${sample('Example', example)}
<h2>Where</h2>${placesOf(kind, description)}</section>`;
  return pageOf({ title: `${title} · orderly API`, contents: contentsFor(kind), main });
}

function contentsFor(kind: ProblemKind | undefined): Html {
  const entries = problemKinds.map((each) => {
    const current = each === kind ? html` aria-current="page"` : '';
    const text = html`<span>${each}</span> <small>${problems[each].status}</small>`;
    return html`<li><a href="/problems/${each}"${current}>${text}</a></li>`;
  });
  return html`<ul><li>${link('/docs', 'API documentation')}</li>
<li>${link('/problems', 'Problem types')}<ul>${entries}</ul></li></ul>`;
}

function placesOf(kind: ProblemKind, description: Description): Html {
  if (kindsEverywhere(description).has(kind)) return html`<p>Every operation can return it.</p>`;
  const found = operationsOf(description).filter(({ operation }) =>
    Object.values(operation.responses).some((each) => kindsOf(each, description).includes(kind)),
  );
  if (found.length === 0) return html`<p>It concerns a path as a whole, not one operation.</p>`;
  const places = found.map(({ method, path, operation: { operationId, summary } }) => {
    const title = link(`/docs#${operationId}`, summary);
    return html`<li>${title} <code>${method} ${path}</code></li>`;
  });
  return html`<ul>${places}</ul>`;
}
