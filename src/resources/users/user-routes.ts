// Users over HTTP: /api/users.
import { adminOnly, isAdmin, self, type Access, type Caller } from '../../auth/access.ts';
import type { PasswordHasher } from '../../auth/password.ts';
import { forbidden, refuse } from '../../errors.ts';
import type { Cursors } from '../../http/cursor.ts';
import { listPage, listParameters } from '../../http/list.ts';
import { represented, type Representation } from '../../http/representation.ts';
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
import { within } from './owned.ts';
import {
  NewUser,
  User,
  UserPatch,
  UserReplacement,
  checkReplacement,
  passwordFaults,
  userFilters,
} from './user.ts';
import { addUser, checkNotLastAdmin, findUser, removeUser, replaceUser, selectUsers } from './user-store.ts';

export type UserServices = {
  readonly hasher: PasswordHasher;
  readonly cursors: Cursors;
  readonly passwordMin: number;
  readonly registration: 'open' | 'closed';
  /**
   * Ends all sessions of a user but one. Handed in, since sessions know of users and not the other way round.
   */
  readonly endSessions: (db: Connection, userId: number, exceptId: number | null) => void;
};

export function userRoutes({
  hasher,
  cursors,
  passwordMin,
  registration,
  endSessions,
}: UserServices): Route[] {
  const registrant: Access<object, Caller | undefined> = {
    says:
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
      listPage(context, cursors, selectUsers(context.query), (db, id) => findUser(db, 'everyone', id)),
  });

  const create = route({
    method: 'POST',
    path: '/api/users',
    tag: 'Users',
    summary: 'Sign up, or make a user',
    access: registrant,
    scope: 'users:write',
    isIdempotent: true,
    body: NewUser,
    reply: created(User, ({ id }) => `/api/users/${id}`, { links: { get: 'GET /api/users/{id}' } }),
    problems: ['email-taken', 'forbidden'],
    moreFaults: ({ password, email }) =>
      typeof password === 'string' && typeof email === 'string'
        ? passwordFaults(password, email, passwordMin)
        : [],
    async handle({ body, caller, db, now }) {
      refuse(passwordFaults(body.password, body.email, passwordMin));
      const role = body.role ?? 'user';
      if (role !== 'user' && (caller === undefined || !isAdmin(caller)))
        throw forbidden('Only an administrator may give a role other than user.');
      const passwordHash = await hasher.hash(body.password);
      return db.write((writer) =>
        existing(writer, addUser(writer, { name: body.name, email: body.email, role, passwordHash }, now)),
      );
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
  async function change(
    { params, body, caller, db, now, precondition }: ChangeContext,
    method: 'PUT' | 'PATCH',
  ): Promise<Representation<User>> {
    const wantedOf = (current: User): UserReplacement => {
      const { name, email } = current;
      // the body was checked, and so was what is kept
      const wanted = (method === 'PUT' ? body : mergePatch({ name, email }, body)) as UserReplacement;
      checkReplacement(current, wanted, caller, now, passwordMin);
      return wanted;
    };
    const { password } = wantedOf(represented(existing(db.read, params.id)));
    const passwordHash = password === undefined ? undefined : await hasher.hash(password);
    return db.write((writer) => {
      const before = existing(writer, params.id);
      const current = represented(before);
      const wanted = wantedOf(current);
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
      replaceUser(writer, params.id, { name, email, role }, passwordHash);
      if (passwordHash !== undefined)
        endSessions(writer, params.id, caller.userId === params.id ? caller.sessionId : null);
      return existing(writer, params.id);
    });
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
    description: 'Ends the user’s sessions and keys. Their customers and orders stay, with `userId: null`.',
    problems: ['last-admin'],
    handle: ({ params, db, precondition }) =>
      db.write((writer) => {
        precondition(existing(writer, params.id).etag);
        checkNotLastAdmin(writer, params.id);
        removeUser(writer, params.id);
        return nothing;
      }),
  });

  return [list, create, read, replace, update, remove];
}

type ChangeContext = Context<{ readonly id: number }, object, object, Caller>;

/** Who may ask for which id is the route's access rule. */
function existing(db: Connection, id: number): Representation<User> {
  return within('everyone', findUser(db, 'everyone', id), 'user', id);
}
