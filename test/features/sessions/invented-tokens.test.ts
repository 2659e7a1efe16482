// A refresh token that the service never issued is rejected without a write, as on a full disk.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unavailable } from '../../../src/problem.ts';
import { assertProblem } from '../../support/http-support.ts';
import { insideOnly, serviceFor } from '../../support/service.ts';

test('an invented refresh token is 401 while nothing can be written', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { sessionId, refreshToken } = await service.person();
  const { database } = service.inside ?? assert.fail('the test is skipped otherwise');
  database.write = () => Promise.reject(unavailable('Writes are temporarily unavailable.'));
  for (const id of [sessionId, 4711])
    assertProblem(
      await service.renew({ sessionId: id, refreshToken: 'A'.repeat(48) }),
      'invalid-credentials',
      401,
    );
  assertProblem(await service.renew({ sessionId, refreshToken }), 'unavailable', 503);
});
