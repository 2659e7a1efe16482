// The pages for people: their content, that they are well-formed, that nothing runs, and that calls with curl work.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { anyone } from '../../../src/auth/access.ts';
import { Turns } from '../../../src/base/turns.ts';
import { docsPage } from '../../../src/features/docs/docs-page.ts';
import { stages, statuses } from '../../../src/features/orders/order-status.ts';
import { empty } from '../../../src/http/routing/reply.ts';
import { route } from '../../../src/http/routing/route.ts';
import { problemCodes } from '../../../src/problem.ts';
import { follow, operationsOf, type Json, type Listed } from '../../openapi/openapi-support.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import { insideOnly, serviceFor } from '../../support/service.ts';
import { plain, tagsOf, textOf } from './markup.ts';

const run = promisify(execFile);
const accept = 'text/html, application/json;q=0.9';

describe('the pages', () => {
  let html = '';
  let document: Json = {};
  let operations: Listed[] = [];
  const service = sharedService({}, async (started) => {
    html = (await started.get('/docs')).text;
    document = (await started.get('/openapi.json')).body;
    operations = operationsOf(document);
  });
  const articleOf = (id: string): string =>
    new RegExp(`<article id="${id}" [^]*?</article>`).exec(html)?.[0] ?? assert.fail(`${id} has no article`);

  test('the root leads to the documentation', async () => {
    const { text, headers } = await service().get('/');
    assert.equal(text, html);
    await assertStatus(service().get('/', { headers: { 'if-none-match': headers.etag ?? '' } }), 304);
    assert.match(
      text,
      /<main[^>]*>\s*<section[^>]*><div><p><a class="main" href="\/console">/,
      'people come first',
    );
    assertProblem(
      await service().get('/docs', { headers: { accept: 'application/json' } }),
      'not-acceptable',
    );
  });

  for (const path of ['/docs', '/', '/problems', '/problems/validation-failed', '/problems/quota-exceeded'])
    test(`${path} is well-formed, runs and loads nothing, and its links have targets`, async () => {
      const { headers, text } = await service().get(path, { headers: { accept } });
      const [style = ''] = /(?<=<style>)[^]*(?=<\/style>)/.exec(text) ?? [];
      assert.deepEqual(
        ['content-security-policy', 'referrer-policy', 'x-content-type-options'].map((name) => headers[name]),
        [
          `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; ` +
            "img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
          'no-referrer',
          'nosniff',
        ],
      );
      const tags = tagsOf(text);
      for (const landmark of ['header', 'nav', 'main', 'h1', 'title'])
        assert.equal(tags.filter(({ name }) => name === landmark).length, 1, landmark);
      for (const { name, attributes } of tags) {
        assert.doesNotMatch(name, /^(?:script|form|input|button|iframe|img)$/);
        assert.doesNotMatch([...attributes.keys()].join(' '), /\b(?:on\w*|style)\b/, name);
      }
      const ids = idsOf(text);
      assert.equal(new Set(ids).size, ids.length, 'ids are unique');
      const known = new Map([['', ids]]);
      for (const { name, attributes } of tags) {
        if (name !== 'a') continue;
        const target = attributes.get('href') ?? '';
        const [there = '', id] = target.split('#');
        if (!known.has(there)) known.set(there, await idsAt(there));
        assert.ok(id === undefined || known.get(there)?.includes(id), `${target} names nothing`);
      }
    });

  const idsOf = (text: string): string[] => Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id = '']) => id);

  async function idsAt(path: string): Promise<string[]> {
    const { status, text } = await service().get(path, { headers: { accept } });
    assert.equal(status, 200, path);
    return idsOf(text);
  }

  test('the documentation has every operation, with its parameters, statuses and problem types', () => {
    const [everywhere = ''] = /<p id="everywhere"[^]*?<\/p>/.exec(html) ?? [];
    assert.ok(operations.length > 35);
    for (const { method, path, operation } of operations) {
      const { operationId, summary, parameters, responses } = operation;
      const article = articleOf(operationId);
      const succeeded = Object.keys(responses).filter((status) => status < '300');
      for (const expected of [summary, `${method} ${path}`, 'curl', ...succeeded])
        assert.ok(textOf(article).includes(expected), `${operationId} lacks ${expected}`);
      const names = parameters.map((each) => follow(document, each).name);
      for (const name of names.filter((each) => each !== 'X-Request-Id'))
        assert.ok(article.includes(`<code>${name}</code>`), `${operationId} lacks ${name}`);
      for (const { description } of Object.values(responses))
        for (const [, code] of description.matchAll(/`([a-z-]+)`/g))
          assert.ok(
            (article + everywhere).includes(`href="/problems/${code}"`),
            `${operationId} lacks ${code}`,
          );
    }
  });

  test('the documentation has every member of requests and responses, with its limits', () => {
    const membersOf = (schema: Json = {}): string[] => Object.keys(schema['properties'] ?? {});
    const returned = new Set<string>();
    for (const { operation } of operations) {
      const [body] = Object.values(operation.requestBody?.content ?? {});
      const sent = (body as Json | undefined)?.['x-line-schema'] ?? body?.schema; // or each line of it
      for (const member of membersOf(follow<Json>(document, (sent ?? {}) as Json)))
        assert.ok(articleOf(operation.operationId).includes(`<code>${member}</code>`), member);
      for (const status of ['200', '201']) {
        const schema = operation.responses[status]?.content?.['application/json']?.schema ?? {};
        const { properties } = follow<Json>(document, schema);
        const { data } = (properties ?? {}) as { data?: { items?: Json } };
        const { $ref } = data?.items ?? schema;
        if ($ref !== undefined) returned.add(String($ref));
      }
    }
    returned.delete('#/components/schemas/ProblemTypes');
    const shown = Array.from(html.matchAll(/<h3>(\w+)<\/h3>\n<dl class="fields">([^]*?)<\/dl>/g));
    assert.deepEqual(new Set(shown.map(([, name]) => `#/components/schemas/${name}`)), returned);
    for (const [, name = '', fields = ''] of shown)
      for (const member of membersOf(follow(document, { $ref: `#/components/schemas/${name}` })))
        assert.ok(fields.includes(`<code>${member}</code>`), `${name} lacks ${member}`);
    const text = textOf(html);
    assert.ok(text.includes('items[].quantity integer required\n 1–1 000 000.'));
    assert.ok(text.includes('shippingAddress.postalCode string, or null'));
    assert.ok(text.includes('1–100 items.'));
    assert.ok(text.includes(`One of ${statuses.join(', ')}.`));
  });

  test('a new user can follow the introduction, and every operation’s call with curl is understood', async (t) => {
    const opened = await serviceFor(t);
    const commandsOf = (markup: string, title: string): string[] =>
      Array.from(
        markup.matchAll(new RegExp(`<p class="bar">${title}</p><pre><code>([^]*?)</code>`, 'g')),
        ([, code = '']) => plain(code).replaceAll(/https:\/\/localhost:\d+/g, opened.url),
      );
    /** The status and the text of the response. */
    async function send(command: string, token = ''): Promise<[status: string, text: string]> {
      const script = command.replace(/^curl/, "curl -sS -w '\n%{http_code}'").replace(/\nTOKEN=.*/, '');
      const { stdout } = await run('sh', ['-c', script], { env: { ...process.env, TOKEN: token } });
      const end = stdout.lastIndexOf('\n');
      return [stdout.slice(end + 1), stdout.slice(0, end)];
    }
    const [start = ''] = /<section id="introduction"[^]*?<\/section>/.exec(html) ?? [];
    let token: string | undefined;
    const commands = commandsOf(start, '[^<]*');
    assert.equal(commands.length, 4);
    for (const command of commands) {
      const [status, text] = await send(command, token);
      assert.equal(status, '201', command);
      token = JSON.parse(text).accessToken ?? token;
    }

    const admin = await opened.person('admin');
    const failed = operations.map(async ({ operation }) => {
      const [command = '', ...more] = commandsOf(articleOf(operation.operationId), 'curl');
      assert.deepEqual(more, []);
      const [status, text] = await send(command, admin.token);
      const isUnderstood = /^(?:2..|40[1349])$/.test(status); // not allowed, not there, or in a wrong state
      return isUnderstood ? [] : [command, status, text];
    });
    assert.deepEqual((await Promise.all(failed)).flat(), []);
  });

  test('every problem type has its entry, and every status of an order, with those that may follow', () => {
    for (const code of problemCodes) assert.ok(html.includes(`href="/problems/${code}"`), code);
    const text = textOf(/id="order-states"[^]*?<\/dl>/.exec(html)?.[0] ?? '');
    for (const [status, { next }] of Object.entries(stages))
      assert.ok(
        text.includes(`${status}${next.length === 0 ? 'final' : `then ${next.join(' or ')}`}`),
        status,
      );
  });

  test('curl trusts the service’s own certificate', async () => {
    assert.ok(!html.includes('--cacert'));
    const steps = docsPage(document, {
      publicUrl: 'https://localhost:8443',
      curl: 'curl --cacert data/tls/ca.pem',
    });
    const page = await new Turns().runSteps(steps);
    assert.ok(textOf(page.html).includes('curl --cacert data/tls/ca.pem https://localhost:8443/orders'));
  });
});

test('descriptions of routes are escaped on the page', insideOnly, async (t) => {
  const nasty = route({
    method: 'DELETE',
    path: '/nasty/{id}',
    tag: 'Service',
    summary: '</a><script>alert("1")</script>',
    description: 'A `<b>` & "c" \'d\'\n\n<i>',
    access: anyone,
    reply: { kind: 'none' },
    handle: () => empty,
  });
  const { text } = await (await serviceFor(t, { extraRoutes: [nasty] })).get('/docs');
  assert.ok(!text.includes('<script>alert'));
  for (const shown of ['</a><script>alert("1")</script>', 'A <b> & "c" \'d\''])
    assert.ok(textOf(text).includes(shown), shown);
  tagsOf(text);
});
