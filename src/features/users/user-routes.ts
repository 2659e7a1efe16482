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
import { empty } from '../../http/routing/reply.ts';
import { listParameters, type Lists } from '../../http/lists/list.ts';
import { type Representation, represent } from '../../http/responses/representation.ts';
import { lookupOf } from '../../http/responses/representation-cache.ts';
import { route, type Call, type Route } from '../../http/routing/route.ts';
import { changesNothing, requireOwned, requireVisible, type Owned } from '../../storage/object-access.ts';
import {
  User,
  checkMayGiveRole,
  userBodies,
  userListParameters,
  type NewUser,
  type UserBodies,
  checkMayChange,
  currentPasswordIssue,
  mergeUser,
  type UserContent,
  type UserPatch,
} from './user.ts';
import {
  addUser,
  removeUser,
  userSelection,
  userSource,
  replaceUser,
  type StoredUser,
} from './user-store.ts';
import { invalid } from '../../problem.ts';
import type { Permit } from '../../storage/permit.ts';
import type { PasswordChecks } from './password-checks.ts';

type UserServices = UserChangeServices & {
  readonly lists: Lists;
  /** Whether anyone may sign up. */
  readonly isOpen: () => boolean;
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
  ];
}

function listUsersRoute({ lists }: UserServices): Route {
  return route({
    method: 'GET',
    path: '/api/users',
    tag: 'Users',
    summary: 'List users',
    access: adminOnly,
    scope: 'users:read',
    query: { ...userListParameters, ...listParameters },
    reply: { kind: 'list', schema: User },
    handle(call) {
      const selectionFor = (caller: Caller) => userSelection(accountAccessOf(caller), call.query);
      return lists.page(call, { selectionFor, elements: userLookup });
    },
  });
}

function signUpRoute(services: UserServices, bodies: UserBodies): Route {
  return route({
    method: 'POST',
    path: '/api/users',
    countsAgainstQuota: true,
    tag: 'Users',
    summary: 'Sign up, or create a user',
    access: registrant(services),
    scope: 'users:write',
    acceptsIdempotencyKey: true,
    objectAccessOf: accountAccessOf,
    body: bodies.NewUser,
    reply: { kind: 'object', schema: User, location: ({ id }) => `/api/users/${id}` },
    problems: ['email-taken', 'forbidden', 'step-up-required', 'unauthenticated'],
    handle: (call) => createUser(call, services),
  });
}

function registrant({ isOpen }: UserServices): Access<object, Caller | undefined> {
  return {
    callers: 'anyone-or-admin',
    description:
      'Anyone may call this while registration is open, and otherwise only an administrator. Only an administrator ' +
      'may give a role other than user.',
    credentials: 'optional',
    permits: (caller) => (caller !== undefined && isAdmin(caller)) || isOpen(),
  };
}

type SignUpCall = Call<object, object, NewUser, Caller | undefined>;

async function createUser(call: SignUpCall, { passwords }: UserServices): Promise<Representation<User>> {
  const { body, caller } = call;
  const { name, email, role = 'user' } = body;
  if (role !== 'user') checkMayGiveRole(caller, call.now);
  const passwordHash = await passwords.hashNew(call, body.password);
  return call.write((permit) => {
    const { now } = permit.origin;
    if (role !== 'user') checkMayGiveRole(permit.caller, now);
    const user = addUser(permit, { name, email, role, passwordHash }, now);
    call.reportSecurityEvent({ name: 'user_created', userId: user.id, role });
    return representUser(user);
  });
}

function readUserRoute(): Route {
  return route({
    method: 'GET',
    path: '/api/users/{id}',
    tag: 'Users',
    summary: 'Read a user',
    access: selfOrAdmin,
    scope: 'users:read',
    reply: { kind: 'object', schema: User },
    handle: (call) => representUser(requireVisible(userSource, call, call.params.id)),
  });
}

function deleteUserRoute({ clearOwners }: UserServices): Route {
  return route({
    method: 'DELETE',
    path: '/api/users/{id}',
    tag: 'Users',
    summary: 'Delete a user',
    access: selfOrAdmin,
    reply: { kind: 'none' },
    description:
      'Ends the user’s sessions and keys. Their customers and orders stay, with `userId: null`. ' +
      `Needs ${recentSignIn}.`,
    problems: ['last-admin', 'in-use', 'step-up-required'],
    async handle(call) {
      checkStepUp(call.caller, call.now, 'Deleting a user');
      await call.write((permit) => {
        const user = requireOwned(userSource, permit, call.params.id);
        call.checkPrecondition(() => representUser(user).etag);
        removeUser(permit, user);
        call.reportSecurityEvent({ name: 'user_deleted', userId: user.id });
      });
      clearOwners();
      return empty;
    },
  });
}

/** What ends the credentials of a user. Passed in, since users must not depend on sessions and keys. */
export type CredentialServices = {
  /** Ends all sessions of a user except one. */
  readonly endSessions: (permit: Permit, user: Owned<StoredUser>, exceptId: number | null) => void;
  /** Removes all API keys of a user. */
  readonly removeKeys: (permit: Permit, user: Owned<StoredUser>) => void;
};

