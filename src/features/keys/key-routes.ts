// API keys over HTTP: /api/keys. A key can't manage keys, so all routes require a session's token.
import {
  checkStepUp,
  recentSignIn,
  requireOwner,
  signedIn,
  type Caller,
  type Scope,
} from '../../auth/access.ts';
import { empty, notStored } from '../../http/routing/reply.ts';
import { listParameters, type Lists } from '../../http/lists/list.ts';
import { represent, type Representation } from '../../http/responses/representation.ts';
import { lookupOf } from '../../http/responses/representation-cache.ts';
import { route, type Call, type Route } from '../../http/routing/route.ts';
import { id } from '../../schema/members.ts';
import { optional } from '../../schema/schema.ts';
import { requireOwned, requireVisible } from '../../storage/object-access.ts';
import { Key, CreatedApiKey, newKey, type NewKey } from './key.ts';
import { addKey, keySelection, keySource, removeKey, type StoredKey, keysPerUserMax } from './key-store.ts';

type KeyServices = { readonly lists: Lists; readonly declared: { readonly scopes: readonly Scope[] } };

export function keyRoutes({ lists, declared }: KeyServices): Route[] {
  return [createKeyRoute(declared.scopes), listKeysRoute(lists), readKeyRoute(), deleteKeyRoute()];
}

const keyLookup = lookupOf({ find: keySource.find, represent: representKey });

function representKey({ userId, ...key }: StoredKey): Representation<Key> {
  return represent(key, { id: key.id, ownerId: userId });
}

function createKeyRoute(scopes: readonly Scope[]): Route {
  return route({
    method: 'POST',
    path: '/api/keys',
    countsAgainstQuota: true,
    tag: 'API keys',
    summary: 'Create an API key',
    access: signedIn,
    body: newKey(scopes),
    reply: {
      kind: 'object',
      schema: CreatedApiKey,
      location: ({ id }) => `/api/keys/${id}`,
      cacheControl: notStored,
    },
    description: `Needs ${recentSignIn}. A user has at most ${keysPerUserMax} keys.`,
    problems: ['step-up-required'],
    handle: (call) => createKey(call),
  });
}

/** Creates a key. The ETag is the same as in GET /api/keys/{id}, which shows the key without its secret. */
async function createKey(call: Call<object, object, NewKey, Caller>): Promise<Representation<CreatedApiKey>> {
  const { body, caller, now } = call;
  checkStepUp(caller, now, 'Creating an API key');
  return call.write((permit) => {
    const { userId } = permit.caller;
    const { key: added, secret } = addKey(permit, { ...body, userId });
    const { userId: _owner, ...shown } = added;
    const { id, etag } = representKey(added);
    call.reportSecurityEvent({ name: 'authn_token_created', userId, keyId: id });
    return represent({ ...shown, key: secret }, { id, ownerId: userId, etag });
  });
}

function listKeysRoute(lists: Lists): Route {
  return route({
    method: 'GET',
    path: '/api/keys',
    tag: 'API keys',
    summary: 'List API keys, newest first',
    access: signedIn,
    query: { userId: optional(id, { description: 'The owner, if not oneself.' }), ...listParameters },
    reply: { kind: 'list', schema: Key },
    description: 'Lists one’s own; an administrator may select another user’s.',
    problems: ['forbidden'],
    handle(call) {
      const selectionFor = (caller: Caller) => {
        const userId = requireOwner(caller, call.query, 'API keys');
        return keySelection({ userId });
      };
      return lists.page(call, { selectionFor, elements: keyLookup });
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
    reply: { kind: 'object', schema: Key },
    problems: ['forbidden'],
    handle: (call) => representKey(requireVisible(keySource, call, call.params.id)),
  });
}

function deleteKeyRoute(): Route {
  return route({
    method: 'DELETE',
    path: '/api/keys/{id}',
    tag: 'API keys',
    summary: 'Delete an API key',
    access: signedIn,
    countsAgainstQuota: false,
    reply: { kind: 'none' },
    description: `Deleting a key of another user needs ${recentSignIn}.`,
    problems: ['forbidden', 'step-up-required'],
    handle: (call) =>
      call.write((permit) => {
        const key = requireOwned(keySource, permit, call.params.id);
        const { id, userId } = key;
        if (userId !== permit.caller.userId)
          checkStepUp(permit.caller, call.now, 'Deleting an API key of another user');
        call.checkPrecondition(() => representKey(key).etag);
        removeKey(permit, key);
        call.reportSecurityEvent({ name: 'authn_token_revoked', userId, keyId: id });
        return empty;
      }),
  });
}
