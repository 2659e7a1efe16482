// What the console makes of a resource that it knows from the service's document alone: here of products, as if they
// were one of the shop's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otherResources } from '../../src/features/console/console-page.ts';
import { serviceFor } from '../support/service.ts';

test('resources without pages of their own are those of a list and an object, of which there are none', async (t) => {
  const service = await serviceFor(t);
  const { body: document } = await service.get('/openapi.json');
  assert.deepEqual(otherResources(document), []);
  const { paths } = document;
  const products = paths['/products'] ?? {};
  const one = paths['/products/{id}'] ?? {};
  const own = { ...paths, '/suppliers': products, '/suppliers/{id}': one, '/lonely/{id}': one };
  assert.deepEqual(otherResources({ paths: own }), ['suppliers']);
  assert.match((await service.get('/console')).text, /<meta name="resources" content="">/);
});
