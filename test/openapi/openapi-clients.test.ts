// The parts of the document that client generators use: component names, open and closed schemas,
// credentials.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { serviceFor } from '../support/service.ts';
import { follow, operationsOf, type Json } from './openapi-support.ts';

/** A schema in the document. */
type Shown = {
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Shown>>;
  readonly items?: Shown;
  readonly anyOf?: readonly Shown[];
  readonly additionalProperties?: boolean;
  readonly description?: string;
};
type Body = { readonly content?: Readonly<Record<string, { readonly schema: Shown }>> };

suite('the document, for generated clients', async () => {
  // it takes no arguments
  const service = await serviceFor({ after: (end) => after(end as () => Promise<void>) });
  const { body: document } = await service.get('/openapi.json');
  const operations = operationsOf(document).map(({ operation }) => operation);
  const schemas: Readonly<Record<string, Shown>> = document.components.schemas;

  test('the OpenAPI document names its components as identifiers', () => {
    const { responses } = document.components;
    for (const name of [...Object.keys(schemas), ...Object.keys(responses)]) assert.match(name, /^[A-Z]\w+$/);
  });

  test('the OpenAPI document names enumerations, pages and issues', () => {
    for (const name of ['OrderStatus', 'Role', 'Scope', 'EventType', 'WebhookStatus'])
      assert.ok(Array.isArray(schemas[name]?.enum), name);
    const lists = operations.filter(({ operationId }) => operationId.startsWith('list'));
    assert.ok(lists.length >= 5);
    for (const { operationId, responses } of lists) {
      const page = responses['200']?.content?.['application/json']?.schema['$ref'];
      assert.match(String(page), /^#\/components\/schemas\/[A-Z]\w+(Page|Feed)$/, operationId);
    }
    assert.equal(schemas['Order']?.properties?.['status']?.$ref, '#/components/schemas/OrderStatus');
    const issues = schemas['Problem']?.properties?.['errors'];
    assert.equal(issues?.items?.$ref, '#/components/schemas/ProblemIssue');
  });

  test('the OpenAPI document names the sorts of each list that has several, and describes them as parameters', () => {
    for (const [path, name] of [
      ['/orders', 'OrderSort'],
      ['/customers/{id}/orders', 'OrderSort'],
      ['/customers', 'CustomerSort'],
      ['/api/users', 'UserSort'],
    ] as const) {
      const { parameters } = document.paths[path].get;
      const sort = parameters.find((each: Json) => each['name'] === 'sort');
      assert.deepEqual(sort.schema, { $ref: `#/components/schemas/${name}` });
      assert.match(sort.description, /^A leading `-` means descending; `-?\w+` by default\.$/);
      assert.ok(Array.isArray(schemas[name]?.enum), name);
    }
  });

  test('the OpenAPI document closes event types and scopes in requests, and leaves them open in responses', () => {
    const { parameters } = document.paths['/events'].get;
    const type = parameters.find((each: Json) => each['name'] === 'type');
    assert.deepEqual(type.schema.items, { $ref: '#/components/schemas/EventType' });
    assert.deepEqual(schemas['NewWebhook']?.properties?.['types']?.items, type.schema.items);
    assert.deepEqual(schemas['NewKey']?.properties?.['scopes']?.items, {
      $ref: '#/components/schemas/Scope',
    });
    for (const [object, member, name] of [
      ['Event', 'type', 'EventType'],
      ['Webhook', 'types', 'EventType'],
      ['Key', 'scopes', 'Scope'],
    ] as const) {
      const { items, ...shown } = schemas[object]?.properties?.[member] ?? {};
      const { anyOf: [known, any] = [] } = items ?? shown;
      assert.deepEqual(known, { $ref: `#/components/schemas/${name}` }, object);
      const { description, ...open } = any ?? {};
      assert.deepEqual(open, { type: 'string' }, object);
      assert.match(String(description), /^Later versions/);
      assert.ok(!('maxItems' in shown), `${object}: as many as there may be later`);
    }
  });

  test('the OpenAPI document says how to read the next page with an operation', () => {
    const { next } = document.components.schemas.OrderPage.properties;
    assert.match(next.description, /`cursor`/);
  });

  test('the OpenAPI document closes requests, and leaves responses open to members of later versions', () => {
    const bodies = operations.flatMap(({ requestBody }) => requestBody ?? []);
    const sent = objectsOf(bodies);
    const received = objectsOf(operations.flatMap(({ responses }) => Object.values(responses)));
    assert.ok(sent.length >= 10 && received.length >= 15);
    for (const schema of sent) assert.equal(schema.additionalProperties, false);
    for (const schema of received) assert.ok(!('additionalProperties' in schema), JSON.stringify(schema));
  });

  test('the OpenAPI document asks for credentials in header fields alone, and describes the form in the query', () => {
    for (const { operationId, security } of operations)
      for (const name of security.flatMap((each) => Object.keys(each)))
        assert.ok(['bearer', 'apiKey'].includes(name), `${operationId}: ${name}`);
    assert.match(document.components.securitySchemes.apiKey.description, /`api_key`/);
  });

  test('the OpenAPI document has a separate tag for operations of the service itself', () => {
    const own = operations.filter(({ tags }) => tags.includes('Service'));
    const ids = own.map(({ operationId }) => operationId);
    for (const id of ['getHealthLive', 'getMetrics', 'getDocs', 'getProblems'])
      assert.ok(ids.includes(id), id);
    for (const { tags } of own) assert.deepEqual(tags, ['Service']);
  });

  function objectsOf(bodies: readonly object[]): Shown[] {
    const found = new Set<Shown>();
    const collect = (node: Shown): void => {
      const schema = follow<Shown>(document, node);
      if (found.has(schema)) return;
      if (schema.properties !== undefined) found.add(schema);
      for (const member of Object.values(schema.properties ?? {})) collect(member);
      for (const choice of schema.anyOf ?? []) collect(choice);
      if (schema.items !== undefined) collect(schema.items);
    };
    for (const body of bodies)
      for (const { schema } of Object.values(follow<Body>(document, body).content ?? {})) collect(schema);
    return [...found];
  }
});
