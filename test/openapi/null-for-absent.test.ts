// Null for an optional member of a POST or PUT is that member's absence: in the document and in every operation.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { issuesOf } from '../support/http-support.ts';
import { admin, password, serviceFor } from '../support/service.ts';
import { items, newCustomer, newOrder, rootToken } from '../support/resource-support.ts';
import { follow, operationsOf, type Json } from './openapi-support.ts';

suite('null for an optional member', async () => {
  const service = await serviceFor({ after: (end) => after(end as () => Promise<void>) });
  const { body: document } = await service.get('/openapi.json');

  test('the document shows every optional member of a POST or PUT as one that may be null', () => {
    let members = 0;
    for (const { method, path, operation } of operationsOf(document)) {
      if (method !== 'POST' && method !== 'PUT') continue;
      const { schema } = operation.requestBody?.content['application/json'] ?? {};
      if (schema === undefined) continue;
      for (const [name, member] of optionalMembers(document, schema)) {
        members += 1;
        assert.ok(mayBeNull(document, member), `${name} of ${method} ${path}: ${JSON.stringify(member)}`);
      }
    }
    assert.ok(members > 40, `${members}`);
  });

  test('each optional member of each POST and PUT may be null, and no required one', async () => {
    const token = await rootToken(service);
    for (const { method, path, operation } of operationsOf(document)) {
      if (method !== 'POST' && method !== 'PUT') continue;
      const { schema } = operation.requestBody?.content['application/json'] ?? {};
      if (schema === undefined) continue;
      const { properties = {}, required = [] } = shapeOf(document, schema);
      const body = Object.fromEntries(Object.keys(properties).map((name) => [name, null]));
      const at = path.replaceAll(/\{\w+\}/g, '1');
      const response = await service.call(method, at, { token, body });
      if (response.status === 404 || response.status === 409) continue; // this one has no such object
      const wanted = required.filter((name) => !mayBeNull(document, properties[name] ?? {}));
      if (wanted.length > 0)
        assert.deepEqual(
          issuesOf(response),
          wanted.map((name) => `#/${name} type`).sort(),
          `${method} ${path}`,
        );
    }
  });

  test('an object is created with null for all that is optional, as without', async () => {
    const token = await rootToken(service);
    const session = await service.post('/api/sessions', { body: { ...admin, code: null, cookie: null } });
    assert.equal(session.status, 201, session.text);
    const user = await service.post('/api/users', {
      body: { name: 'Ada', email: 'ada@example.com', password, role: null },
    });
    assert.deepEqual([user.status, user.body.role], [201, 'user'], user.text);
    const customer = await service.post('/customers', { token, body: { name: 'Grace', userId: null } });
    assert.equal(customer.status, 201, customer.text);
    const order = await service.post('/orders', {
      token,
      body: {
        customerId: customer.body.id,
        currency: 'EUR',
        items: items.map((item) => ({ ...item, total: null })),
        ...{ status: null, payment: null, userId: null, total: null, note: null },
      },
    });
    assert.deepEqual([order.status, order.body.status, order.body.total], [201, 'open', 1498], order.text);
  });

  test('PUT with null for what is omitted otherwise changes nothing else, and null is no password', async () => {
    const token = await rootToken(service);
    const { body: me } = await service.get('/api/users/1', { token });
    const response = await service.put('/api/users/1', {
      token,
      body: { name: me.name, email: me.email, role: null, password: null, currentPassword: null, id: null },
    });
    assert.deepEqual([response.status, response.body], [200, me], response.text);
    const { id, userId } = await newCustomer(service, token);
    const put = await service.put(`/customers/${id}`, { token, body: { name: 'Grace', userId: null } });
    assert.deepEqual([put.status, put.body.userId], [200, userId], put.text);
  });

  test('a PATCH of an order may have null as its reason and as the totals of its items, and null removes as before', async () => {
    const token = await rootToken(service);
    const { id } = await newOrder(service, token, { note: 'Please ring twice.' });
    const body = { note: null, reason: null, items: items.map((item) => ({ ...item, total: null })) };
    const { status, body: order, text } = await service.patch(`/orders/${id}`, { token, body });
    assert.deepEqual([status, order.note, order.total], [200, null, 1498], text);
    const wrong = await service.patch(`/orders/${id}`, { token, body: { customerId: null } });
    assert.deepEqual(issuesOf(wrong), ['#/customerId type']);
    await service.patch(`/orders/${id}`, { token, body: { status: 'paid' } });
    const back = await service.patch(`/orders/${id}`, { token, body: { status: 'open', reason: null } });
    assert.deepEqual(issuesOf(back), ['#/reason required']);
  });
});

type Shape = { readonly properties?: Record<string, Json>; readonly required?: readonly string[] };

function shapeOf(document: Json, schema: Json): Shape & Json {
  return follow<Json>(document, schema);
}

function optionalMembers(document: Json, schema: Json, at = ''): [name: string, member: Json][] {
  const { properties = {}, required = [], items: elements } = shapeOf(document, schema);
  return [
    ...(elements === undefined ? [] : optionalMembers(document, elements as Json, `${at}[]`)),
    ...Object.entries(properties).flatMap(([name, member]): [string, Json][] => [
      ...(required.includes(name) ? [] : [[`${at}.${name}`, member] satisfies [string, Json]]),
      ...optionalMembers(document, member, `${at}.${name}`),
    ]),
  ];
}

function mayBeNull(document: Json, member: Json): boolean {
  const { type, anyOf = [] } = shapeOf(document, member);
  const types = [type, ...(anyOf as Json[]).map((each) => each['type'])].flat();
  return types.includes('null');
}
