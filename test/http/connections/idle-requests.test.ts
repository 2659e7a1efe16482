// Between requests a connection keeps nothing of the last one, since there may be ten thousand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { assertStatus } from '../../support/http-support.ts';
import { request } from '../../support/connection-support.ts';
import { insideOnly, serviceFor } from '../../support/service.ts';
import { openRaw } from '../../support/raw-connection.ts';

const body = '{"name":"Ada"}';
const post = (path: string, type: string, ...fields: string[]): string =>
  request(`POST ${path}`, ['Content-Length: 14', `Content-Type: ${type}`, ...fields]);
const [json, ndjson] = ['application/json', 'application/x-ndjson'];
setFlagsFromString('--expose-gc'); // for contexts that are made from now on
const collectGarbage: () => void = runInNewContext('gc');

for (const [name, head, whole, status] of [
  ['a body', (token: string) => post('/customers', json, `Authorization: Bearer ${token}`), true, 201],
  ['a body that arrives after the response', () => post('/customers', json), false, 401],
  ['a body that no route reads', () => post('/imports', ndjson), true, 401],
  ['one that arrives after the response', () => post('/imports', ndjson), false, 401],
] as const)
  test(`an idle connection doesn’t keep its last request, with ${name}`, insideOnly, async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person();
    const { handler } = service.inside?.app ?? assert.fail('it is skipped otherwise');
    const received: WeakRef<object>[] = [];
    const { onRequest } = handler;
    handler.onRequest = (request, response, connection, expectation) => {
      received.push(new WeakRef(request), new WeakRef(response));
      onRequest.call(handler, request, response, connection, expectation);
    };
    using connection = await openRaw(service.port);
    connection.write(head(token) + (whole ? body : ''));
    await assertStatus(connection.response(), status);
    if (!whole) connection.write(body);
    // after these the body has arrived
    for (let call = 0; call < 20; call += 1) await assertStatus(service.get('/health/live'), 200);
    const isKept = (): boolean => received.slice(0, 2).some((each) => each.deref() !== undefined);
    for (let tries = 0; tries < 10 && isKept(); tries += 1) {
      await nextTurn(); // until then `deref` keeps what it returned
      collectGarbage();
    }
    assert.equal(received.length, 42);
    assert.equal(isKept(), false);
  });
