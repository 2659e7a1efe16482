// A cache that holds only a few representations: reads still return what was written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceFor } from '../../support/service.ts';
import { newCustomer, newOrder } from '../../support/resource-support.ts';

for (const cacheBytes of ['0', '8000', '20000'])
  test(`with ${cacheBytes} bytes of cache a change is read back, however aged the entry`, async (t) => {
    const service = await serviceFor(t, { settings: { 'cache-bytes': cacheBytes } });
    const { token } = await service.person();
    const orders: string[] = [];
    const customers: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const { id, customerId } = await newOrder(service, token, {
        customerId: (await newCustomer(service, token)).id,
      });
      orders.push(`/orders/${id}`);
      customers.push(`/customers/${customerId}`);
    }
    const kinds = [
      [orders, 'note'],
      [customers, 'name'],
    ] as const;
    for (const [paths, member] of kinds) {
      for (const [readSince, path] of paths.entries()) {
        const others = paths.filter((other) => other !== path).slice(0, readSince);
        for (const read of [path, ...others]) await service.get(read, { token });
        const body = { [member]: `changed after ${readSince} others were read` };
        const { text, headers } = await service.patch(path, { token, body });
        const again = await service.get(path, { token });
        assert.deepEqual([again.text, again.headers.etag], [text, headers.etag]);
      }
    }
  });
