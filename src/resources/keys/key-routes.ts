// API keys over HTTP: /api/keys. A key can't manage keys, so all routes require a session's token.
import {
  accountAccessOf,
  checkStepUp,
  recentSignIn,
  requireOwner,
  signedIn,
  type Caller,
} from '../../auth/access.ts';
import type { Cursors } from '../../http/cursor.ts';
import { listPage, listParameters } from '../../http/list.ts';
import { represent, type Representation } from '../../http/representation.ts';
import { createFinder } from '../../http/representation-cache.ts';
import { created, listOf, noContent, ok } from '../../http/reply.ts';
import { route, type Context, type Route } from '../../http/route.ts';
import { keysPerUserMax } from '../../limits.ts';
import { id } from '../../schema/members.ts';
import { optional } from '../../schema/schema.ts';
import { removeObject, type Resource } from '../flows/change.ts';
import { readBack, requireVisible } from '../flows/visible.ts';
import { Key, CreatedApiKey, NewKey } from './key.ts';
import { addKey, keySelection, keySource, removeKey, type StoredKey } from './key-store.ts';

export function keyRoutes({ cursors }: { readonly cursors: Cursors }): Route[] {
  return [createKeyRoute(), listKeysRoute(cursors), readKeyRoute(), deleteKeyRoute()];
}

const keyResource: Resource<StoredKey, Key> = {
  ...keySource,
  accessOf: accountAccessOf,
  represent: representKey,
};

function representKey({ userId, ...key }: StoredKey): Representation<Key> {
  return represent(key, { id: key.id, ownerId: userId });
}

function createKeyRoute(): Route {
  return route({
    method: 'POST',
    path: '/api/keys',
    countsAsCreated: true,
    tag: 'API keys',
    summary: 'Create an API key',
    access: signedIn,
    body: NewKey,
    reply: created(CreatedApiKey, ({ id }) => `/api/keys/${id}`, {
      isSecret: true,
    }),
    description: `Needs ${recentSignIn}. A user has at most ${keysPerUserMax} keys.`,
    problems: ['step-up-required'],
    handle: createKey,
  });
}

/** The ETag is that of the key without its secret, which is also that of GET /api/keys/{id}. */
async function createKey(
  context: Context<object, object, NewKey, Caller>,
): Promise<Representation<CreatedApiKey>> {
  const { body, caller, database, now } = context;
  checkStepUp(caller, now, 'Creating an API key');
  const key = await database.write((writer) => {
    const permit = context.authorizeWrite(writer);
    const { userId } = permit.caller;
    const key = addKey(permit, { ...body, userId });
    const { etag } = representKey(readBack(keySource, writer, key.id));
    return { ...represent(key, { id: key.id, ownerId: userId }), etag };
  });
  context.reportSecurityEvent({ name: 'authn_token_created', userId: caller.userId, keyId: key.id });
  return key;
}

function listKeysRoute(cursors: Cursors): Route {
  return route({
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
      const selectionFor = (caller: Caller) => {
        const userId = requireOwner(caller, context.query, 'API keys');
        return keySelection({ userId });
      };
      return listPage(context, { cursors, selectionFor, find: createFinder(keyResource) });
    },
  });
}

function readKeyRoute(): Route {
  return route({
    method: 'GET',
    path: '/api/keys/{id}',
    tag: 'API keys',
    summary: 'Read an API key',
    access: signedIn,
    reply: ok(Key),
    problems: ['forbidden'],
    handle({ params: { id }, caller, database }) {
      return representKey(
        requireVisible(keySource, { db: database.read, id, access: accountAccessOf(caller) }),
      );
    },
  });
}

function deleteKeyRoute(): Route {
  return route({
    method: 'DELETE',
    path: '/api/keys/{id}',
    tag: 'API keys',
    summary: 'Delete an API key',
    access: signedIn,
    endsAccess: true,
    reply: noContent(),
    description: `Deleting a key of another user needs ${recentSignIn}.`,
    problems: ['forbidden', 'step-up-required'],
    handle(context) {
      return removeObject(context, keyResource, {
        checkRights(key, caller) {
          if (key.userId !== caller.userId)
            checkStepUp(caller, context.now, 'Deleting an API key of another user');
        },
        remove: removeKey,
        securityEvent: ({ id, userId }) => ({ name: 'authn_token_revoked', userId, keyId: id }),
      });
    },
  });
}
