// The documentation page: the OpenAPI document for people, with forms that try it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { counted } from '../counted.ts';
import type { Rate } from '../http/rate-limit.ts';
import {
  bodyBytesMax,
  headerBytesMax,
  idempotencySecondsMax,
  jsonDepthMax,
  pageRowsDefault,
  pageRowsMax,
  sessionSecondsMax,
  tokenSeconds,
  urlBytesMax,
} from '../limits.ts';
import {
  follow,
  kindsEverywhere,
  operationsOf,
  successOf,
  type Description,
  type Placed,
} from './docs-description.ts';
import { json } from './docs-examples.ts';
import { definitions, fieldsOf } from './docs-fields.ts';
import { badge, operationArticle, sample, type Setting } from './docs-operation.ts';
import { docsScript } from './docs-script.ts';
import { orderDiagram, type Steps } from './order-diagram.ts';
import { html, inline, link, pageOf, type Html, type Page } from './page-layout.ts';
import { problemList } from './problem-page.ts';

type DocsOptions = {
  readonly document: object;
  readonly publicUrl: string;
  readonly rates: Readonly<
    Record<
      | 'default'
      | 'anonymous'
      | 'loginAccount'
      | 'loginAccountTotal'
      | 'loginAddress'
      | 'loginCode'
      | 'created',
      Rate
    >
  >;
  readonly steps: Steps;
  readonly isSelfSigned: boolean;
};

/** The operations of a tag, in a section of their own. */
type Group = { readonly id: string; readonly name: string; readonly operations: readonly Placed[] };

/** Made in several turns of the event loop, since all of it takes tens of milliseconds. */
export async function docsPage({
  document,
  publicUrl,
  rates,
  steps,
  isSelfSigned,
}: DocsOptions): Promise<Page> {
  const description = document as Description; // openapi.ts makes it so, and the tests read all of it
  const setting: Setting = {
    description,
    publicUrl,
    curl: isSelfSigned ? 'curl --cacert data/tls/cert.pem' : 'curl',
    everywhere: kindsEverywhere(description),
  };
  const groups = description.tags.map(({ name, description: says }) => {
    const operations = operationsOf(description).filter(({ operation }) => operation.tags.includes(name));
    return { id: name.toLowerCase().replace(' ', '-'), name, says, operations };
  });
  const sections: Html[] = [];
  for (const { id, name, says, operations } of groups) {
    await nextTurn();
    const states = name === 'Orders' ? orderStates(steps) : '';
    const articles = operations.map((each) => operationArticle(each, setting));
    sections.push(html`<section id="${id}"><h2>${name}</h2><p>${inline(says)}</p>${states}
${resources(operations, description)}${articles}</section>
`);
  }
  await nextTurn();
  const main = html`${introduction(setting)}${signIn}${conventions}${limits(rates)}
${sections}${problemSection(setting)}`;
  return pageOf({
    title: 'orderly API',
    contents: contentsOf(groups),
    account,
    main,
    script: `(${docsScript.toString()})();`,
  });
}

function contentsOf(groups: readonly Group[]): Html {
  const entry = (id: string, text: string | Html, inner: Html | '' = ''): Html =>
    html`<li>${link(`#${id}`, text)}${inner}</li>`;
  const operation = ({ method, operation: { operationId, summary } }: Placed): Html =>
    entry(operationId, html`<span>${summary}</span> ${badge(method)}`);
  const group = ({ id, name, operations }: Group): Html =>
    entry(id, name, html`<ul>${operations.map(operation)}</ul>`);
  return html`<ul>${entry('introduction', 'Introduction')}
${entry('sign-in', 'Sign in')}
${entry('conventions', 'Conventions')}
${entry('limits', 'Rates and limits')}
${groups.map(group)}
${entry('problems', 'Problem types')}</ul>`;
}

const account = html`<p class="account"><span id="who" role="status"></span>
<a id="sign-in-link" href="#sign-in">Sign in</a>
<button type="button" id="sign-out" hidden>Sign out</button></p>`;

