// Guides on the documentation page: common tasks of clients, each with a sample; and the changelog.
import { sample } from './code-samples.ts';
import { html, inline, link, type Html } from '../../web/page-layout.ts';
import { tokenSeconds } from '../../auth/jwt.ts';
import { idempotencySecondsMax } from '../../http/connections/request-fields.ts';

type Guide = { readonly id: string; readonly title: string; readonly text: Html; readonly code: Html };

export const guides: readonly Guide[] = [
  {
    id: 'guide-pages',
    title: 'Reading a whole list',
    text: html`
<p>Follow <code>next</code> until it is null. It is a path with its query: keep both as they are, since
a cursor belongs to its filters and its sort. A generated client passes the <code>cursor</code> of
<code>next</code> to the same operation, with the same parameters.</p>
<p>An object that exists throughout is seen exactly once, even if others are added meanwhile.</p>`,
    code: sample(
      'JavaScript',
      `let next = '/orders?status=open&limit=200';
while (next !== null) {
  const page = await get(base + next);
  for (const order of page.data) use(order);
  next = page.next;
}`,
    ),
  },
  {
    id: 'guide-retries',
    title: 'Retrying',
    text: html`
<p>Repeat a request after a broken connection, a 429 or a 503; <code>Retry-After</code> has the seconds to
wait. GET, PUT and DELETE are safe to repeat. Give the POST of an order, a customer, a product or a user,
and the PATCH of an order, an <code>Idempotency-Key</code>, and repeat it with the same bytes: for
${idempotencySecondsMax / 3600} hours the change happens once. Other statuses of 400 and above
stay as they are until the request changes.</p>`,
    code: sample(
      'JavaScript',
      `async function send(url, init, attempts = 5) {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const response = await fetch(url, init).catch(() => undefined);
    if (response !== undefined && ![429, 503].includes(response.status)) return response;
    const seconds = Number(response?.headers.get('Retry-After') ?? 2 ** attempt);
    await new Promise((done) => setTimeout(done, seconds * 1000));
  }
  throw new Error('The service is not available.');
}`,
    ),
  },
  {
    id: 'guide-refresh',
    title: 'Staying signed in',
    text: html`
<p>An access token lasts ${tokenSeconds / 60} minutes. Before it ends, or after a 401
${link('/problems/invalid-token', 'invalid-token')}, send the refresh token and store both new ones.</p>
<p>A refresh token is for one use: renew in one place of the program, and let its other parts wait for the
result. If a response is lost, or two tabs renew at the same time, repeat the request: the token just replaced
gets the same new one again, until that is used. Any other use of an old one ends the session, since it may have
been stolen.</p>
<p>Some changes need a recent sign-in: a 401 ${link('/problems/step-up-required', 'step-up-required')} asks
for the password again. An account with one-time codes needs a <code>code</code> to sign in:
${link('/problems/code-required', 'code-required')}. Programs without a person use an
${link('#createKey', 'API key')}.</p>`,
    code: sample(
      'JavaScript',
      `let renewal;
function renew() {
  renewal ??= refresh().finally(() => { renewal = undefined; });
  return renewal;
}
async function refresh() {
  const response = await fetch(\`\${base}/api/sessions/\${session.id}/tokens\`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ refreshToken: session.refreshToken }),
  });
  if (!response.ok) throw new Error('Sign in again.');
  session = await response.json();
}`,
    ),
  },
  {
    id: 'guide-cors',
    title: 'Calling from a web page (CORS)',
    text: html`
<p>Pages of other origins may call the service once the operator has named them, scheme and port included:
<code>--cors-origins https://shop.example</code>. The browser asks first (a preflight) and then lets the
page read the response and the header fields that matter, such as <code>ETag</code> and
<code>Retry-After</code>.</p>
<p>Credentials of other origins travel in header fields, never in cookies: leave <code>credentials</code> at
its default. If the browser reports a CORS error, look at the origin’s spelling first: no path, no slash at
the end.</p>`,
    code: sample(
      'JavaScript',
      `const response = await fetch('https://orders.example/orders', {
  headers: { Authorization: \`Bearer \${token}\` },
});
const version = response.headers.get('ETag');`,
    ),
  },
  {
    id: 'guide-errors',
    title: 'Handling errors by name',
    text: html`
<p>Branch on the problem’s <code>code</code>, which is the same on every server and in all versions;
<code>type</code> is the address of its page, and <code>detail</code> is a sentence for people that may
change. Each element of <code>errors</code> has its place: a <code>pointer</code> into the body, a
<code>parameter</code> or a <code>header</code>.</p>`,
    code: sample(
      'JavaScript',
      `const problem = await response.json();
switch (problem.code) {
  case 'validation-failed':
    for (const { pointer, detail } of problem.errors) showBeside(pointer, detail);
    break;
  case 'precondition-failed': // somebody else has changed it
    return readAgain();
  case 'invalid-transition':
    return offer(problem.allowed);
  default:
    throw new Error(\`\${problem.detail} (request \${problem.requestId})\`);
}`,
    ),
  },
];

export function guideSection(): Html {
  const articles = guides.map(
    ({ id, title, text, code }) => html`<article id="${id}" class="guide" tabindex="-1"><div class="about">
<h3>${link(`#${id}`, title)}</h3>${text}</div><div class="calls">${code}</div></article>
`,
  );
  return html`<section id="guides" tabindex="-1"><h2>Guides</h2>
<p>Tasks that most clients have. <code>base</code> is the address of the
service.</p>${articles}</section>
`;
}

/** The changes that concern clients; the project's own changelog has the others. */
export const changes: readonly (readonly [version: string, text: string])[] = [
  ['1.0.0', 'The first version.'],
];

export const changelog = html`<section id="changelog" tabindex="-1"><h2>Changelog</h2>
<p>Within a major version paths, members, statuses and problem types stay. New members, operations and
problem types may be added. A removal is announced here, at least six months ahead.</p><dl class="fields">${changes.map(
  ([version, text]) => html`<div><dt>${version}</dt><dd>${inline(text)}</dd></div>`,
)}</dl></section>
`;
