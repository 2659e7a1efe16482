// Users over HTTP: /api/users.
import { adminOnly, checkStepUp, isAdmin, self, type Access, type Caller } from '../../auth/access.ts';
import { invalid, throwIfInvalid } from '../../errors.ts';
import type { Cursors } from '../../http/cursor.ts';
import { listPage, listParameters } from '../../http/list.ts';
import type { PasswordChecks } from '../../http/password-checks.ts';
import type { Permit } from '../../http/permit.ts';
import { parseRepresentation, type Representation } from '../../http/representation.ts';
import {
  created,
  listOf,
  noContent,
  nothing,
  ok,
  route,
  type Context,
  type Route,
} from '../../http/route.ts';
import { mergePatch } from '../../schema/members.ts';
import type { Connection } from '../../storage/connection.ts';
import { requireVisible } from './owned.ts';
import {
  NewUser,
  User,
  UserPatch,
  UserReplacement,
  checkMayGiveRole,
  checkReplacement,
  currentPasswordFault,
  passwordIssues,
  userFilters,
} from './user.ts';
import { addUser, checkNotLastAdmin, findUser, removeUser, replaceUser, userListing } from './user-store.ts';

export type UserServices = {
  readonly passwords: PasswordChecks;
  readonly cursors: Cursors;
  readonly passwordMin: number;
  readonly registration: 'open' | 'closed';
  /**
   * Ends all sessions of a user but one. Handed in, since sessions know of users and not the other way round.
   */
  readonly endSessions: (permit: Permit, userId: number, exceptId: number | null) => void;
  /** Removes all API keys of a user; handed in for the same reason. */
  readonly removeKeys: (permit: Permit, userId: number) => void;
  /** Begins to take a removed user out of the rows they owned, and doesn't wait for it. */
  readonly removeLeftovers: () => void;
  /** Called once a user's password has been replaced, with their e-mail address before that. */
  readonly onPasswordChange: (email: string) => void;
};

