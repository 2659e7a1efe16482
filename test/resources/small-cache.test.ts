// Representations are kept in a cache that holds a few only: what is read is what was written, all the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceFor } from '../service.ts';
import { newCustomer, newOrder } from './resource-support.ts';

for (const cacheBytes of ['0', '8000'])
  test(`with ${cacheBytes} bytes of cache a change is read back at once`, async (t) => {
    const service = await serviceFor(t, { settings: { 'cache-bytes': cacheBytes } });
    const { token } = await service.person();
    const paths: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const { id: customerId } = await newCustomer(service, token);
      const { id } = await newOrder(service, token, { customerId });
      paths.push(`/orders/${id}`, `/customers/${customerId}`);
    }
    for (const [index, path] of paths.entries()) {
      for (const other of [...paths.slice(index), ...paths.slice(0, index), path])
        await service.get(other, { token });
      const change = path.startsWith('/orders') ? { note: `note ${index}` } : { name: `name ${index}` };
      const { text, headers } = await service.patch(path, { token, body: change });
      const read = await service.get(path, { token });
      assert.deepEqual([read.text, read.headers.etag], [text, headers.etag]);
      assert.match(text, new RegExp(` ${index}"`));
    }
  });
