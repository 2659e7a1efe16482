// The pages for people: their content, that they are well-formed, and that only their own script runs.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { problemCodes } from '../../../src/problem.ts';
import { correctableStatuses, statuses, transitions } from '../../../src/features/orders/order-status.ts';
import { Turns } from '../../../src/base/turns.ts';
import { docsPage } from '../../../src/features/docs/docs-page.ts';
import { serviceFor, type TestService } from '../../support/service.ts';
import { plain, tagsOf, textOf } from './markup.ts';

type Json = { readonly [name: string]: unknown };
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly { readonly name?: string; readonly $ref?: string }[];
  readonly requestBody?: {
    readonly content: Record<string, { readonly schema: Json; readonly example: unknown }>;
  };
  readonly responses: Record<
    string,
    { readonly description: string; readonly content?: Record<string, { readonly schema: Json }> }
  >;
};
type ObjectSchema = {
  readonly properties?: Readonly<Record<string, { readonly items?: { readonly $ref?: string } }>>;
};

const asPage = { headers: { accept: 'text/html' } };
const pages = ['/docs', '/', '/problems', '/problems/validation-failed', '/problems/quota-exceeded'];
const rates = {
  default: { requests: 600, seconds: 60 },
  anonymous: undefined,
  loginAccount: undefined,
  loginAccountTotal: undefined,
  created: undefined,
  loginAddress: undefined,
  loginCode: undefined,
};

