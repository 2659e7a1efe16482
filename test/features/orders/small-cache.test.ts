// A cache that holds only a few representations: reads still return what was written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceFor } from '../../support/service.ts';
import { newOrder } from '../../support/resource-support.ts';

for (const cacheBytes of ['0', '8000', '20000'])
  test(`with ${cacheBytes} bytes of cache a change is read back, however aged the entry`, async (t) => {
    const service = await serviceFor(t, { settings: { 'cache-bytes': cacheBytes } });
    const { token, get, patch } = await service.person();
    const made = [];
    while (made.length < 12) made.push(await newOrder(service, token));
    for (const [paths, member] of [
      [made.map(({ id }) => `/orders/${id}`), 'note'],
      [made.map(({ customerId }) => `/customers/${customerId}`), 'name'],
    ] as const)
      for (const [readSince, path] of paths.entries()) {
        const others = paths.filter((other) => other !== path).slice(0, readSince);
        for (const read of [path, ...others]) await get(read);
        const changed = await patch(path, { [member]: `changed after ${readSince} others were read` });
        const again = await get(path);
        assert.deepEqual([again.text, again.headers.etag], [changed.text, changed.headers.etag]);
      }
  });
