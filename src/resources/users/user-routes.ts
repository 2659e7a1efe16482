// Users over HTTP: /api/users.
import {
  accountAccessOf,
  adminOnly,
  checkStepUp,
  isAdmin,
  recentSignIn,
  selfOrAdmin,
  type Access,
  type Caller,
} from '../../auth/access.ts';
import type { SealedSecrets } from '../../auth/sealed-secrets.ts';
import type { Cursors } from '../../http/cursor.ts';
import { empty } from '../../http/handler-result.ts';
import { listPage, listParameters } from '../../http/list.ts';
import type { Representation } from '../../http/representation.ts';
import { createFinder } from '../../http/representation-cache.ts';
import { created, listOf, noContent, ok } from '../../http/reply.ts';
import { route, type Context, type Route } from '../../http/route.ts';
import { historyRoute } from '../events/history-routes.ts';
import { removeObject } from '../flows/change.ts';
import { readBack, requireVisible } from '../flows/visible.ts';
import { suspensionRoutes } from './suspension-routes.ts';
import { totpRoutes } from './totp-routes.ts';
import {
  User,
  checkMayGiveRole,
  userBodies,
  userListParameters,
  type NewUser,
  type UserBodies,
} from './user.ts';
import {
  patchUserRoute,
  putUserRoute,
  representUser,
  userResource,
  type UserChangeServices,
} from './user-change-routes.ts';
import { addUser, removeUser, userSelection, userSource } from './user-store.ts';

type UserServices = UserChangeServices & {
  readonly totpSecrets: SealedSecrets;
  readonly cursors: Cursors;
  readonly registration: 'open' | 'closed';
  /** Starts clearing removed users from the rows that they owned, in the background. */
  readonly clearOwners: () => void;
};

export function userRoutes(services: UserServices): Route[] {
  const bodies = userBodies(services.passwordMin);
  return [
    listUsersRoute(services),
    signUpRoute(services, bodies),
    readUserRoute(),
    putUserRoute(services, bodies),
    patchUserRoute(services, bodies),
    deleteUserRoute(services),
    ...suspensionRoutes(services),
    ...totpRoutes(services),
    userHistoryRoute(services),
  ];
}

function listUsersRoute({ cursors }: UserServices): Route {
  return route({
    method: 'GET',
    path: '/api/users',
    tag: 'Users',
    summary: 'List users',
    access: adminOnly,
    scope: 'users:read',
    query: { ...userListParameters, ...listParameters },
    reply: listOf(User),
    handle(context) {
      const selectionFor = (caller: Caller) => userSelection(accountAccessOf(caller), context.query);
      return listPage(context, { cursors, selectionFor, find: createFinder(userResource) });
    },
  });
}

function userHistoryRoute({ cursors }: UserServices): Route {
  return historyRoute({
    path: '/api/users/{id}/events',
    summary: 'List what happened to a user, their sessions and keys',
    topic: 'user',
    access: selfOrAdmin,
    source: userSource,
    accessOf: accountAccessOf,
    cursors,
  });
}

function signUpRoute(services: UserServices, bodies: UserBodies): Route {
  return route({
    method: 'POST',
    path: '/api/users',
    countsAsCreated: true,
    tag: 'Users',
    summary: 'Sign up, or create a user',
    access: registrant(services.registration),
    scope: 'users:write',
    acceptsIdempotencyKey: true,
    body: bodies.NewUser,
    reply: created(User, ({ id }) => `/api/users/${id}`),
    problems: ['email-taken', 'forbidden', 'step-up-required'],
    handle: (context) => createUser(context, services),
  });
}

function registrant(registration: UserServices['registration']): Access<object, Caller | undefined> {
  if (registration === 'open') {
    return {
      description: 'Anyone may call this; only an administrator may give a role other than user.',
      credentials: 'optional',
      permits: () => true,
    };
  }
  return {
    description: 'Registration is closed: only an administrator may call this.',
    credentials: 'required',
    permits: (caller) => caller !== undefined && isAdmin(caller),
  };
}

type SignUpContext = Context<object, object, NewUser, Caller | undefined>;

async function createUser(
  context: SignUpContext,
  { passwords }: UserServices,
): Promise<Representation<User>> {
  const { body, caller } = context;
  const { name, email, role = 'user' } = body;
  if (role !== 'user') checkMayGiveRole(caller, context.now);
  const passwordHash = await passwords.hashNew(context, body.password);
  const user = await context.writeResult((writer) => {
    const permit = context.authorizeWrite(writer);
    const { now } = permit.origin;
    if (role !== 'user') checkMayGiveRole(permit.caller, now);
    const id = addUser(permit, { name, email, role, passwordHash }, now);
    return representUser(readBack(userSource, writer, id));
  });
  context.reportSecurityEvent({ name: 'user_created', userId: user.id, role });
  return user;
}

function readUserRoute(): Route {
  return route({
    method: 'GET',
    path: '/api/users/{id}',
    tag: 'Users',
    summary: 'Read a user',
    access: selfOrAdmin,
    scope: 'users:read',
    reply: ok(User),
    handle({ params: { id }, caller, database }) {
      const access = accountAccessOf(caller);
      return representUser(requireVisible(userSource, { db: database.read, id, access }));
    },
  });
}

function deleteUserRoute({ clearOwners }: UserServices): Route {
  return route({
    method: 'DELETE',
    path: '/api/users/{id}',
    tag: 'Users',
    summary: 'Delete a user',
    access: selfOrAdmin,
    reply: noContent(),
    description:
      'Ends the user’s sessions and keys. Their customers and orders stay, with `userId: null`. ' +
      `Needs ${recentSignIn}.`,
    problems: ['last-admin', 'step-up-required'],
    async handle(context) {
      checkStepUp(context.caller, context.now, 'Deleting a user');
      await removeObject(context, userResource, {
        remove: removeUser,
        securityEvent: ({ id }) => ({ name: 'user_deleted', userId: id }),
      });
      clearOwners();
      return empty;
    },
  });
}