describe('the pages', () => {
  let service: TestService;
  let html = '';
  let document: Json = {};
  let operations: { method: string; path: string; operation: Operation }[] = [];
  const ends: (() => unknown)[] = [];
  before(async () => {
    service = await serviceFor({
      after: (end) => {
        ends.push(end as () => unknown);
      },
    });
    html = (await service.get('/docs')).text;
    document = (await service.get('/openapi.json')).body;
    operations = Object.entries(document['paths'] as Record<string, Record<string, Operation>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({
          method: method.toUpperCase(),
          path,
          operation,
        })),
    );
  });
  after(async () => {
    for (const end of ends) await end();
  });

  for (const path of pages) {
    test(`${path} runs nothing but its own style and script`, async () => {
      const { headers, text } = await service.get(path, asPage);
      const [style = ''] = /(?<=<style>)[^]*(?=<\/style>)/.exec(text) ?? [];
      const [script] = /(?<=<script>)[^]*(?=<\/script>)/.exec(text) ?? [];
      const scripts =
        script === undefined
          ? ''
          : `script-src 'sha256-${hash('sha256', script, 'base64')}'; connect-src 'self'; `;
      const expected =
        `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; ` +
        `${scripts}img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; ` +
        "require-trusted-types-for 'script'; trusted-types 'none'";
      assert.equal(headers['content-security-policy'], expected);
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(script === undefined, path.startsWith('/problems'));
      assert.doesNotMatch(script ?? '', /innerHTML|outerHTML|insertAdjacent|document\.write/);
      assert.doesNotMatch(script ?? '', /\beval\b|new Function/);
      assert.doesNotMatch(script ?? '', /\.cookie|sessionStorage/);
    });

    test(`${path} is well-formed`, async () => {
      const tags = tagsOf((await service.get(path, asPage)).text);
      const ids = tags.flatMap(({ attributes }) => attributes.get('id') ?? []);
      assert.deepEqual(
        ids.filter((id, index) => ids.indexOf(id) !== index),
        [],
        'ids are unique',
      );
      for (const { name, attributes } of tags) {
        for (const attribute of attributes.keys())
          assert.doesNotMatch(attribute, /^on|^style$/, `${name} has ${attribute}`);
        for (const reference of ['for', 'aria-describedby', 'popovertarget'])
          if (attributes.has(reference))
            assert.ok(ids.includes(attributes.get(reference) ?? ''), `${reference} of ${name}`);
      }
      for (const landmark of ['header', 'nav', 'main', 'h1', 'title'])
        assert.equal(tags.filter(({ name }) => name === landmark).length, 1, landmark);
      const labelled = new Set(
        tags.filter(({ name }) => name === 'label').map(({ attributes }) => attributes.get('for')),
      );
      for (const { name, attributes } of tags)
        if (['input', 'select', 'textarea'].includes(name))
          assert.ok(labelled.has(attributes.get('id')), `a label for ${attributes.get('id')}`);
    });

    test(`links of ${path} have targets`, async () => {
      const tags = tagsOf((await service.get(path, asPage)).text);
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
    const { status, text } = await service.get(path, {
      headers: { accept: 'text/html, application/json;q=0.9' },
    });
    assert.equal(status, 200, path);
    return new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));
  }

  test('the documentation has every operation, with its parameters, statuses and problem types', () => {
    const everywhere = textOf(/<p id="everywhere"[^]*?<\/p>/.exec(html)?.[0] ?? '');
    for (const { method, path, operation } of operations) {
      const [article = ''] =
        new RegExp(`<article id="${operation.operationId}" [^]*?</article>`).exec(html) ?? [];
      const text = textOf(article);
      for (const expected of [
        operation.summary,
        `${method} ${path}`,
        'curl',
        'JavaScript',
        'Python',
        `Send ${method}`,
        ...Object.keys(operation.responses).filter((status) => status < '300'),
      ]) {
        assert.ok(text.includes(expected), `${operation.operationId} lacks ${expected}`);
      }
      for (const each of operation.parameters) {
        const name = each.name ?? each.$ref?.split('/').at(-1) ?? '';
        if (name !== 'X-Request-Id')
          assert.ok(
            article.includes(`name="${name}" data-place=`),
            `${operation.operationId} lacks a field for ${name}`,
          );
      }
      for (const code of problemsOf(operation))
        assert.ok(
          article.includes(`href="/problems/${code}"`) || everywhere.includes(code),
          `${operation.operationId} lacks ${code}`,
        );
    }
    assert.ok(operations.length > 35);
  });

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
    for (const {
      operation: { operationId, requestBody },
    } of operations) {
      const [article = ''] = new RegExp(`<article id="${operationId}" [^]*?</article>`).exec(html) ?? [];
      const name =
        String(Object.values(requestBody?.content ?? {})[0]?.schema['$ref'] ?? '')
          .split('/')
          .at(-1) ?? '';
      for (const member of Object.keys(schemas()[name]?.properties ?? {}))
        assert.ok(article.includes(`<code>${member}</code>`), `${operationId}: ${member}`);
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

  test('a new user can follow the examples', async () => {
    const bodyOf = (id: string): unknown =>
      JSON.parse(plain(new RegExp(`<textarea id="${id}-body"[^>]*>\n([^<]*)`).exec(html)?.[1] ?? ''));
    assert.equal((await service.post('/api/users', { body: bodyOf('createUser') })).status, 201);
    const { status, body } = await service.post('/api/sessions', { body: bodyOf('createSession') });
    assert.equal(status, 201);
    const token = body.accessToken;
    assert.equal((await service.post('/customers', { token, body: bodyOf('createCustomer') })).status, 201);
    assert.equal((await service.post('/orders', { token, body: bodyOf('createOrder') })).status, 201);
    assert.equal((await service.post('/api/keys', { token, body: bodyOf('createKey') })).status, 201);
    assert.equal((await service.put('/customers/1', { token, body: bodyOf('replaceCustomer') })).status, 200);
    assert.equal(
      (await service.patch('/customers/1', { token, body: bodyOf('updateCustomer') })).status,
      200,
    );
    assert.equal(
      (await service.patch(`/api/users/${body.userId}`, { token, body: bodyOf('updateUser') })).status,
      200,
    );
    assert.equal(
      (await service.put(`/api/users/${body.userId}`, { token, body: bodyOf('replaceUser') })).status,
      200,
    );
    const staff = await service.person('staff');
    assert.equal(
      (await service.patch('/orders/1', { token: staff.token, body: bodyOf('updateOrder') })).status,
      200,
    );
  });

  test('every problem type has its entry and its page', async () => {
    for (const code of problemCodes) {
      assert.ok(html.includes(`href="/problems/${code}"`), code);
      const { status, text, body } = await service.get(`/problems/${code}`, asPage);
      assert.equal(status, 200);
      assert.equal(body, undefined);
      const { title } = (await service.get(`/problems/${code}`, { headers: { accept: 'application/json' } }))
        .body;
      assert.ok(text.includes(`<h1>${title}</h1>`), code);
    }
    assert.equal((await service.get('/problems/no-such-thing', asPage)).status, 404);
  });

  test('what people look for is in the text that the browser searches', () => {
    const shown = html.replaceAll(/<(template|details)\b[^]*?<\/\1>/g, '');
    for (const [id, words] of Object.entries({ updateOrder: ['refund', 'cancel'], listCustomers: ['csv'] })) {
      const [article = ''] = new RegExp(`<article id="${id}"[^]*?</article>`).exec(shown) ?? [];
      for (const word of words) assert.match(textOf(article), new RegExp(word), id);
    }
  });

  test('the diagram has every status and every step, also in words', () => {
    const [drawing = ''] = /<svg role="img"[^]*?<\/svg>/.exec(html) ?? [];
    const tags = tagsOf(drawing);
    const boxes = tags
      .filter(({ name }) => name === 'rect')
      .map(({ attributes }) => `${attributes.get('x')},${attributes.get('y')}`);
    assert.deepEqual(
      tags.filter(({ name }) => name === 'text').map(({ text }) => text),
      Object.keys(transitions),
    );
    assert.equal(new Set(boxes).size, Object.keys(transitions).length, 'no box covers another');
    assert.equal(
      tags.filter(({ attributes }) => attributes.has('marker-end')).length,
      Object.values(transitions).flat().length,
    );
    const label = tags[0]?.attributes.get('aria-label') ?? '';
    for (const [from, to] of Object.entries(transitions))
      assert.ok(
        label.includes(to.length === 0 ? `${from} is final` : `${from} can become ${to.join(' or ')}`),
        from,
      );
  });

  test('rates are shown as configured, and curl trusts the service’s own certificate', async () => {
    assert.ok(textOf(html).includes('Not limited: each user, API keys included.'));
    assert.ok(!html.includes('--cacert'));
    const steps = docsPage({
      document,
      publicUrl: 'https://localhost:8443',
      rates,
      steps: transitions,
      correctable: correctableStatuses,
      isSelfSigned: true,
    });
    const page = await new Turns().runSteps(steps);
    assert.ok(textOf(page.html).includes('600 requests in 60 seconds, for each user, API keys included.'));
    assert.ok(textOf(page.html).includes('curl --cacert data/tls/ca.pem https://localhost:8443/orders'));
  });
});