export function userRoutes({
  passwords,
  cursors,
  passwordMin,
  registration,
  endSessions,
  removeKeys,
  removeLeftovers,
  onPasswordChange,
}: UserServices): Route[] {
  const registrant: Access<object, Caller | undefined> = {
    description:
      registration === 'open'
        ? 'Anyone may call this; only an administrator may give a role other than user.'
        : 'Registration is closed: only an administrator may call this.',
    credentials: registration === 'open' ? 'optional' : 'required',
    permits: (caller) => registration === 'open' || (caller !== undefined && isAdmin(caller)),
  };

  const list = route({
    method: 'GET',
    path: '/api/users',
    tag: 'Users',
    summary: 'List users',
    access: adminOnly,
    scope: 'users:read',
    query: { ...userFilters, ...listParameters },
    reply: listOf(User),
    handle: (context) =>
      listPage(context, cursors, userListing(context.query), (db, id) => findUser(db, 'everyone', id)),
  });

  const create = route({
    method: 'POST',
    path: '/api/users',
    countsAsCreated: true,
    tag: 'Users',
    summary: 'Sign up, or make a user',
    access: registrant,
    scope: 'users:write',
    isIdempotent: true,
    body: NewUser,
    reply: created(User, ({ id }) => `/api/users/${id}`, { links: { get: 'GET /api/users/{id}' } }),
    problems: ['email-taken', 'forbidden', 'step-up-required'],
    validateReferences: ({ password, email, name }) =>
      typeof password === 'string' && typeof email === 'string'
        ? passwordIssues(password, { email, name: typeof name === 'string' ? name : '' }, passwordMin)
        : [],
    async handle(context) {
      const { body, caller, db, now, authorizeWrite } = context;
      throwIfInvalid(passwordIssues(body.password, body, passwordMin));
      const { name, email, role = 'user' } = body;
      if (role !== 'user') checkMayGiveRole(caller, now);
      const passwordHash = await passwords.hashNew(context, body.password);
      const made = await db.write((writer) => {
        const permit = authorizeWrite(writer);
        if (role !== 'user') checkMayGiveRole(permit.caller, now);
        return existing(writer, addUser(permit, { name, email, role, passwordHash }, now));
      });
      context.report({ name: 'user_created', userId: made.id, role });
      return made;
    },
  });

  const read = route({
    method: 'GET',
    path: '/api/users/{id}',
    tag: 'Users',
    summary: 'Read a user',
    access: self,
    scope: 'users:read',
    reply: ok(User),
    isConditional: true,
    handle: ({ params, db }) => existing(db.read, params.id),
  });

  const changing = {
    path: '/api/users/{id}',
    tag: 'Users',
    access: self,
    scope: 'users:write',
    reply: ok(User),
    isConditional: true,
    problems: ['email-taken', 'last-admin', 'step-up-required'],
  } as const;
  const replace = route({
    ...changing,
    method: 'PUT',
    summary: 'Replace a user',
    body: UserReplacement,
    handle: (context) => change(context, 'PUT'),
  });
  const update = route({
    ...changing,
    method: 'PATCH',
    summary: 'Change a user',
    body: UserPatch,
    handle: (context) => change(context, 'PATCH'),
  });

  /** Checked before the password is hashed, and again with the row as it is when the change is made. */
  async function change(context: ChangeContext, method: 'PUT' | 'PATCH'): Promise<Representation<User>> {
    const { params, body, db, now, precondition, authorizeWrite } = context;
    const wantedOf = (current: User, caller: Caller): UserReplacement => {
      const { name, email } = current;
      // the body was checked, and so was what is kept
      const wanted = (method === 'PUT' ? body : mergePatch({ name, email }, body)) as UserReplacement;
      checkReplacement({ current, wanted, caller, now, passwordMin });
      return wanted;
    };
    const passwordHash = await newPasswordHash(
      context,
      wantedOf(parseRepresentation(existing(db.read, params.id)), context.caller),
    );
    const { role: roleBefore, email: emailBefore } = parseRepresentation(existing(db.read, params.id));
    const made = await db.write((writer) => {
      const permit = authorizeWrite(writer);
      const { caller } = permit;
      const before = existing(writer, params.id);
      const current = parseRepresentation(before);
      const wanted = wantedOf(current, caller);
      precondition(before.etag);
      const { name, email, role = current.role } = wanted;
      if (
        passwordHash === undefined &&
        name === current.name &&
        email === current.email &&
        role === current.role
      )
        return before;
      if (role !== 'admin') checkNotLastAdmin(writer, params.id);
      const newPassword = passwordHash === undefined ? undefined : { hash: passwordHash, expiresAt: null };
      replaceUser(permit, params.id, { name, email, role }, newPassword);
      if (passwordHash !== undefined) endCredentials(permit, params.id);
      return existing(writer, params.id);
    });
    const { role } = parseRepresentation(made);
    if (passwordHash !== undefined) {
      context.report({ name: 'authn_password_change', userId: params.id });
      onPasswordChange(emailBefore);
    }
    if (role !== roleBefore) context.report({ name: 'user_updated', userId: params.id, role });
    return made;
  }

  async function newPasswordHash(
    context: ChangeContext,
    { password, currentPassword }: UserReplacement,
  ): Promise<string | undefined> {
    if (password === undefined) return undefined;
    if (currentPassword !== undefined) await checkCurrentPassword(context, currentPassword);
    return passwords.hashNew(context, password);
  }

  /** Were it changed elsewhere meanwhile, this session would have ended, which the write notices. */
  async function checkCurrentPassword(context: ChangeContext, currentPassword: string): Promise<void> {
    const { db, params } = context;
    const { email } = parseRepresentation(existing(db.read, params.id));
    const found = await passwords.verifyAsSignIn(context, email, currentPassword);
    if (found?.id === params.id) return;
    throw invalid([currentPasswordFault('mismatch', 'This is not the current password.')]);
  }

  /** After a change of one's own password the session that made it and the keys go on. */
  function endCredentials(permit: Permit<Caller>, userId: number): void {
    const { caller } = permit;
    if (caller.userId === userId) return endSessions(permit, userId, caller.sessionId);
    endSessions(permit, userId, null);
    removeKeys(permit, userId);
  }

  const remove = route({
    method: 'DELETE',
    path: '/api/users/{id}',
    tag: 'Users',
    summary: 'Delete a user',
    access: self,
    scope: 'users:write',
    reply: noContent(),
    isConditional: true,
    description:
      'Ends the user’s sessions and keys. Their customers and orders stay, with `userId: null`. Needs a sign-in within the last 10 minutes.',
    problems: ['last-admin', 'step-up-required'],
    async handle(context) {
      const { params, caller, db, now, precondition, authorizeWrite } = context;
      checkStepUp(caller, now, 'Deleting a user');
      await db.write((writer) => {
        const permit = authorizeWrite(writer);
        precondition(existing(writer, params.id).etag);
        checkNotLastAdmin(writer, params.id);
        removeUser(permit, params.id);
      });
      removeLeftovers();
      context.report({ name: 'user_deleted', userId: params.id });
      return nothing;
    },
  });

  return [list, create, read, replace, update, remove];
}

type ChangeContext = Context<{ readonly id: number }, object, object, Caller>;

/** Who may ask for which id is the route's access rule. */
function existing(db: Connection, id: number): Representation<User> {
  return requireVisible('everyone', findUser(db, 'everyone', id), 'user', id);
}
