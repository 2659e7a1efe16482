// The documentation page: the OpenAPI document for people.
import { tokenSeconds } from '../../auth/jwt.ts';
import { sessionSecondsMax } from '../../auth/refresh-tokens.ts';
import { listed } from '../../base/message-words.ts';
import { idempotencySecondsMax } from '../../http/connections/request-fields.ts';
import { pageRowsDefault, pageRowsMax } from '../../http/lists/list.ts';
import { invalidStatusRule } from '../../http/responses/problem-types.ts';
import { html, inline, link, pageOf, type Html, type Page } from '../../web/page-layout.ts';
import { correctableStatuses, stages } from '../orders/order-status.ts';
import {
  codesEverywhere,
  follow,
  operationsOf,
  successOf,
  type ApiDocument,
  type PlacedOperation,
} from './api-document.ts';
import { definitions, fieldsOf, jsonText, parameterField, codeSample } from './docs-fields.ts';
import { badge, operationArticle, type DocsContext } from './docs-operation.ts';
import { problemList } from './problem-page.ts';

type DocsOptions = Pick<DocsContext, 'publicUrl' | 'curl'>;
/** The operations of a tag; each tag has its own section. */
type OperationGroup = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly operations: readonly PlacedOperation[];
};

/** Creates the page in several turns of the event loop, since it takes tens of milliseconds. */
export function* docsPage(document: object, options: DocsOptions): Generator<void, Page> {
  const api = document as ApiDocument; // openapi.ts creates this shape, and the tests read all of it
  const context = { ...options, api, everywhere: codesEverywhere(api) };
  yield;
  const operations = operationsOf(api);
  const groups = api.tags.map(({ name, description }) => ({
    id: name.toLowerCase().replace(' ', '-'),
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const sections: Html[] = [];
  for (const group of groups) {
    const articles: Html[] = [];
    for (const each of group.operations) {
      articles.push(operationArticle(each, context));
      yield;
    }
    sections.push(html`<section id="${group.id}"><h2>${group.name}</h2>
<p>${inline(group.description)}</p>
${group.name === 'Orders' ? orderStates : ''}
${resources(group.operations, api)}${articles}</section>
`);
  }
  const main = html`${introduction(context)}${conventions(context)}
${sections}${problems(context)}`;
  yield;
  return pageOf({ title: 'orderly API', contents: contentsOf(groups), main });
}

function contentsOf(groups: readonly OperationGroup[]): Html {
  const operation = ({ method, operation: { operationId, summary } }: PlacedOperation): Html =>
    html`<li>${link(`#${operationId}`, html`<span>${summary}</span> ${badge(method)}`)}</li>`;
  const group = ({ id, name, operations }: OperationGroup): Html =>
    html`<li>${link(`#${id}`, name)}<ul>${operations.map(operation)}</ul></li>`;
  return html`<ul><li>${link('#introduction', 'Introduction')}</li>
<li>${link('#conventions', 'Conventions')}</li>
${groups.map(group)}
<li>${link('#problems', 'Problem types')}</li></ul>`;
}

function introduction({ api, publicUrl, curl }: DocsContext): Html {
  const start = `${curl} -H 'Content-Type: application/json'`;
  const token = '-H "Authorization: Bearer $TOKEN"';
  const ada = '"email": "ada@example.com", "password": "correct horse battery staple"';
  const order = '"currency": "EUR", "items": [{"name": "Tea", "quantity": 2, "unitPrice": 749}]';
  const document = `${publicUrl}/openapi.json`;
  return html`<section id="introduction" class="wide"><div>${'/console' in api.paths ? consoleLink : ''}
<h1>orderly API</h1>
<p class="lead">Users, customers and orders, over HTTP and JSON.</p>
<p>The service is at <code>${publicUrl}</code>. This page shows its OpenAPI document, version ${api.info.version}.
To try operations, or to generate a client, open that document in the program that you use:
${link('/openapi.json', document)}, or ${downloadLink} for one that reads files.</p>
${curl === 'curl' ? '' : trustNote}
<p>An access token goes into <code>Authorization: Bearer …</code>. It lasts ${tokenSeconds / 60} minutes; its session,
kept alive with the refresh token, at most ${sessionSecondsMax / 86_400} days. Programs may send an API key as
<code>X-API-Key</code> instead, narrowed to its scopes. A request carries one credential, never two.</p></div>
<div>${codeSample('Sign up', `${start} ${publicUrl}/api/users \\\n  -d '{"name": "Ada Lovelace", ${ada}}'`)}
${codeSample(
  'Sign in; the response has the token',
  `${start} ${publicUrl}/api/sessions \\\n  -d '{${ada}}'\nTOKEN=… # its accessToken`,
)}
${codeSample('Create a customer', `${start} ${publicUrl}/customers ${token} \\\n  -d '{"name": "Grace Hopper"}'`)}
${codeSample('Place an order', `${start} ${publicUrl}/orders ${token} \\\n  -d '{"customerId": 1, ${order}}'`)}</div></section>
`;
}

const downloadLink = html`<a href="/openapi.json" download="orderly-openapi.json">its download</a>`;

/** The page is also at the root, which people in the shop open in a browser. */
const consoleLink = html`<p><a class="main" href="/console">Open the console</a></p>
<p>People in the shop work there; this page is for those who write programs.</p>
`;

const trustNote = html`<p>The service made its certificate itself. <code>--cacert</code> lets curl trust it,
<code>verify</code> Python’s <code>requests</code>, and the environment variable
<code>NODE_EXTRA_CA_CERTS=data/tls/ca.pem</code> Node. Browsers warn, until they ${link('/certificate', 'trust it')}.</p>
`;

function conventions({ api }: DocsContext): Html {
  return html`<section id="conventions"><h2>Conventions</h2>
${definitions(rules)}
<h3 id="header-fields">Header fields</h3>
<p>Each operation names those that it takes.</p>
<dl class="fields">${Object.values(api.components.parameters).map((each) => parameterField(each, api))}</dl></section>
`;
}

const rules = [
  [
    'Values',
    'An absent value is `null` in responses, never left out. Times are RFC 3339 in UTC, with milliseconds. ' +
      'Money is an integer count of the currency’s minor unit, cents for euros.',
  ],
  [
    'Strictness',
    'Unknown members, wrong types and values out of range are rejected, with `errors` naming every place. ' +
      `${invalidStatusRule} Responses may get new members: ignore those that you don’t know.`,
  ],
  [
    'Lists',
    `A page has ${pageRowsDefault} elements in \`data\`, up to ${pageRowsMax} with \`limit\`. ` +
      'Follow `next`, or the `Link` header, until it is `null`; `total=true` counts them all.',
  ],
  [
    'Versions of objects',
    'Every object has a strong `ETag`. With `If-None-Match` the response for an unchanged one is 304; ' +
      'with `If-Match` a change is rejected with 412 if somebody else has changed the object since.',
  ],
  [
    'Repeating safely',
    'After a broken connection, a 429 or a 503, repeat the request; `Retry-After` has the seconds to wait. ' +
      `With an \`Idempotency-Key\` a change happens once: for ${idempotencySecondsMax / 3600} hours ` +
      'the same key and body get the first response again, marked as replayed.',
  ],
  [
    'Changes',
    'PATCH is JSON Merge Patch (RFC 7396): absent members stay, `null` removes. PUT replaces. ' +
      'Read-only members may be sent back as they are.',
  ],
  [
    'Rates',
    'What counts against a rate has `RateLimit`: `r` requests are left of the quota `q` in `RateLimit-Policy`, and all of ' +
      'them after `t` seconds. Beyond it the response is 429, and `Retry-After` says when to continue.',
  ],
  [
    'Finding a request again',
    'Every response has an `X-Request-Id`, your own if you sent one; ' +
      'problems repeat it as `requestId`, and so does the log.',
  ],
] as const;

