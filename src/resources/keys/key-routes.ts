// API keys over HTTP: /api/keys. A key can't manage keys, so all need a session's token.
import { checkStepUp, isAdmin, signedIn, type Caller } from '../../auth/access.ts';
import { forbidden } from '../../errors.ts';
import type { Cursors } from '../../http/cursor.ts';
import { listPage, listParameters } from '../../http/list.ts';
import { represent, type Representation } from '../../http/representation.ts';
import { created, listOf, noContent, nothing, ok, route, type Route } from '../../http/route.ts';
import { id } from '../../schema/members.ts';
import { optional } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import { requireVisible } from '../users/owned.ts';
import { Key, MadeKey, NewKey } from './key.ts';
import { addKey, findKey, removeKey, keyListing } from './key-store.ts';

export function keyRoutes({ cursors }: { readonly cursors: Cursors }): Route[] {
  const create = route({
    method: 'POST',
    path: '/api/keys',
    countsAsCreated: true,
    tag: 'API keys',
    summary: 'Create an API key',
    access: signedIn,
    body: NewKey,
    reply: created(MadeKey, ({ id }) => `/api/keys/${id}`, {
      isSecret: true,
      links: { get: 'GET /api/keys/{id}' },
    }),
    description: 'Needs a sign-in within the last 10 minutes. A user has at most 50 keys.',
    problems: ['step-up-required'],
    async handle(context) {
      const { body, caller, db, now, authorizeWrite } = context;
      checkStepUp(caller, now, 'Creating an API key');
      const made = await db.write((writer) => {
        const permit = authorizeWrite(writer);
        const { userId } = permit.caller;
        const made = addKey(permit, userId, body, now);
        return {
          ...represent(made, { id: made.id, ownerId: userId }),
          etag: owned(writer, made.id, permit.caller).etag,
        };
      });
      context.report({ name: 'authn_token_created', userId: caller.userId, keyId: made.id });
      return made;
    },
  });

  const list = route({
    method: 'GET',
    path: '/api/keys',
    tag: 'API keys',
    summary: 'List API keys, newest first',
    access: signedIn,
    query: { userId: optional(id, { description: 'The owner, if not oneself.' }), ...listParameters },
    reply: listOf(Key),
    description: 'Lists one’s own; an administrator may select another user’s.',
    problems: ['forbidden'],
    handle(context) {
      const { caller, query } = context;
      const userId = query.userId ?? caller.userId;
      if (userId !== caller.userId && !isAdmin(caller))
        throw forbidden('Only an administrator may see the API keys of others.');
      return listPage(context, cursors, keyListing(userId), (db, id) => findKey(db, { userId }, id));
    },
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
    async handle(context) {
      const { params, db, precondition, authorizeWrite } = context;
      const userId = await db.write((writer) => {
        const permit = authorizeWrite(writer);
        const { etag, ownerId } = owned(writer, params.id, permit.caller);
        precondition(etag);
        removeKey(permit, params.id);
        return ownerId;
      });
      context.report({ name: 'authn_token_revoked', userId, keyId: params.id });
      return nothing;
    },
  });

  return [create, list, read, remove];
}

/** For its user and administrators only, not for other staff. */
function owned(db: Connection, id: number, caller: Caller): Representation<Key> {
  return requireVisible(isAdmin(caller) ? 'everyone' : caller, findKey(db, 'everyone', id), 'API key', id);
}
