// API keys over HTTP: /api/keys. A key can't manage keys, so all need a session's token.
import { signedIn, type Caller } from '../../auth/access.ts';
import type { Cursors } from '../../http/cursor.ts';
import { listPage, listParameters } from '../../http/list.ts';
import { represent, type Representation } from '../../http/representation.ts';
import { created, listOf, noContent, nothing, ok, route, type Route } from '../../http/route.ts';
import type { Connection } from '../../storage/connection.ts';
import { within } from '../users/owned.ts';
import { Key, MadeKey, NewKey } from './key.ts';
import { addKey, findKey, removeKey, selectKeys } from './key-store.ts';

export function keyRoutes({ cursors }: { readonly cursors: Cursors }): Route[] {
  const create = route({
    method: 'POST',
    path: '/api/keys',
    tag: 'API keys',
    summary: 'Make an API key',
    access: signedIn,
    body: NewKey,
    reply: created(MadeKey, ({ id }) => `/api/keys/${id}`, {
      isSecret: true,
      links: { get: 'GET /api/keys/{id}' },
    }),
    handle: ({ body, caller, db, now }) =>
      db.write((writer) => {
        const made = addKey(writer, caller.userId, body, now);
        return {
          ...represent(made, { id: made.id, ownerId: caller.userId }),
          etag: owned(writer, made.id, caller).etag,
        };
      }),
  });

  const list = route({
    method: 'GET',
    path: '/api/keys',
    tag: 'API keys',
    summary: 'List one’s API keys, newest first',
    access: signedIn,
    query: listParameters,
    reply: listOf(Key),
    handle: (context) =>
      listPage(context, cursors, selectKeys(context.caller.userId), (db, id) =>
        findKey(db, context.caller, id),
      ),
  });

  const read = route({
    method: 'GET',
    path: '/api/keys/{id}',
    tag: 'API keys',
    summary: 'Read an API key',
    access: signedIn,
    reply: ok(Key),
    problems: ['forbidden'],
    handle: ({ params, caller, db }) => owned(db.read, params.id, caller),
  });

  const remove = route({
    method: 'DELETE',
    path: '/api/keys/{id}',
    tag: 'API keys',
    summary: 'Delete an API key',
    access: signedIn,
    reply: noContent(),
    isConditional: true,
    problems: ['forbidden'],
    handle: ({ params, caller, db, precondition }) =>
      db.write((writer) => {
        precondition(owned(writer, params.id, caller).etag);
        removeKey(writer, params.id);
        return nothing;
      }),
  });

  return [create, list, read, remove];
}

/** For its user only, whatever the caller's role. */
function owned(db: Connection, id: number, caller: Caller): Representation<Key> {
  return within(caller, findKey(db, 'everyone', id), 'API key', id);
}
