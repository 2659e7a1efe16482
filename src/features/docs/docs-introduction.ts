// The sections before the operations on the documentation page: first calls, sign-in, conventions, rates.
import { tokenSeconds } from '../../auth/jwt.ts';
import { sessionSecondsMax } from '../../auth/refresh-tokens.ts';
import { counted } from '../../base/counted.ts';
import { pageRowsDefault, pageRowsMax } from '../../http/lists/list.ts';
import { invalidStatusRule } from '../../http/responses/problem-types.ts';
import {
  bodyBytesMax,
  headerBytesMax,
  headerFieldsMax,
  urlBytesMax,
  idempotencySecondsMax,
  jsonDepthMax,
} from '../../http/connections/request-fields.ts';
import type { Rate, Rates } from '../../rates/limiter.ts';
import { sample } from './code-samples.ts';
import { curlCommand } from './docs-examples.ts';
import { definitions } from './docs-fields.ts';
import { parameterField, type DocsContext } from './docs-operation.ts';
import { html, inline, link, type Html } from '../../web/page-layout.ts';

export function introduction({ api, publicUrl, trust }: DocsContext): Html {
  const curl = `${curlCommand(trust)} -H 'Content-Type: application/json'`;
  const token = '-H "Authorization: Bearer $TOKEN"';
  const ada = '"email": "ada@example.com", "password": "correct horse battery staple"';
  const order = '"currency": "EUR", "items": [{"name": "Tea", "quantity": 2, "unitPrice": 9}]';
  const calls = [
    ['Sign up', [`${curl} ${publicUrl}/api/users \\`, `  -d '{"name": "Ada Lovelace", ${ada}}'`]],
    [
      'Sign in; the response has the token',
      [`${curl} ${publicUrl}/api/sessions \\`, `  -d '{${ada}}'`, 'TOKEN=… # its accessToken'],
    ],
    ['Create a customer', [`${curl} ${publicUrl}/customers ${token} \\`, `  -d '{"name": "Grace Hopper"}'`]],
    ['Place an order', [`${curl} ${publicUrl}/orders ${token} \\`, `  -d '{"customerId": 1, ${order}}'`]],
  ] as const;
  const samples = calls.map(([title, lines]) => sample(title, lines.join('\n')));
  return html`<section id="introduction" class="wide" tabindex="-1"><div class="about"><h1>orderly API</h1>
<p class="lead">Users, customers and orders, over HTTP and JSON.</p>
${'/console' in api.paths ? consoleNote : ''}
<p>The service is at <code>${publicUrl}</code>. Its ${link('/openapi.json', 'OpenAPI document')},
version ${api.info.version}, has the same content as this page, for programs.
Sign in below, and every operation can be tried where it is described.</p>
<p>A first order takes four calls.</p>${trustNote(trust)}</div>
<div class="calls">${samples}</div></section>
`;
}

const consoleNote = html`<p>People in the shop work in the ${link('/console', 'console')};
this page is for those who write programs.</p>`;

function trustNote(trust: DocsContext['trust']): Html {
  if (trust === 'a public certificate') return html``;
  return html`<p>The service made its certificate itself. <code>--cacert</code> lets curl trust it,
<code>verify</code> Python’s <code>requests</code>, and the environment variable
<code>NODE_EXTRA_CA_CERTS=data/tls/ca.pem</code> Node. Browsers warn, until they
${link('/certificate', 'trust it')}.</p>`;
}

