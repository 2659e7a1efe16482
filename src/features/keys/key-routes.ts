// API keys over HTTP: /api/keys. A key can't manage keys, so all routes require a session's token.
import {
  checkStepUp,
  recentSignIn,
  requireAccountId,
  signedIn,
  type Caller,
  type Scope,
} from '../../auth/access.ts';
import { listParameters, type Lists } from '../../http/lists/list.ts';
import { representationsOf } from '../../http/responses/representation-cache.ts';
import { represent, withSecret, type Representation } from '../../http/responses/representation.ts';
import { empty, notStored } from '../../http/routing/reply.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { id } from '../../schema/members.ts';
import { optional } from '../../schema/schema.ts';
import { requireOwned, requireVisible } from '../../storage/object-access.ts';
import { addKey, keySelection, keySource, keysPerUserMax, removeKey, type StoredKey } from './key-store.ts';
import { CreatedApiKey, Key, newKey } from './key.ts';

type KeyServices = { readonly lists: Lists; readonly declared: { readonly scopes: readonly Scope[] } };

const common = { tag: 'API keys', access: signedIn } as const;
const keys = representationsOf(keySource, representKey);

function representKey({ userId, ...key }: StoredKey): Representation<Key> {
  return represent(key, { id: key.id, ownerId: userId });
}

export function keyRoutes({ lists, declared }: KeyServices): Route[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/api/keys',
      countsAsChange: true,
      summary: 'Create an API key',
      body: newKey(declared.scopes),
      reply: {
        kind: 'object',
        schema: CreatedApiKey,
        location: ({ id }) => `/api/keys/${id}`,
        cacheControl: notStored,
      },
      description: `Needs ${recentSignIn}. A user has at most ${keysPerUserMax} keys.`,
      problems: ['step-up-required'],
      async handle(call) {
        checkStepUp(call.caller, call.now, 'Creating an API key');
        return call.write((permit) => {
          const { userId } = permit.caller;
          const { key, secret } = addKey(permit, { ...call.body, userId });
          call.reportSecurityEvent({ name: 'authn_token_created', userId, keyId: key.id });
          return withSecret(representKey(key), { key: secret });
        });
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/api/keys',
      summary: 'List API keys, newest first',
      query: { userId: optional(id, { description: 'The owner, if not oneself.' }), ...listParameters },
      reply: { kind: 'list', schema: Key },
      description: 'Lists one’s own; an administrator may select another user’s.',
      problems: ['forbidden'],
      handle(call) {
        const selectionFor = (caller: Caller) =>
          keySelection({ userId: requireAccountId(caller, call.query, 'API keys') });
        return lists.page(call, { selectionFor, elements: keys });
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/api/keys/{id}',
      summary: 'Read an API key',
      reply: { kind: 'object', schema: Key },
      problems: ['forbidden'],
      handle: (call) => requireVisible(keys, call, call.params.id),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/api/keys/{id}',
      summary: 'Delete an API key',
      countsAsChange: false,
      reply: { kind: 'none' },
      description: `Deleting a key of another user needs ${recentSignIn}.`,
      problems: ['forbidden', 'step-up-required'],
      handle: (call) =>
        call.write((permit) => {
          const key = requireOwned(keySource, permit, call.params.id);
          const { id: keyId, userId } = key;
          if (userId !== permit.caller.userId)
            checkStepUp(permit.caller, call.now, 'Deleting an API key of another user');
          call.checkPrecondition(() => representKey(key).etag);
          removeKey(permit, key);
          call.reportSecurityEvent({ name: 'authn_token_revoked', userId, keyId });
          return empty;
        }),
    }),
  ];
}