function introduction({ description, publicUrl, curl }: Setting): Html {
  const token = '-H "Authorization: Bearer $TOKEN"';
  const ada = '"email": "ada@example.com", "password": "correct horse battery staple"';
  const order = '"currency": "EUR", "items": [{"name": "Tea", "quantity": 2, "unitPrice": 9}]';
  const calls = [
    ['Sign up', [`${curl} ${publicUrl}/api/users \\`, `  --json '{"name": "Ada Lovelace", ${ada}}'`]],
    [
      'Sign in; the answer has the token',
      [`${curl} ${publicUrl}/api/sessions \\`, `  --json '{${ada}}'`, 'TOKEN=… # its accessToken'],
    ],
    [
      'Make a customer',
      [`${curl} ${publicUrl}/customers ${token} \\`, `  --json '{"name": "Grace Hopper"}'`],
    ],
    ['Place an order', [`${curl} ${publicUrl}/orders ${token} \\`, `  --json '{"customerId": 1, ${order}}'`]],
  ] as const;
  const samples = calls.map(([title, lines]) => sample(title, lines.join('\n'), title, 'open'));
  const trust =
    curl === 'curl'
      ? ''
      : html`The certificate that the service made for itself is in its data folder, and
<code>--cacert</code> tells curl to trust it.`;
  return html`<section id="introduction" class="wide"><div class="about"><h1>orderly API</h1>
<p class="lead">Users, customers and orders, over HTTP and JSON.</p>
<p>The service is at <code>${publicUrl}</code>. Its ${link('/openapi.json', 'OpenAPI document')},
version ${description.info.version}, says the same as this page to programs.
Sign in below, and every operation can be tried where it is described.</p>
<p>A first order takes four calls. ${trust}</p></div>
<div class="calls">${samples}</div></section>
`;
}

const signIn = html`<section id="sign-in"><h2>Sign in</h2>
<p>An access token goes into <code>Authorization: Bearer …</code>. It lasts ${tokenSeconds / 60} minutes;
its session, kept alive with the refresh token, up to ${sessionSecondsMax / 86_400} days.
Programs may send an API key as <code>X-API-Key</code> instead, narrowed to its scopes.
A request carries one credential, never two.</p>
<p class="noscript">Signing in here and trying operations needs JavaScript; all else on this page doesn’t.</p>
<form id="sign-in-form">
<div class="field"><label for="email">E-mail</label>
<input id="email" type="email" autocomplete="username" required></div>
<div class="field"><label for="password">Password</label>
<input id="password" type="password" autocomplete="current-password" required></div>
<button>Sign in</button>
<p class="quiet">The token stays in this page’s memory and goes with it.
No user yet? ${link('#createUser', 'Sign up')}.</p></form>
<p id="sign-in-outcome" class="outcome" role="status" tabindex="-1"></p></section>
`;