export const signIn = html`<section id="sign-in" tabindex="-1"><h2>Sign in</h2>
<p>An access token goes into <code>Authorization: Bearer …</code>. It lasts ${tokenSeconds / 60} minutes;
its session, kept alive with the refresh token, up to ${sessionSecondsMax / 86_400} days.
Programs may send an API key as <code>X-API-Key</code> instead, narrowed to its scopes.
A request carries one credential, never two.</p>
<p class="noscript">Signing in here and trying operations needs JavaScript; everything else works without.</p>
<div id="sign-in-forms"><form id="sign-in-form"><h3>With a password</h3>
<div class="field"><label for="email">E-mail</label>
<input id="email" type="email" autocomplete="username" required></div>
<div class="field"><label for="password">Password</label>
<input id="password" type="password" autocomplete="current-password" required></div>
<div class="field" id="code-field" hidden><label for="code">One-time code or recovery code</label>
<input id="code" autocomplete="one-time-code" autocapitalize="off" spellcheck="false"></div>
<button>Sign in</button>
<p class="quiet">No user yet? ${link('#createUser', 'Sign up')}.</p></form>
<form id="key-form"><h3>With an API key</h3>
<div class="field"><label for="api-key">API key</label>
<input id="api-key" type="password" autocomplete="off" required pattern="ord_[0-9]+_[A-Za-z0-9_\\-]+"
title="An API key begins with ord_."></div>
<button>Use this key</button></form></div>
<p id="sign-in-outcome" class="outcome" role="status" tabindex="-1"></p>
<p class="quiet">Tokens and an API key are in this page’s memory alone: leaving or reloading it signs you
out.</p></section>
`;

export function conventions({ api, common }: DocsContext): Html {
  return html`<section id="conventions" tabindex="-1"><h2>Conventions</h2>
${definitions(rules)}
<div id="common-parameters" tabindex="-1"><div class="about"><h3>Common parameters and header fields</h3>
<p>Each operation names those that it takes.</p>
<dl class="fields">${common.map((each) => parameterField(each, api))}</dl></div></div></section>
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
      `${invalidStatusRule} ` +
      'Responses may get new members: ignore those that you don’t know.',
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
    `With an \`Idempotency-Key\` a change happens once: for ${idempotencySecondsMax / 3600} hours ` +
      'the same key and body get the first response again, marked as replayed.',
  ],
  [
    'Changes',
    'PATCH is JSON Merge Patch (RFC 7396): absent members stay, `null` removes. PUT replaces. ' +
      'Read-only members may be sent back as they are.',
  ],
  [
    'Finding a request again',
    'Every response has an `X-Request-Id`, your own if you sent one; ' +
      'problems repeat it as `requestId`, and so does the log.',
  ],
] as const;

/** The requests that each rate counts, by the name of the rate. */
const countedRequests: Readonly<Record<keyof Rates, string>> = {
  default: 'each user, API keys included',
  anonymous: 'each address without a credential, or with a bad one',
  created: 'creating, changing and deleting, without staff rights',
  loginAccount: 'signing in to one account from one address',
  loginAccountTotal: 'signing in to one account, from new addresses',
  loginAddress: 'signing in, signing up and changing passwords from one address',
  loginCode: 'trying one-time codes of one account',
};

export function limits(rates: Rates): Html {
  const names = Object.keys(countedRequests) as (keyof Rates)[]; // a record of rates has no other keys
  const rows = names.map(
    (name) => [policyName(name), rateSentence(rates[name], countedRequests[name])] as const,
  );
  const limit =
    '`RateLimit` says what is left of `RateLimit-Policy`: ' +
    '`r` requests now, the full quota after `t` seconds.';
  const past =
    'Beyond it the response is 429, and `Retry-After` says when to continue. `/health` is never limited.';
  return html`<section id="limits" tabindex="-1"><h2>Rates and limits</h2>${definitions(rows)}
<p>${inline(limit)}
${inline(past)}</p>
<p>A body has at most ${bodyBytesMax / 1024} KiB, nested ${jsonDepthMax} deep;
a URL ${urlBytesMax / 1024} KiB, and the header fields are at most ${headerFieldsMax}, of
${headerBytesMax / 1024} KiB in all.</p></section>
`;
}

/** `loginAccount` is the policy `login-account`. */
function policyName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function rateSentence(rate: Rate, requests: string): string {
  if (rate === undefined) return `Not limited: ${requests}.`;
  return `${counted(rate.requests, 'request')} in ${counted(rate.seconds, 'second')}, for ${requests}.`;
}
