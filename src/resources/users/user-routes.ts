// Users over HTTP: /api/users.
import { accountAccessOf, adminOnly, checkStepUp, isAdmin, recentSignIn, selfOrAdmin, type Access, type Caller } from '../../auth/access.ts';
import type { SealedSecrets } from '../../auth/sealed-secrets.ts';
import type { Cursors } from '../../http/cursor.ts';
import { empty, type Change } from '../../http/handler-result.ts';
import { listPage, listParameters } from '../../http/list.ts';
import { type Representation, represent } from '../../http/representation.ts';
import { createFinder } from '../../http/representation-cache.ts';
import { created, listOf, noContent, ok } from '../../http/reply.ts';
import { route, type Context, type Route } from '../../http/route.ts';
import { historyRoute } from '../events/history-routes.ts';
import { removeObject, changeObject, type Changeable, type Resource } from '../flows/change.ts';
import { readBack, requireVisible, type Visible } from '../flows/visible.ts';
import { suspensionRoutes } from './suspension-routes.ts';
import { totpRoutes } from './totp-routes.ts';
import { User, checkMayGiveRole, userBodies, userListParameters, type NewUser, type UserBodies, checkMayChange, currentPasswordIssue, mergeUser, type ChangedUser, type UserPatch } from './user.ts';
import { addUser, removeUser, userSelection, userSource, replaceUser, type StoredUser } from './user-store.ts';
import { invalid } from '../../problem.ts';
import type { SecurityEvent } from '../../security-event.ts';
import type { Permit } from '../../storage/permit.ts';
import type { PasswordChecks } from '../flows/password-checks.ts';

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

export type UserChangeServices = {
  readonly passwords: PasswordChecks;
  readonly passwordMin: number;
  /** Ends all sessions of a user but one. Passed in, since sessions depend on users and not the reverse. */
  readonly endSessions: (permit: Permit, user: Visible<StoredUser>, exceptId: number | null) => void;
  /** Removes all API keys of a user; passed in for the same reason. */
  readonly removeKeys: (permit: Permit, user: Visible<StoredUser>) => void;
  /** Called once a user's password has been replaced, with their e-mail address before that. */
  readonly onPasswordChange: (email: string) => void;
};

const userResource: Resource<StoredUser, User> = {
  ...userSource,
  accessOf: accountAccessOf,
  represent: representUser,
};

/** The ETag includes the row's version, since a new password changes no member that is shown. */
function representUser({ version, ...user }: StoredUser): Representation<User> {
  return represent(user, { id: user.id, ownerId: user.id, salt: String(version) });
}

const userChangeRouteBase = {
  path: '/api/users/{id}',
  tag: 'Users',
  access: selfOrAdmin,
  scope: 'users:write',
  reply: ok(User),
  problems: ['email-taken', 'last-admin', 'step-up-required'],
} as const;

function putUserRoute(services: UserChangeServices, bodies: UserBodies): Route {
  return route({
    ...userChangeRouteBase,
    method: 'PUT',
    summary: 'Replace a user',
    body: bodies.UserReplacement,
    handle: (context) => changeUser(context, services),
  });
}

function patchUserRoute(services: UserChangeServices, bodies: UserBodies): Route {
  return route({
    ...userChangeRouteBase,
    method: 'PATCH',
    summary: 'Change a user',
    body: bodies.UserPatch,
    handle: (context) => changeUser(context, services),
  });
}

type ChangeableUser = Changeable<StoredUser, User, UserPatch, ChangedUser>;

function changeableBy({ passwordMin }: UserChangeServices): ChangeableUser {
  return {
    ...userResource,
    merge: (current, body, { caller }) => mergeUser(current, body, { caller, passwordMin }),
  };
}

type ChangeContext = Context<{ readonly id: number }, object, UserPatch, Caller>;

async function changeUser(context: ChangeContext, services: UserChangeServices): Promise<Change<User>> {
  const resource = changeableBy(services);
  const hasNewPassword = context.body.password !== undefined;
  const checkRights: CheckRights = (current, wanted, caller) =>
    checkMayChange({ current, wanted, hasNewPassword, caller, now: context.now });
  const newPassword = await hashNewPassword(context, { resource, services, checkRights });
  const changed = await changeObject(context, resource, {
    checkRights,
    changesHidden: hasNewPassword,
    write(permit, current, wanted) {
      if (newPassword === undefined) return replaceUser(permit, current, wanted);
      const { hash } = newPassword;
      replaceUser(permit, current, { ...wanted, newPassword: { hash, expiresAt: null } });
      endCredentials(permit, services, current);
    },
    securityEvents(current, { role }) {
      const events: SecurityEvent[] = [];
      if (hasNewPassword) events.push({ name: 'authn_password_change', userId: current.id });
      if (role !== current.role) events.push({ name: 'user_updated', userId: current.id, role });
      return events;
    },
  });
  if (newPassword !== undefined) services.onPasswordChange(newPassword.emailBefore);
  return changed;
}

type CheckRights = (current: User, wanted: ChangedUser, caller: Caller) => void;

type Hashing = {
  readonly resource: ChangeableUser;
  readonly services: UserChangeServices;
  readonly checkRights: CheckRights;
};

/**
 * Returns undefined if the body has no password. Hashing takes long, so the change is checked before it, and
 * again inside the write.
 */
async function hashNewPassword(
  context: ChangeContext,
  { resource, services: { passwords }, checkRights }: Hashing,
): Promise<{ readonly hash: string; readonly emailBefore: string } | undefined> {
  const { body, params, caller } = context;
  const { password, currentPassword } = body;
  if (password === undefined) return undefined;
  const { read: db } = context.database;
  const user = requireVisible(userSource, { db, id: params.id, access: accountAccessOf(caller) });
  checkRights(user, resource.merge(user, body, { db, caller }), caller);
  if (currentPassword !== undefined)
    await checkCurrentPassword(context, passwords, { user, currentPassword });
  return { hash: await passwords.hashNew(context, password), emailBefore: user.email };
}

/** If another session changes the password meanwhile, this session ends, so the write is rejected. */
async function checkCurrentPassword(
  context: ChangeContext,
  passwords: PasswordChecks,
  { user, currentPassword }: { readonly user: User; readonly currentPassword: string },
): Promise<void> {
  const verified = await passwords.verifyAsSignIn(context, user.email, currentPassword);
  if (verified?.userId === user.id) return;
  throw invalid([currentPasswordIssue('mismatch', 'currentPassword is wrong.')]);
}

/** Callers who change their own password keep the current session and their keys. */
function endCredentials(
  permit: Permit<Caller>,
  { endSessions, removeKeys }: UserChangeServices,
  user: Visible<StoredUser>,
): void {
  const { caller } = permit;
  if (caller.userId === user.id) return endSessions(permit, user, caller.sessionId);
  endSessions(permit, user, null);
  removeKeys(permit, user);
}
