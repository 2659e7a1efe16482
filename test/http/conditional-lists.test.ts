// Writes of lists: conditions name the page that a GET would return, which is read only for them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { adminOnly } from '../../src/auth/access.ts';
import { createCursors } from '../../src/http/cursor.ts';
import { empty } from '../../src/http/handler-result.ts';
import { noContent } from '../../src/http/reply.ts';
import { route, type Route } from '../../src/http/route.ts';
import { checkListUnchanged } from '../../src/resources/flows/change.ts';
import { webhookSelection } from '../../src/resources/webhooks/webhook-store.ts';
import { rootToken } from '../resources/resource-support.ts';
import { executable, serviceFor } from '../service.ts';

const cases: readonly (readonly [
  what: string,
  headers: Record<string, string>,
  status: number,
  reads: number,
])[] = [
  ['no condition', {}, 204, 0],
  ['If-Match: *', { 'if-match': '*' }, 204, 1],
  ['If-Match: a stale tag', { 'if-match': '"stale"' }, 412, 1],
  ['If-None-Match: a stale tag', { 'if-none-match': '"stale"' }, 204, 1],
  ['If-None-Match: *', { 'if-none-match': '*' }, 412, 1],
];

describe('a write of a list', { skip: executable !== undefined && 'needs a route of its own' }, () => {
  for (const [what, headers, status, reads] of cases)
    test(`with ${what} is ${status} and reads the list ${reads} times`, async (t) => {
      const list = { reads: 0 };
      const service = await serviceFor(t, { extraRoutes: [writingList(list)] });
      const token = await rootToken(service);
      const response = await service.delete('/test/list', { token, headers, isUndescribed: true });
      assert.deepEqual([response.status, list.reads], [status, reads]);
    });
});

function writingList(list: { reads: number }): Route {
  const selectionFor = (): ReturnType<typeof webhookSelection> => {
    list.reads += 1;
    return webhookSelection();
  };
  const pages = { cursors: createCursors([]), selectionFor, find: () => undefined };
  return route({
    method: 'DELETE',
    path: '/test/list',
    tag: 'Service',
    summary: 'Removes nothing of a list',
    access: adminOnly,
    reply: noContent(),
    handle: (context) =>
      context.database.write((writer) => {
        const { caller } = context.authorizeWrite(writer);
        checkListUnchanged(context, pages, { db: writer, caller });
        return empty;
      }),
  });
}
