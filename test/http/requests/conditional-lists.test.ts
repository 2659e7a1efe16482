// Writes of lists: their conditions name the page that a GET would return.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serviceFor } from '../../support/service.ts';

const cases: readonly (readonly [
  what: string,
  headersFor: (etag: string) => Record<string, string>,
  status: number,
])[] = [
  ['no condition', () => ({}), 204],
  ['If-Match: the tag of the list', (etag) => ({ 'if-match': etag }), 204],
  ['If-Match: *', () => ({ 'if-match': '*' }), 204],
  ['If-Match: a stale tag', () => ({ 'if-match': '"stale"' }), 412],
  ['If-None-Match: a stale tag', () => ({ 'if-none-match': '"stale"' }), 204],
  ['If-None-Match: the tag of the list', (etag) => ({ 'if-none-match': etag }), 412],
  ['If-None-Match: *', () => ({ 'if-none-match': '*' }), 412],
];

describe('DELETE /api/sessions', () => {
  for (const [what, headersFor, status] of cases)
    test(`DELETE /api/sessions with ${what} is ${status}`, async (t) => {
      const service = await serviceFor(t);
      const { token } = await service.person();
      const { headers } = await service.get('/api/sessions', { token });
      const response = await service.delete('/api/sessions', {
        token,
        headers: headersFor(headers.etag ?? ''),
      });
      assert.equal(response.status, status);
      const isSignedIn = (await service.get('/api/sessions', { token })).status === 200;
      assert.equal(isSignedIn, status === 412);
    });
});
