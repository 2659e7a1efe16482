// A body that arrives after the caller lost the right to send it is not checked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceFor } from '../../support/service.ts';
import { assertProblem } from '../../support/http-support.ts';
import { openRaw } from '../../support/raw-connection.ts';

test('a caller who has lost the right gets no issues of the body', async (t) => {
  const service = await serviceFor(t);
  const { token, sessionId } = await service.person();
  const body = '{"currency":"none"}';
  const fields = [
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ];
  const late = await openRaw(service.port);
  late.write(`POST /orders HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
  assert.equal((await late.response()).status, 100);
  assert.equal((await service.delete(`/api/sessions/${sessionId}`, { token })).status, 204);
  late.write(body);
  assertProblem(await late.response(), 'invalid-token', 401);
  late.socket.destroy();
});
