// The pages for people: their content, that they are well-formed, that nothing runs, and that calls with curl work.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { anyone } from '../../../src/auth/access.ts';
import { empty } from '../../../src/http/routing/reply.ts';
import { route } from '../../../src/http/routing/route.ts';
import { problemCodes } from '../../../src/problem.ts';
import { stages, statuses } from '../../../src/features/orders/order-status.ts';
import { Turns } from '../../../src/base/turns.ts';
import { docsPage } from '../../../src/features/docs/docs-page.ts';
import { sharedService } from '../../support/http-support.ts';
import { insideOnly, serviceFor } from '../../support/service.ts';
import {
  follow,
  operationsOf,
  type Json,
  type Listed,
  type Operation,
} from '../../openapi/openapi-support.ts';
import { plain, tagsOf, textOf } from './markup.ts';

type ObjectSchema = {
  readonly properties?: Readonly<Record<string, { readonly items?: { readonly $ref?: string } }>>;
};

const run = promisify(execFile);
const asPage = { headers: { accept: 'text/html' } };
const pages = ['/docs', '/', '/problems', '/problems/validation-failed', '/problems/quota-exceeded'];
describe('the pages', () => {
  let html = '';
  let document: Json = {};
  let operations: Listed[] = [];
  const service = sharedService({}, async (started) => {
    html = (await started.get('/docs')).text;
    document = (await started.get('/openapi.json')).body;
    operations = operationsOf(document);
  });

  test('the root leads to the documentation', async () => {
    const home = await service().get('/');
    assert.equal(home.text, (await service().get('/docs')).text);
    assert.equal(
      (await service().get('/', { headers: { 'if-none-match': home.headers.etag ?? '' } })).status,
      304,
    );
    assert.equal((await service().get('/docs', { headers: { accept: 'application/json' } })).status, 406);
  });

  for (const path of pages) {
    test(`${path} runs and loads nothing`, async () => {
      const { headers, text } = await service().get(path, asPage);
      const [style = ''] = /(?<=<style>)[^]*(?=<\/style>)/.exec(text) ?? [];
      const expected =
        `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; ` +
        "img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
      assert.equal(headers['content-security-policy'], expected);
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      const tags = tagsOf(text).map(({ name }) => name);
      assert.deepEqual(
        tags.filter((name) => ['script', 'form', 'input', 'button', 'iframe', 'img'].includes(name)),
        [],
      );
    });

    test(`${path} is well-formed`, async () => {
      const tags = tagsOf((await service().get(path, asPage)).text);
      const ids = tags.flatMap(({ attributes }) => attributes.get('id') ?? []);
      assert.deepEqual(
        ids.filter((id, index) => ids.indexOf(id) !== index),
        [],
        'ids are unique',
      );
      for (const { name, attributes } of tags) {
        for (const attribute of attributes.keys())
          assert.doesNotMatch(attribute, /^on|^style$/, `${name} has ${attribute}`);
      }
      for (const landmark of ['header', 'nav', 'main', 'h1', 'title'])
        assert.equal(tags.filter(({ name }) => name === landmark).length, 1, landmark);
    });

    test(`links of ${path} have targets`, async () => {
      const tags = tagsOf((await service().get(path, asPage)).text);
      const targets = new Set(
        tags.filter(({ name }) => name === 'a').map(({ attributes }) => attributes.get('href') ?? ''),
      );
      const idsOf = new Map<string, Set<string>>();
      for (const target of targets) {
        const [there = '', id] = target.startsWith('#') ? [path, target.slice(1)] : target.split('#');
        const ids = idsOf.get(there) ?? (await idsAt(there));
        idsOf.set(there, ids);
        assert.ok(id === undefined || ids.has(id), `${target} names nothing`);
      }
    });
  }

  async function idsAt(path: string): Promise<Set<string>> {
    const { status, text } = await service().get(path, {
      headers: { accept: 'text/html, application/json;q=0.9' },
    });
    assert.equal(status, 200, path);
    return new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));
  }

  test('the documentation has every operation, with its parameters, statuses and problem types', () => {
    const everywhere = textOf(/<p id="everywhere"[^]*?<\/p>/.exec(html)?.[0] ?? '');
    for (const { method, path, operation } of operations) {
      const article = articleOf(operation);
      const text = textOf(article);
      for (const expected of [
        operation.summary,
        `${method} ${path}`,
        'curl',
        ...Object.keys(operation.responses).filter((status) => status < '300'),
      ]) {
        assert.ok(text.includes(expected), `${operation.operationId} lacks ${expected}`);
      }
      for (const each of operation.parameters) {
        const { name } = follow(document, each);
        if (name !== 'X-Request-Id')
          assert.ok(article.includes(`<code>${name}</code>`), `${operation.operationId} lacks ${name}`);
      }
      for (const code of problemsOf(operation))
        assert.ok(
          article.includes(`href="/problems/${code}"`) || everywhere.includes(code),
          `${operation.operationId} lacks ${code}`,
        );
    }
    assert.ok(operations.length > 35);
  });

  function articleOf({ operationId }: Operation): string {
    const [article = ''] = new RegExp(`<article id="${operationId}" [^]*?</article>`).exec(html) ?? [];
    return article;
  }

  /** The names of the objects that an operation returns, alone or in a list. */
  function objectsOf({ responses }: Operation): string[] {
    const references = ['200', '201'].map((status) =>
      String(responses[status]?.content?.['application/json']?.schema['$ref'] ?? ''),
    );
    const names = references.map((reference) => elementOf(reference.replace(/.*\//, '')));
    return names.filter((name) => !['', 'ProblemTypes'].includes(name));
  }

  /** The name of the elements of a list, or of the object itself. */
  function elementOf(name: string): string {
    const { data } = schemas()[name]?.properties ?? {};
    return data?.items?.$ref?.replace(/.*\//, '') ?? name;
  }

  function schemas(): Record<string, ObjectSchema> {
    return (document['components'] as { schemas: Record<string, ObjectSchema> }).schemas;
  }

  function problemsOf({ responses }: Operation): string[] {
    return Object.values(responses).flatMap(({ description }) =>
      Array.from(description.matchAll(/`([a-z-]+)`/g), ([, code = '']) => code),
    );
  }

  test('the documentation has every field of requests and responses, with its limits', () => {
    const shown = [...html.matchAll(/<h3>(\w+)<\/h3>\n<dl class="fields">([^]*?)<\/dl>/g)];
    assert.deepEqual(
      new Set(shown.map(([, name]) => name)),
      new Set(operations.flatMap(({ operation }) => objectsOf(operation))),
    );
    for (const [, name = '', fields = ''] of shown) {
      for (const member of Object.keys(schemas()[name]?.properties ?? {}))
        assert.ok(fields.includes(`<code>${member}</code>`), `${name}.${member}`);
    }
    for (const { operation } of operations) {
      const [body] = Object.values(operation.requestBody?.content ?? {});
      const name = String(body?.schema['$ref'] ?? '').replace(/.*\//, '');
      for (const member of Object.keys(schemas()[name]?.properties ?? {}))
        assert.ok(
          articleOf(operation).includes(`<code>${member}</code>`),
          `${operation.operationId}: ${member}`,
        );
    }
    const text = textOf(html);
    for (const expected of [
      'items[].quantity integer required\n 1–1 000 000.',
      'shippingAddress.postalCode string, or null',
      `One of ${statuses.join(', ')}.`,
      '1–100 items.',
      '8–128 characters',
    ])
      assert.ok(text.includes(expected), expected);
  });

  test('a new user can follow the introduction, and every operation’s call with curl is understood', async (t) => {
    const opened = await serviceFor(t);
    const commandsOf = (markup: string, title: string): string[] =>
      [...markup.matchAll(new RegExp(`<p class="bar">${title}</p><pre><code>([^]*?)</code>`, 'g'))].map(
        ([, code = '']) => plain(code).replaceAll(/https:\/\/localhost:\d+/g, opened.url),
      );
    const send = async (command: string, token: string): Promise<{ status: string; text: string }> => {
      const script = command.replace(/^curl/, "curl -sS -w '\n%{http_code}'");
      const { stdout } = await run('sh', ['-c', script], { env: { ...process.env, TOKEN: token } });
      const end = stdout.lastIndexOf('\n');
      return { status: stdout.slice(end + 1), text: stdout.slice(0, end) };
    };
    const [start = ''] = /<section id="introduction"[^]*?<\/section>/.exec(html) ?? [];
    const [signUp = '', signIn = '', ...others] = commandsOf(start, '[^<]*');
    assert.equal((await send(signUp, '')).status, '201');
    const signedIn = await send(signIn.replace(/\nTOKEN=.*/, ''), '');
    assert.equal(signedIn.status, '201');
    const { accessToken } = JSON.parse(signedIn.text);
    assert.equal(others.length, 2);
    for (const command of others) assert.equal((await send(command, accessToken)).status, '201', command);

    const admin = await opened.person('admin');
    const understood = operations.map(async ({ operation }) => {
      const [command = '', ...more] = commandsOf(articleOf(operation), 'curl');
      assert.deepEqual(more, []);
      const { status, text } = await send(command, admin.token);
      const isUnderstood = /^(?:2..|40[1349])$/.test(status); // not allowed, not there, or in a wrong state
      return isUnderstood ? [] : [command, status, text];
    });
    assert.deepEqual((await Promise.all(understood)).flat(), []);
  });

  test('every problem type has its entry', () => {
    for (const code of problemCodes) assert.ok(html.includes(`href="/problems/${code}"`), code);
  });

  test('every status of an order is there, with those that may follow', () => {
    const text = textOf(/id="order-states"[^]*?<\/dl>/.exec(html)?.[0] ?? '');
    for (const [status, { next }] of Object.entries(stages))
      assert.ok(
        text.includes(`${status}${next.length === 0 ? 'final' : `then ${next.join(' or ')}`}`),
        status,
      );
  });

  test('curl trusts the service’s own certificate', async () => {
    assert.ok(!html.includes('--cacert'));
    const publicUrl = 'https://localhost:8443';
    const steps = docsPage(document, { publicUrl, curl: 'curl --cacert data/tls/ca.pem' });
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
  const service = await serviceFor(t, { extraRoutes: [nasty] });
  const { text } = await service.get('/docs');
  assert.ok(!text.includes('<script>alert'));
  assert.ok(textOf(text).includes('</a><script>alert("1")</script>'));
  assert.ok(textOf(text).includes('A <b> & "c" \'d\''));
  tagsOf(text);
});
