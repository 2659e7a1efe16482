// A service without webhooks: nothing of them is there, and what they stored is back with them.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { insideOnly, serviceFor, type TestService } from '../../support/service.ts';

suite('a service without webhooks', insideOnly, () => {
  test('a service without webhooks has no metrics of them, and nothing in the OpenAPI document', async (t) => {
    const service = await serviceFor(t, { settings: { without: 'webhooks' } });
    const { body } = await service.get('/openapi.json');
    assert.deepEqual(body.webhooks, {});
    assert.equal(JSON.stringify(body.tags).includes('Webhooks'), false);
    assert.doesNotMatch((await service.get('/metrics')).text, /webhook/);
  });

  test('a service without webhooks keeps their rows, and with them again has all events of meanwhile', async (t) => {
    const first = await serviceFor(t);
    const { token } = await first.signIn(first.admin.email, first.admin.password);
    const body = { url: 'https://receiver.example/orders', types: ['customer.created'] };
    assert.equal((await first.post('/webhooks', { token, body })).status, 201);
    await first.stop();

    const folder = first.folder;
    const without = await serviceFor(t, { folder, settings: { without: 'webhooks,console,history' } });
    const { id } = await addCustomer(without);
    await without.stop();

    const again = await serviceFor(t, { folder });
    const back = await again.signIn(again.admin.email, again.admin.password);
    const { data } = (await again.get('/webhooks', { token: back.token })).body;
    assert.deepEqual(
      data.map(({ url }: { readonly url: string }) => url),
      [body.url],
    );
    const events = (await again.get(`/customers/${id}/events`, { token: back.token })).body.data;
    assert.equal(events[0].type, 'customer.created');
  });
});

async function addCustomer(service: TestService): Promise<{ readonly id: number }> {
  const { token } = await service.signIn(service.admin.email, service.admin.password);
  return (await service.post('/customers', { token, body: { name: 'Grace Hopper' } })).body;
}