const conventions = html`<section id="conventions"><h2>Conventions</h2>${definitions([
  [
    'Values',
    'What is absent is `null` in answers, never left out. Times are RFC 3339 in UTC, with milliseconds. ' +
      'Money is an integer count of the currency’s minor unit, cents for euros.',
  ],
  [
    'Strictness',
    'Unknown members, wrong types and values out of range are refused, with `errors` naming every place: ' +
      'as 400 under `/api`, as 422 under `/orders` and `/customers`.',
  ],
  [
    'Lists',
    `A page has ${pageRowsDefault} elements in \`data\`, up to ${pageRowsMax} with \`limit\`. ` +
      'Follow `next`, or the `Link` header, until it is `null`; `total=true` counts them all.',
  ],
  [
    'Versions of objects',
    'Every object has a strong `ETag`. With `If-None-Match` an unchanged one is answered by 304; ' +
      'with `If-Match` a change is refused with 412 when somebody else was faster.',
  ],
  [
    'Repeating safely',
    `With an \`Idempotency-Key\` a change happens once: for ${idempotencySecondsMax / 3600} hours ` +
      'the same key and body get the first answer again, marked as replayed.',
  ],
  [
    'Changes',
    'PATCH is JSON Merge Patch (RFC 7396): what is left out stays, `null` removes. PUT replaces. ' +
      'Read-only members may be sent back as they are.',
  ],
  [
    'Finding a request again',
    'Every answer has an `X-Request-Id`, your own if you sent one; ' +
      'problems repeat it as `requestId`, and so does the log.',
  ],
])}</section>
`;

function limits(rates: DocsOptions['rates']): Html {
  const {
    default: own,
    anonymous,
    loginAccount,
    loginAccountTotal,
    loginAddress,
    loginCode,
    created,
  } = rates;
  const says = (rate: Rate, counts: string): string =>
    rate === undefined
      ? `Not limited: ${counts}.`
      : `${counted(rate.requests, 'request')} in ${counted(rate.seconds, 'second')}, for ${counts}.`;
  const limit =
    '`RateLimit` says what is left of `RateLimit-Policy`: ' +
    '`r` requests now, all of them again after `t` seconds.';
  const past = 'Past it the answer is 429, and `Retry-After` says when to go on. `/health` is never limited.';
  return html`<section id="limits"><h2>Rates and limits</h2>${definitions([
    ['default', says(own, 'each user and each API key')],
    ['anonymous', says(anonymous, 'each address without a credential, or with a bad one')],
    ['created', says(created, 'making users, customers, orders and keys, without staff rights')],
    ['login-account', says(loginAccount, 'signing in to one account from one address')],
    ['login-account-total', says(loginAccountTotal, 'failing to sign in to one account, from new addresses')],
    ['login-address', says(loginAddress, 'signing in, signing up and changing passwords from one address')],
    ['login-code', says(loginCode, 'trying wrong one-time codes of one account')],
  ])}
<p>${inline(limit)}
${inline(past)}</p>
<p>A body has at most ${bodyBytesMax / 1024} KiB, nested ${jsonDepthMax} deep;
a URL ${urlBytesMax / 1024} KiB, and the header fields ${headerBytesMax / 1024} KiB in all.</p></section>
`;
}

function orderStates(steps: Steps): Html {
  return html`<h3 id="order-states">States of an order</h3>${orderDiagram(steps)}
<p>An owner may cancel an order of theirs while it is open; the other steps need staff.
Any step that isn’t drawn is a ${link('/problems/invalid-transition', '409 invalid-transition')}
that says which are allowed.</p>`;
}

/** What the group's operations answer with. */
function resources(operations: readonly Placed[], description: Description): Html {
  const answers = operations.flatMap(({ operation }) => Object.values(successOf(operation)[1].content ?? {}));
  const resources = new Map<string, unknown>();
  for (const { schema, example } of answers) {
    const isPage = follow(description, schema).properties?.['data'] !== undefined;
    if (schema.$ref !== undefined && !isPage) resources.set(schema.$ref, example);
  }
  return html`${[...resources].map(([$ref, example]) => resource($ref, example, description))}`;
}

function resource($ref: string, example: unknown, description: Description): Html {
  const name = $ref.replace('#/components/schemas/', '');
  return html`<div class="wide"><div class="about"><h3>${name}</h3>
<dl class="fields">${fieldsOf({ $ref }, description, 'answer')}</dl></div>
<div class="calls">${sample('For example', json(example), $ref, 'open')}</div></div>`;
}

function problemSection({ description, everywhere }: Setting): Html {
  const kinds = [...everywhere].map(
    (kind, index) => html`${index === 0 ? '' : ', '}${link(`/problems/${kind}`, kind)}`,
  );
  const example = json(description.components.examples['validation-failed']?.value);
  return html`<section id="problems"><h2>Problem types</h2>
<div class="wide"><div class="about"><p>Every answer of 400 and above is a problem document (RFC 9457),
<code>application/problem+json</code>. Its <code>type</code> leads to one of these pages.</p>
<p id="everywhere">Every operation can answer with ${kinds}.</p></div>
<div class="calls">${sample('For example', example, 'problem', 'open')}</div></div>${problemList}</section>
`;
}
