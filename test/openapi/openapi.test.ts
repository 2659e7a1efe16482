// The OpenAPI document: its operations and its consistency. Exchanges are compared with it in conformance.ts.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, suite, test } from 'node:test';
import { problemCodes } from '../../src/problem.ts';
import { Turns } from '../../src/base/turns.ts';
import { openapiDocument } from '../../src/openapi/openapi.ts';
import { invalidStatusRule } from '../../src/http/responses/problem-types.ts';
import { schemaIssues } from '../../src/schema/schema-check.ts';
import { featuresWithout, tagsOf } from '../../src/service/features.ts';
import { version } from '../../src/base/version.ts';
import { validate } from '../support/conformance.ts';
import { declaredNames, serviceFor } from '../support/service.ts';
import {
  type Json,
  type Parameter,
  type Response,
  type Listed,
  operationsOf,
  follow,
  resolve,
} from './openapi-support.ts';

const goldenFile = new URL('../data/operations.txt', import.meta.url);

/** What ECMAScript, RE2, PCRE, Java, Python and .NET read alike: no escapes but these, no groups but plain ones. */
const ofManyLanguages =
  /^(?:\\(?:[dDsSwW]|x[0-9a-f]{2}|[.+*?()[\]{}|^$\/-])|\[(?!\^?\])\^?(?:\\(?:[dDsSwW]|x[0-9a-f]{2}|[\]\\^-])|[ -Z^-~])+\]|\((?:\?:)?|\)[*+?]?|\{\d+(?:,\d*)?\}|[ -Z^-z|~])*$/;

const publicUrl = 'https://localhost:8443';

suite('the document', async () => {
  const service = await serviceFor(
    { after: (end) => after(end as () => Promise<void>) },
    { settings: { 'public-url': publicUrl } },
  ); // it takes no arguments
  const { text, body: document } = await service.get('/openapi.json');
  const operations = operationsOf(document);

  test('each operation names who may call it, in a word, and the scope of its keys', () => {
    const rights = operations.map(({ operation }) => operation['x-access']);
    for (const { callers, scope } of rights)
      assert.match(
        `${callers} ${scope}`,
        /^(anyone|signed-in|staff|admin|self|[a-z]+-or-[a-z]+) (null|[a-z]+:(read|write))$/,
      );
    const of = (path: string, method: string) => document.paths[path][method]['x-access'];
    assert.deepEqual(of('/products', 'get'), { callers: 'signed-in', scope: 'products:read' });
    assert.deepEqual(of('/products/{id}', 'delete'), { callers: 'staff', scope: 'products:write' });
    assert.deepEqual(of('/backups', 'post'), { callers: 'admin', scope: null });
  });

  test('the OpenAPI document has the operations and statuses that were last accepted', () => {
    const lines = operations.map(({ method, path, operation: { operationId, responses } }) =>
      [method, path, operationId, ...Object.keys(responses)].join(' '),
    );
    if (process.env['ORDERLY_UPDATE_GOLDEN'] === '1') writeFileSync(goldenFile, `${lines.join('\n')}\n`);
    assert.deepEqual(
      lines,
      readFileSync(goldenFile, 'utf8').trimEnd().split('\n'),
      'The interface has changed. If that is meant, run this test with ORDERLY_UPDATE_GOLDEN=1.',
    );
  });

  test('the OpenAPI document is a function of the routes, their tags, the public URL and the version alone', async (t) => {
    if (service.inside === undefined) return t.skip('needs the inside');
    const other = await serviceFor(t);
    const { mounted } = other.inside?.router ?? service.inside.router;
    const before = JSON.stringify(mounted);
    const about = { tags: tagsOf(featuresWithout(declaredNames)), publicUrl, version };
    const made = await new Turns().runSteps(openapiDocument(mounted, about));
    assert.deepEqual(JSON.parse(JSON.stringify(made)), document);
    assert.equal(JSON.stringify(mounted), before);
  });

  test('the OpenAPI document describes every route, and nothing else', (t) => {
    if (service.inside === undefined) return t.skip('needs the inside');
    const routes = service.inside.router.mounted.map(({ route: { method, path } }) => `${method} ${path}`);
    assert.deepEqual(operations.map(({ method, path }) => `${method} ${path}`).sort(), routes.sort());
  });

  test('the OpenAPI document has only references that resolve', () => {
    const references = [...text.matchAll(/"\$ref":"#([^"]+)"/g)].map(([, pointer = '']) => pointer);
    assert.ok(references.length > 1000);
    assert.deepEqual(
      [...new Set(references)].filter((pointer) => resolve(document, pointer) === undefined),
      [],
    );
  });

  test('the OpenAPI document has only patterns that the regular expressions of other languages read', () => {
    const patterns: string[] = [];
    JSON.stringify(document, (key, value) => {
      if (key === 'pattern') patterns.push(value);
      return value;
    });
    assert.ok(patterns.length > 100);
    assert.deepEqual(
      patterns.filter((pattern) => !ofManyLanguages.test(pattern)),
      [],
    );
  });

  test('the OpenAPI document gives each operation a unique id', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^(list|get|create|refresh|replace|update|delete)[A-Z]\w*$/);
  });

  test('the OpenAPI document describes every problem type', () => {
    assert.deepEqual(Object.keys(document.components.examples).sort(), [...problemCodes].sort());
  });

  for (const { method, path, operation } of operations) {
    test(`the OpenAPI document describes ${method} ${path}`, () => {
      assert.ok(operation.summary !== '' && operation.description !== '');
      assert.ok(document.tags.some(({ name }: { name: string }) => name === operation.tags[0]));
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const parameters = operation.parameters.map((each) => follow<Parameter>(document, each));
      assert.deepEqual(
        parameters.filter((each) => each.in === 'path').map(({ name }) => name),
        named,
      );
      for (const parameter of parameters)
        assert.ok(parameter.description !== '' && Object.keys(parameter.schema).length > 0, parameter.name);
      for (const [status, listed] of Object.entries(operation.responses))
        checkDescribed(status, listed, follow<Response>(document, listed).content);
    });
  }

  for (const { where, schema, value } of examplesOf(document, operations)) {
    test(`the example of ${where} fits its schema`, () =>
      assert.deepEqual(validate(document, schema, value, ''), []));
  }

  test('the example of every request body fits our own check, rules beyond JSON Schema included', (t) => {
    if (service.inside === undefined) return t.skip('needs the inside');
    for (const {
      route: { method, path, body },
    } of service.inside.router.mounted) {
      const example = operations.find((each) => each.method === method && each.path === path)?.operation
        .requestBody?.content['application/json']?.example;
      if (body !== undefined) assert.deepEqual(schemaIssues(body, example), [], `${method} ${path}`);
    }
  });

  test('the OpenAPI document declares exactly the operations that need a credential', async () => {
    for (const { method, path, operation } of operations) {
      const { status } = await service.call(
        method,
        path.replace('{name}', 'not-found').replaceAll(/\{\w+\}/g, '1'),
      );
      const isOpen =
        operation.security.length === 0 || operation.security.some((each) => Object.keys(each).length === 0);
      assert.equal(status === 401, !isOpen, `${method} ${path} → ${status}`);
    }
  });

  test('the OpenAPI document lists API keys for the operations that one may call, and no others', async () => {
    const { token } = await service.signIn(service.admin.email, service.admin.password);
    const body = { name: 'all', scopes: document.components.schemas.Scope.enum };
    const { key } = (await service.post('/api/keys', { token, body })).body;
    for (const { method, path, operation } of operations) {
      const target = path.replace('{name}', 'not-found').replaceAll(/\{\w+\}/g, '999999');
      const { body: response } = await service.call(method, target, { key, isUndescribed: true });
      const isListed = operation.security.some((each) => 'apiKey' in each);
      const isOpen = operation.security.length === 0;
      assert.equal(response?.code === 'insufficient-scope', !isListed && !isOpen, `${method} ${path}`);
    }
  });

  test('the OpenAPI document has 400 or 422 for wrong data, as the problem pages say', () => {
    const [, first = '', second = ''] =
      / 400 under (\S+) and (\S+), and 422 for /.exec(invalidStatusRule) ?? [];
    for (const { method, path, operation } of operations) {
      const isOfService = method === 'GET' && operation.tags.includes('Service');
      const status = isOfService || [first, second].includes(`/${path.split('/')[1]}`) ? '400' : '422';
      const telling = Object.entries(operation.responses).filter(([, { description }]) =>
        description.includes('`validation-failed`'),
      );
      assert.deepEqual(
        telling.map(([each]) => each),
        [status],
        `${method} ${path}`,
      );
    }
  });
});