type UserChangeServices = CredentialServices & {
  readonly passwords: PasswordChecks;
  readonly passwordMin: number;
  /** Called once a user's password has been replaced, with the e-mail address before the change. */
  readonly onPasswordChange: (email: string) => void;
};

const userLookup = lookupOf({ find: userSource.find, represent: representUser });

/**
 * Represents a user. The ETag includes the row's version, since a new password changes no member that is
 * shown.
 */
function representUser({ version, ...user }: StoredUser): Representation<User> {
  return represent(user, { id: user.id, ownerId: user.id, salt: String(version) });
}

const userChangeRouteBase = {
  path: '/api/users/{id}',
  tag: 'Users',
  access: selfOrAdmin,
  scope: 'users:write',
  reply: { kind: 'object', schema: User },
  problems: ['email-taken', 'last-admin', 'step-up-required'],
} as const;

function putUserRoute(services: UserChangeServices, bodies: UserBodies): Route {
  return route({
    ...userChangeRouteBase,
    method: 'PUT',
    summary: 'Replace a user',
    body: bodies.UserReplacement,
    handle: (call) => changeUser(call, services),
  });
}

function patchUserRoute(services: UserChangeServices, bodies: UserBodies): Route {
  return route({
    ...userChangeRouteBase,
    method: 'PATCH',
    summary: 'Change a user',
    body: bodies.UserPatch,
    handle: (call) => changeUser(call, services),
  });
}

type ChangeCall = Call<{ readonly id: number }, object, UserPatch, Caller>;

async function changeUser(call: ChangeCall, services: UserChangeServices): Promise<Representation<User>> {
  const { params } = call;
  const newPassword = await hashNewPassword(call, services);
  const changed = await call.write((permit) => {
    const user = requireOwned(userSource, permit, params.id);
    const wanted = mergeAllowed(call, user, { ...services, caller: permit.caller });
    call.checkPrecondition(() => representUser(user).etag);
    if (newPassword === undefined && changesNothing(user, wanted)) return representUser(user);
    const { id: userId } = user;
    const password = newPassword && { hash: newPassword.hash, expiresAt: null };
    const changedUser = replaceUser(permit, user, { ...wanted, newPassword: password });
    if (password !== undefined) {
      endCredentials(permit, services, user);
      call.reportSecurityEvent({ name: 'authn_password_change', userId });
    }
    if (wanted.role !== user.role)
      call.reportSecurityEvent({ name: 'user_updated', userId, role: wanted.role });
    return representUser(changedUser);
  });
  if (newPassword !== undefined) services.onPasswordChange(newPassword.emailBefore);
  return changed;
}

/** Merges the body. Throws the body's issues, or a problem if the caller may not make this change. */
function mergeAllowed(
  { body, now }: ChangeCall,
  user: StoredUser,
  { caller, passwordMin }: { readonly caller: Caller; readonly passwordMin: number },
): UserContent {
  const wanted = mergeUser(user, body, { caller, passwordMin });
  const hasNewPassword = body.password !== undefined;
  checkMayChange({ current: user, wanted, hasNewPassword, caller, now });
  return wanted;
}

/**
 * Returns the hash of a new password; undefined if the body has none. Hashing takes long, so the change is
 * checked before it, and again inside the write.
 */
async function hashNewPassword(
  call: ChangeCall,
  { passwords, passwordMin }: UserChangeServices,
): Promise<{ readonly hash: string; readonly emailBefore: string } | undefined> {
  const { body, params, caller } = call;
  const { password, currentPassword } = body;
  if (password === undefined) return undefined;
  const user = requireVisible(userSource, call, params.id);
  mergeAllowed(call, user, { caller, passwordMin });
  if (currentPassword !== undefined) await checkCurrentPassword(call, passwords, { user, currentPassword });
  return { hash: await passwords.hashNew(call, password), emailBefore: user.email };
}

/**
 * Verifies the current password. If another session changes the password meanwhile, this session ends, and
 * the write is rejected.
 */
async function checkCurrentPassword(
  call: ChangeCall,
  passwords: PasswordChecks,
  { user, currentPassword }: { readonly user: User; readonly currentPassword: string },
): Promise<void> {
  const verified = await passwords.verifyAsSignIn(call, user.email, currentPassword);
  if (verified?.userId === user.id) return;
  throw invalid([currentPasswordIssue('mismatch', 'currentPassword is wrong.')]);
}

/**
 * Ends sessions and keys after a change of the password. Callers who change their own password keep the
 * current session and their keys.
 */
function endCredentials(
  permit: Permit<Caller>,
  { endSessions, removeKeys }: UserChangeServices,
  user: Owned<StoredUser>,
): void {
  const { caller } = permit;
  if (caller.userId === user.id) return endSessions(permit, user, caller.sessionId);
  endSessions(permit, user, null);
  removeKeys(permit, user);
}
