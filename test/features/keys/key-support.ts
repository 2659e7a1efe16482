// For the tests of API keys.
import assert from 'node:assert/strict';
import { assertProblem } from '../../support/http-support.ts';
import { type TestResponse } from '../../support/service.ts';

export function assertRejected(response: TestResponse): void {
  assertProblem(response, 'invalid-token');
  assert.equal(response.headers['www-authenticate'], 'Bearer realm="orderly", error="invalid_token"');
}
