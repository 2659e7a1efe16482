// Turns of an import that complete no line, as on a machine that is so slow that a piece of one takes a turn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedIn } from '../../../src/auth/access.ts';
import { stepMillisecondsMax } from '../../../src/base/turns.ts';
import { Imports } from '../../../src/features/imports/line-imports.ts';
import { ndjson } from '../../../src/http/responses/media-types.ts';
import { route } from '../../../src/http/routing/route.ts';
import { openRaw } from '../../support/raw-connection.ts';
import { executable, serviceFor } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';

test(
  'a turn without a whole line extends no time limit, and counts as no line',
  { skip: executable !== undefined && 'needs a route of its own', timeout: 30_000 },
  async (t) => {
    let pieces = 0;
    const readSlowly = (): [] => {
      const end = performance.now() + 2 * stepMillisecondsMax;
      while (performance.now() < end);
      pieces += 1;
      return [];
    };
    const imports = new Imports({
      log: { write() {}, request() {}, flush() {} },
      now: Date.now,
      timers: { after: (milliseconds, callback) => service.clock.after(milliseconds, callback) },
      stopping: new AbortController().signal,
    });
    const slow = route({
      method: 'POST',
      path: '/test/lines',
      tag: 'Test',
      summary: 'Reads lines',
      access: signedIn,
      scope: 'any',
      streamedBody: { bytesMax: 1024, contents: { [ndjson]: { description: 'Lines.', example: '{}' } } },
      reply: { kind: 'stream', mediaTypes: [ndjson] },
      handle: (call) =>
        imports.createResult(call, {
          read: readSlowly,
          parse: (value) => value,
          write: () => ({ status: 200, id: 1, result: 'unchanged' }),
        }),
    });
    const service = await serviceFor(t, { extraRoutes: [slow] });
    const { token } = await service.person();
    const connection = await openRaw(service.port);
    connection.write(
      `POST /test/lines HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: ${ndjson}\r\nContent-Length: 9\r\n\r\n{`,
    );
    await until(() => pieces === 1);
    service.clock.advance(20_000);
    connection.write('"');
    await until(() => pieces === 2);
    for (let request = 0; request < 3; request += 1) await service.get('/health/live'); // its turn is over
    service.clock.advance(10_000);
    assert.match(await connection.closed, /\{"line":1,"status":408,/);
  },
);
