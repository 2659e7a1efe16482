// A service without webhooks: nothing of them is there, and what they stored is back with them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newCustomer, newWebhook, rootService, valuesIn } from '../../support/resource-support.ts';
import { insideOnly } from '../../support/service.ts';

test('a service without webhooks shows nothing of them, and keeps their rows', insideOnly, async (t) => {
  const { service, token } = await rootService(t);
  const { url } = await newWebhook(service, token);
  await service.stop();

  const { folder } = service;
  const without = await rootService(t, { folder, settings: { without: 'webhooks,console,history' } });
  const { body } = await without.root.get('/openapi.json');
  assert.deepEqual(body.webhooks, {});
  assert.ok(!JSON.stringify(body.tags).includes('Webhooks'));
  assert.doesNotMatch((await without.root.get('/metrics')).text, /webhook/);
  const { id } = await newCustomer(without.service, without.token);
  await without.service.stop();

  const { root } = await rootService(t, { folder });
  assert.deepEqual(valuesIn(await root.get('/webhooks'), 'url'), [url]);
  assert.deepEqual(valuesIn(await root.get(`/customers/${id}/events`), 'type'), ['customer.created']);
});
