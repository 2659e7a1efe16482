// Changing a user over HTTP, and their password: PUT and PATCH /api/users/{id}.
import { accountAccessOf, selfOrAdmin, type Caller } from '../../auth/access.ts';
import { invalid } from '../../problem.ts';
import type { Change } from '../../http/handler-result.ts';
import { represent, type Representation } from '../../http/representation.ts';
import { ok } from '../../http/reply.ts';
import { route, type Context, type Route } from '../../http/route.ts';
import type { SecurityEvent } from '../../security-event.ts';
import type { Permit } from '../../storage/permit.ts';
import { changeObject, type Changeable, type Resource } from '../flows/change.ts';
import type { PasswordChecks } from '../flows/password-checks.ts';
import { requireVisible, type Visible } from '../flows/visible.ts';
import {
  User,
  checkMayChange,
  currentPasswordIssue,
  mergeUser,
  type ChangedUser,
  type UserBodies,
  type UserPatch,
} from './user.ts';
import { replaceUser, userSource, type StoredUser } from './user-store.ts';

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

export const userResource: Resource<StoredUser, User> = {
  ...userSource,
  accessOf: accountAccessOf,
  represent: representUser,
};

/** The ETag includes the row's version, since a new password changes no member that is shown. */
export function representUser({ version, ...user }: StoredUser): Representation<User> {
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

export function putUserRoute(services: UserChangeServices, bodies: UserBodies): Route {
  return route({
    ...userChangeRouteBase,
    method: 'PUT',
    summary: 'Replace a user',
    body: bodies.UserReplacement,
    handle: (context) => changeUser(context, services),
  });
}

export function patchUserRoute(services: UserChangeServices, bodies: UserBodies): Route {
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