const orderStates = html`<h3 id="order-states">Statuses of an order</h3>
<dl class="fields">${Object.entries(stages).map(([status, { next }]) => {
  const steps = next.map((each, index) => html`${index === 0 ? 'then ' : ' or '}<code>${each}</code>`);
  return html`<div><dt><code>${status}</code></dt><dd>${next.length === 0 ? 'final' : steps}</dd></div>`;
})}</dl>
<p>An owner may cancel an order of theirs while it is open; the other steps need staff. Staff may also take
${listed(correctableStatuses, 'and')} back by one step, with a <code>reason</code>. Any other step is a
${link('/problems/invalid-transition', '409 invalid-transition')} that says which are allowed.</p>
`;

/** Describes the resources that the group's operations return. */
function resources(operations: readonly PlacedOperation[], api: ApiDocument): Html {
  const found = new Map<string, unknown>();
  for (const { operation } of operations)
    for (const { schema, example } of Object.values(successOf(operation)[1].content ?? {})) {
      const element = follow(api, schema).properties?.['data']?.items;
      const { $ref } = element ?? schema;
      // the example of a list is a page of elements
      const [first] = element === undefined ? [example] : (example as { data: unknown[] }).data;
      if ($ref !== undefined && !found.has($ref)) found.set($ref, first);
    }
  const described = [...found].map(([$ref, example]) => {
    const name = $ref.replace('#/components/schemas/', '');
    return html`<div class="wide" id="schema-${name}"><div><h3>${name}</h3>
<dl class="fields">${fieldsOf({ $ref }, api, { side: 'response' })}</dl></div>
<div>${codeSample('Example', jsonText(example))}</div></div>
`;
  });
  return html`${described}`;
}

function problems({ api, everywhere }: DocsContext): Html {
  const codes = [...everywhere].map(
    (code, index) => html`${index === 0 ? '' : ', '}${link(`/problems/${code}`, code)}`,
  );
  return html`<section id="problems"><h2>Problem types</h2>
<div class="wide"><div><p>Every response of 400 and above is a problem document (RFC 9457),
<code>application/problem+json</code>. Branch on its <code>code</code>, which stays the same; <code>type</code> leads to
one of these pages, and <code>detail</code> is a sentence for people. Each of <code>errors</code> has its place: a
<code>pointer</code> into the body, a <code>parameter</code> or a <code>header</code>.</p>
<p id="everywhere">Every operation can return ${codes}.</p></div>
<div>${codeSample('Example', jsonText(api.components.examples['validation-failed']?.value))}</div></div>
${problemList}</section>
`;
}
