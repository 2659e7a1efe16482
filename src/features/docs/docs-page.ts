// The documentation page: the OpenAPI document for people, with forms to try its operations.
import type { Rates } from '../../rates/limiter.ts';
import { listed } from '../../base/listed.ts';
import { sample } from './code-samples.ts';
import {
  commonParameters,
  follow,
  codesEverywhere,
  operationsOf,
  successOf,
  type ApiDocument,
  type PlacedOperation,
} from './api-document.ts';
import { json } from './docs-examples.ts';
import { fieldsOf } from './docs-fields.ts';
import { changelog, guides, guideSection } from './docs-guides.ts';
import { conventions, introduction, limits, signIn } from './docs-introduction.ts';
import { badge, operationArticle, type DocsContext } from './docs-operation.ts';
import { docsScript } from './docs-script.ts';
import { orderDiagram, type Steps } from './order-diagram.ts';
import { html, inline, link, pageOf, type Html, type Page } from '../../web/page-layout.ts';
import { problemList } from './problem-page.ts';

export type DocsOptions = {
  readonly document: object;
  readonly publicUrl: string;
  readonly rates: Rates;
  readonly steps: Steps;
  /** The states that staff may take back by one step. */
  readonly correctable: readonly string[];
  readonly isSelfSigned: boolean;
};

/** The operations of a tag; each tag has its own section. */
type Group = { readonly id: string; readonly name: string; readonly operations: readonly PlacedOperation[] };

/** Creates the page in several turns of the event loop, since it takes tens of milliseconds. */
export function* docsPage({
  document,
  publicUrl,
  rates,
  steps,
  correctable,
  isSelfSigned,
}: DocsOptions): Generator<void, Page> {
  const api = document as ApiDocument; // openapi.ts creates this shape, and the tests read all of it
  const context: DocsContext = {
    api,
    publicUrl,
    trust: isSelfSigned ? 'its own certificate' : 'a public certificate',
    everywhere: codesEverywhere(api),
    common: commonParameters(api),
  };
  yield;
  const groups = api.tags.map(({ name, description }) => {
    const operations = operationsOf(api).filter(({ operation }) => operation.tags.includes(name));
    return { id: name.toLowerCase().replace(' ', '-'), name, description, operations };
  });
  const sections: Html[] = [];
  for (const { id, name, description, operations } of groups) {
    yield;
    const states = name === 'Orders' ? orderStates(steps, correctable) : '';
    const articles: Html[] = [];
    for (const each of operations) {
      articles.push(operationArticle(each, context));
      yield;
    }
    sections.push(html`<section id="${id}" tabindex="-1"><h2>${name}</h2>
<p>${inline(description)}</p>${states}
${resources(operations, api)}${articles}</section>
`);
  }
  const opening = html`${introduction(context)}${signIn}${conventions(context)}${limits(rates)}
${guideSection()}`;
  yield;
  const main = html`${opening}
${sections}${problemSection(context)}${changelog}`;
  yield;
  const page = pageOf({
    title: 'orderly API',
    contents: contentsOf(groups),
    tools,
    main,
    dialogs,
    script: docsScript,
  });
  return page;
}

function contentsOf(groups: readonly Group[]): Html {
  const entry = (id: string, text: string | Html, inner: Html | '' = ''): Html =>
    html`<li>${link(`#${id}`, text)}${inner}</li>`;
  const operation = ({ method, operation: { operationId, summary } }: PlacedOperation): Html =>
    entry(operationId, html`<span>${summary}</span> ${badge(method)}`);
  const group = ({ id, name, operations }: Group): Html =>
    entry(id, name, html`<ul>${operations.map(operation)}</ul>`);
  return html`<ul>${entry('introduction', 'Introduction')}
${entry('sign-in', 'Sign in')}
${entry('conventions', 'Conventions')}
${entry('limits', 'Rates and limits')}
${entry('guides', 'Guides', html`<ul>${guides.map(({ id, title }) => entry(id, title))}</ul>`)}
${groups.map(group)}
${entry('problems', 'Problem types')}
${entry('changelog', 'Changelog')}</ul>`;
}

const tools = html`<a class="aside" href="/openapi.json" download="orderly-openapi.json">Download OpenAPI</a>
<p class="account"><span id="who" role="status"></span>
<a id="sign-in-link" href="#sign-in">Sign in</a>
<button type="button" id="sign-out" hidden>Sign out</button></p>`;

const dialogs = html`<dialog id="confirm" aria-labelledby="confirm-title"><h2 id="confirm-title">Delete?</h2>
<p><code id="confirm-request"></code></p><p>This can’t be undone.</p>
<button type="button" id="confirm-no">Cancel</button>
<button type="button" id="confirm-yes" class="danger">Delete</button></dialog>
<p id="announcement" class="hidden" role="status"></p>`;

function orderStates(steps: Steps, correctable: readonly string[]): Html {
  return html`<h3 id="order-states" tabindex="-1">States of an order</h3>${orderDiagram(steps)}
<p>An owner may cancel an order of theirs while it is open; the other steps need staff. Staff may also take
${listed(correctable, 'and')} back by one step, with a <code>reason</code>. Any other step is a ${link('/problems/invalid-transition', '409 invalid-transition')}
that says which are allowed.</p>`;
}

/** Describes the resources that the group's operations return. */
function resources(operations: readonly PlacedOperation[], api: ApiDocument): Html {
  const responses = operations.flatMap(({ operation }) =>
    Object.values(successOf(operation)[1].content ?? {}),
  );
  const resources = new Map<string, unknown>();
  for (const { schema, example } of responses) {
    const element = follow(api, schema).properties?.['data']?.items;
    const { $ref } = element ?? schema;
    // the example of a list is a page of elements
    const [first] = element === undefined ? [example] : (example as { data: unknown[] }).data;
    if ($ref !== undefined && !resources.has($ref)) resources.set($ref, first);
  }
  return html`${[...resources].map(([$ref, example]) => resource($ref, example, api))}`;
}

function resource($ref: string, example: unknown, api: ApiDocument): Html {
  const name = $ref.replace('#/components/schemas/', '');
  return html`<div class="wide" id="schema-${name}" tabindex="-1"><div class="about"><h3>${name}</h3>
<dl class="fields">${fieldsOf({ $ref }, api, { side: 'response' })}</dl></div>
<div class="calls">${sample('Example', json(example))}</div></div>`;
}

function problemSection({ api, everywhere }: DocsContext): Html {
  const codes = [...everywhere].map(
    (code, index) => html`${index === 0 ? '' : ', '}${link(`/problems/${code}`, code)}`,
  );
  const example = json(api.components.examples['validation-failed']?.value);
  return html`<section id="problems" tabindex="-1"><h2>Problem types</h2>
<div class="wide"><div class="about"><p>Every response of 400 and above is a problem document (RFC 9457),
<code>application/problem+json</code>. Its <code>type</code> leads to one of these pages, and its
<code>code</code> is the name.</p>
<p id="everywhere" tabindex="-1">Every operation can return ${codes}.</p></div>
<div class="calls">${sample('Example', example)}</div></div>${problemList}</section>
`;
}
