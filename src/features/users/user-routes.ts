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
import { listParameters, type Lists } from '../../http/lists/list.ts';
import { representationsOf } from '../../http/responses/representation-cache.ts';
import { type Representation, represent } from '../../http/responses/representation.ts';
import { empty } from '../../http/routing/reply.ts';
import { route, type Call, type Route } from '../../http/routing/route.ts';
import { invalid } from '../../problem.ts';
import { changesNothing, requireOwned, requireVisible } from '../../storage/object-access.ts';
import type { PasswordChecks } from './password-checks.ts';
import {
  addUser,
  endCredentials,
  endSessions,
  removeUser,
  userList,
  userSource,
  replaceUser,
  type StoredUser,
} from './user-store.ts';
import {
  User,
  checkMayGiveRole,
  userBodies,
  currentPasswordIssue,
  mergeUser,
  type UserContent,
  type UserPatch,
} from './user.ts';

type UserServices = {
  readonly lists: Lists;
  readonly passwords: PasswordChecks;
  readonly passwordMin: number;
  /** Whether anyone may sign up. */
  readonly isRegistrationOpen: () => boolean;
  /** Starts clearing removed users from the rows that they owned, in the background. */
  readonly runCleanup: () => void;
  /** Called once a user's password has been replaced, with the e-mail address before the change. */
  readonly onPasswordChange: (email: string) => void;
};

const one = { path: '/api/users/{id}', tag: 'Users', access: selfOrAdmin } as const;
const changing = {
  ...one,
  scope: 'users:write',
  reply: { kind: 'object', schema: User },
  problems: ['email-taken', 'last-admin', 'step-up-required'],
} as const;

const users = representationsOf(userSource, representUser);

/**
 * Represents a user. The ETag includes the row's version, since a new password changes no member that is
 * shown.
 */
function representUser({ version, ...user }: StoredUser): Representation<User> {
  return represent(user, { id: user.id, ownerId: user.id, salt: String(version) });
}

export function userRoutes(services: UserServices): Route[] {
  const { lists, passwords, passwordMin, isRegistrationOpen, runCleanup } = services;
  const { NewUser, UserReplacement, UserPatch } = userBodies(passwordMin);
  return [
    route({
      method: 'GET',
      path: '/api/users',
      tag: 'Users',
      summary: 'List users',
      access: adminOnly,
      scope: 'users:read',
      query: { ...userList.query, ...listParameters },
      reply: { kind: 'list', schema: User },
      handle(call) {
        const selectionFor = (caller: Caller) => userList.selection(accountAccessOf(caller), call.query);
        return lists.page(call, { selectionFor, elements: users });
      },
    }),
    route({
      method: 'POST',
      path: '/api/users',
      countsAsChange: true,
      tag: 'Users',
      summary: 'Sign up, or create a user',
      access: anyoneIfOpen(isRegistrationOpen),
      scope: 'users:write',
      acceptsIdempotencyKey: true,
      objectAccessOf: accountAccessOf,
      body: NewUser,
      reply: { kind: 'object', schema: User, location: ({ id }) => `/api/users/${id}` },
      problems: ['email-taken', 'forbidden', 'step-up-required', 'unauthenticated'],
      async handle(call) {
        const { name, email, role = 'user', password } = call.body;
        const passwordHash = await passwords.hashNew(call, password);
        return call.write((permit) => {
          const { now } = permit.origin;
          if (role !== 'user') checkMayGiveRole(permit.caller, now);
          const user = addUser(permit, { name, email, role, passwordHash }, now);
          call.reportSecurityEvent({ name: 'user_created', userId: user.id, role });
          return representUser(user);
        });
      },
    }),
    route({
      ...one,
      method: 'GET',
      summary: 'Read a user',
      scope: 'users:read',
      reply: { kind: 'object', schema: User },
      handle: (call) => requireVisible(users, call, call.params.id),
    }),
    route({
      ...changing,
      method: 'PUT',
      summary: 'Replace a user',
      body: UserReplacement,
      handle: (call) => changeUser(call, services),
    }),
    route({
      ...changing,
      method: 'PATCH',
      summary: 'Change a user',
      body: UserPatch,
      handle: (call) => changeUser(call, services),
    }),
    route({
      ...one,
      method: 'DELETE',
      summary: 'Delete a user',
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
        runCleanup();
        return empty;
      },
    }),
  ];
}

function anyoneIfOpen(isRegistrationOpen: () => boolean): Access<object, Caller | undefined> {
  return {
    callers: 'anyone-or-admin',
    description:
      'Anyone may call this while registration is open, and otherwise only an administrator. Only an administrator ' +
      'may give a role other than user.',
    credentials: 'optional',
    permits: (caller) => (caller !== undefined && isAdmin(caller)) || isRegistrationOpen(),
  };
}

type ChangeCall = Call<{ readonly id: number }, object, UserPatch, Caller>;

async function changeUser(call: ChangeCall, services: UserServices): Promise<Representation<User>> {
  const { body, params, now } = call;
  const { passwordMin, onPasswordChange } = services;
  const merge = (user: StoredUser, caller: Caller): UserContent =>
    mergeUser(user, body, { caller, passwordMin, now });
  const newPassword = await hashNewPassword(call, services, merge);
  const changed = await call.write((permit) => {
    const { caller } = permit;
    const user = requireOwned(userSource, permit, params.id);
    const wanted = merge(user, caller);
    call.checkPrecondition(() => representUser(user).etag);
    if (newPassword === undefined && changesNothing(user, wanted)) return representUser(user);
    const { id: userId } = user;
    const password = newPassword && { hash: newPassword.hash, expiresAt: null };
    const changedUser = replaceUser(permit, user, { ...wanted, newPassword: password });
    if (password !== undefined) {
      // who changes their own password keeps the session and the keys
      if (caller.userId === userId) endSessions(permit, user, caller.sessionId);
      else endCredentials(permit, user);
      call.reportSecurityEvent({ name: 'authn_password_change', userId });
    }
    if (wanted.role !== user.role)
      call.reportSecurityEvent({ name: 'user_updated', userId, role: wanted.role });
    return representUser(changedUser);
  });
  if (newPassword !== undefined) onPasswordChange(newPassword.emailBefore);
  return changed;
}

/**
 * Returns the hash of a new password; undefined if the body has none. Hashing takes long, so the change is
 * checked before it, and again inside the write. If another session changes the password while the current one is
 * verified, this session ends, and the write is rejected.
 */
async function hashNewPassword(
  call: ChangeCall,
  { passwords }: UserServices,
  merge: (user: StoredUser, caller: Caller) => unknown,
): Promise<{ readonly hash: string; readonly emailBefore: string } | undefined> {
  const { password, currentPassword } = call.body;
  if (password === undefined) return undefined;
  const user = requireVisible(userSource, call, call.params.id);
  merge(user, call.caller);
  if (currentPassword !== undefined) {
    const verified = await passwords.verifyAsSignIn(call, user.email, currentPassword);
    if (verified?.userId !== user.id)
      throw invalid([currentPasswordIssue('mismatch', 'currentPassword is wrong.')]);
  }
  return { hash: await passwords.hashNew(call, password), emailBefore: user.email };
}