function checkDescribed(status: string, { description }: Response, content: Response['content']): void {
  assert.match(status, /^(200|201|204|304|4\d\d|5\d\d)$/);
  assert.ok(description !== '');
  if (Number(status) < 400) return;
  const examples = content?.['application/problem+json']?.examples ?? {};
  const codes = Array.from(description.matchAll(/`([a-z-]+)`/g), ([, code = '']) => code);
  assert.ok(codes.length > 0, `${status} names no problem`);
  for (const code of codes) assert.ok(code in examples, `${status} has no example of ${code}`);
}

type Example = { readonly where: string; readonly schema: Json; readonly value: unknown };

/** All examples of the document: of bodies, of problems, and of the schemas themselves. */
function examplesOf(document: Json, operations: readonly Listed[]): Example[] {
  const { examples, schemas } = document['components'] as {
    examples: Record<string, { value: unknown }>;
    schemas: Record<string, Json>;
  };
  const media = operations.flatMap(({ method, path, operation: { requestBody, responses } }) => [
    ...Object.entries(requestBody?.content ?? {}).map(([type, each]) => ({
      where: `the ${type} of ${method} ${path}`,
      ...each,
    })),
    ...Object.entries(responses).flatMap(([status, listed]) =>
      Object.entries(follow<Response>(document, listed).content ?? {}).map(([type, each]) => ({
        where: `${status} ${type} of ${method} ${path}`,
        ...each,
      })),
    ),
  ]);
  return [
    ...media
      .filter(({ schema }) => schema['type'] !== 'string')
      .flatMap(({ where, schema, example, examples: listed }) =>
        listed === undefined ? [{ where, schema, value: example }] : [],
      ),
    ...Object.entries(examples).map(([kind, { value }]) => ({
      where: `the problem ${kind}`,
      schema: schemas['Problem'] ?? {},
      value,
    })),
    ...schemaExamples('components', { schemas }),
    ...operations.flatMap(({ method, path, operation }) =>
      operation.parameters.flatMap(({ name, schema }) =>
        schemaExamples(`${method} ${path}?${name}`, schema ?? {}),
      ),
    ),
    // The document isn't an example of itself.
  ].filter(({ where, value }) => value !== undefined || !where.includes('/openapi.json'));
}

function schemaExamples(where: string, node: Json): Example[] {
  const { examples } = node;
  const own = Array.isArray(examples) ? examples.map((value) => ({ where, schema: node, value })) : [];
  return [
    ...own,
    ...Object.entries(node).flatMap(([name, each]) =>
      typeof each === 'object' && each !== null ? schemaExamples(`${where}/${name}`, each as Json) : [],
    ),
  ];
}
