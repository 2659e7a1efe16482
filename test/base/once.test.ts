// Values that are created when they are first needed, such as the pages of the documentation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { route } from '../../src/http/routing/route.ts';

import { anyone } from '../../src/auth/access.ts';
import { once } from '../../src/base/once.ts';
import { serviceFor } from '../support/service.ts';

test('a document that could not be created is created for the next request, and then cached', async (t) => {
  let attempts = 0;
  const made = once(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('there is no descriptor left for a thread');
    return { kind: 'document', content: { attempts } } as const;
  });
  const service = await serviceFor(t, {
    extraRoutes: [
      route({
        method: 'GET',
        path: '/test/document',
        tag: 'Service',
        summary: 'A document that can’t be made at first',
        access: anyone,
        reply: { kind: 'document' },
        handle: made,
      }),
    ],
  });
  const get = () => service.get('/test/document', { isUndescribed: true });
  assert.equal((await get()).status, 500);
  assert.deepEqual((await get()).body, { attempts: 2 });
  assert.deepEqual((await get()).body, { attempts: 2 });
});
