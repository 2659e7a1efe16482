// Users over HTTP: /api/users.
import { adminOnly, isAdmin, roles, self, type Access, type Caller, type Role } from '../../auth/access.ts';
import type { PasswordHasher } from '../../auth/password.ts';
import { forbidden, invalid, notFound } from '../../errors.ts';
import type { Cursors } from '../../http/cursor.ts';
import { listPage, listParameters } from '../../http/list.ts';
import type { Representation } from '../../http/representation.ts';
import { created, listOf, noContent, nothing, ok, route, type Context, type Route } from '../../http/route.ts';
import { email, line } from '../../schema/members.ts';
import { oneOf, optional } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import { NewUser, User, UserPatch, UserReplacement, checkReplacement, passwordFaults, replacementOf } from './user.ts';
import {
  addUser, checkNotLastAdmin, findUser, removeUser, replaceUser, representUser, selectUsers, userSorts, type StoredUser,
} from './user-store.ts';

export type UserServices = {
  readonly hasher: PasswordHasher;
  readonly cursors: Cursors;
  readonly passwordMin: number;
  readonly registration: 'open' | 'closed';
  /** Ends all sessions of a user but one. Handed in, since sessions know of users and not the other way round. */
  readonly endSessions: (db: Connection, userId: number, exceptId: number | null) => void;
};

export function userRoutes({ hasher, cursors, passwordMin, registration, endSessions }: UserServices): Route[] {
  const registrant: Access<object, Caller | undefined> = {
    says: registration === 'open' ? 'Anyone may call this; only an administrator may give a role other than user.' : 'Registration is closed: only an administrator may call this.',
    credentials: registration === 'open' ? 'optional' : 'required',
    permits: (caller) => registration === 'open' || (caller !== undefined && isAdmin(caller)),
  };

  const list = route({
    method: 'GET', path: '/api/users', tag: 'Users', summary: 'List users', access: adminOnly, scope: 'users:read',
    query: {
      role: optional(oneOf(roles)), email: optional(email), name: optional(line(200, 'The beginning of the name, without regard to case.', 'Ada')),
      sort: optional(oneOf(userSorts, { description: 'Descending with `-` in front; `id` if left out.' })), ...listParameters,
    },
    reply: listOf(User),
    handle(context) {
      return listPage(context, cursors, selectUsers(context.query), (db, id) => represented(findUser(db, 'everyone', id)));
    },
  });

  const create = route({
    method: 'POST', path: '/api/users', tag: 'Users', summary: 'Sign up, or make a user', access: registrant, scope: 'users:write',
    isIdempotent: true, body: NewUser, reply: created(User, ({ id }) => `/api/users/${id}`, { links: { get: 'GET /api/users/{id}' } }),
    problems: ['email-taken', 'forbidden'],
    moreFaults: ({ password, email }) => (typeof password === 'string' && typeof email === 'string' ? passwordFaults(password, email, passwordMin) : []),
    async handle({ body, caller, db, now }) {
      const issues = passwordFaults(body.password, body.email, passwordMin);
      if (issues.length > 0) throw invalid(issues);
      const role = body.role ?? 'user';
      if (role !== 'user' && (caller === undefined || !isAdmin(caller))) throw forbidden('Only an administrator may give a role other than user.');
      const passwordHash = await hasher.hash(body.password);
      return db.write((writer) => {
        const id = addUser(writer, { name: body.name, email: body.email, role, passwordHash }, now);
        return representUser(existing(writer, id));
      });
    },
  });

  const read = route({
    method: 'GET', path: '/api/users/{id}', tag: 'Users', summary: 'Read a user', access: self, scope: 'users:read', reply: ok(User), isConditional: true,
    handle: ({ params, db }) => representUser(existing(db.read, params.id)),
  });

  const replace = route({
    method: 'PUT', path: '/api/users/{id}', tag: 'Users', summary: 'Replace a user', access: self, scope: 'users:write', body: UserReplacement,
    reply: ok(User), isConditional: true, problems: ['email-taken', 'last-admin', 'step-up-required'],
    handle: (context) => change(context, 'PUT', context.body),
  });

  const update = route({
    method: 'PATCH', path: '/api/users/{id}', tag: 'Users', summary: 'Change a user', access: self, scope: 'users:write', body: UserPatch,
    reply: ok(User), isConditional: true, problems: ['email-taken', 'last-admin', 'step-up-required'],
    handle: (context) => change(context, 'PATCH', context.body),
  });

  /** Checked before the password is hashed, and again with the row as it is when the change is made. */
  async function change({ params, caller, db, now, precondition }: ChangeContext, method: 'PUT' | 'PATCH', body: object): Promise<Representation<User>> {
    const wantedOf = ({ user }: StoredUser): UserReplacement => {
      const wanted = replacementOf(user, method, body);
      checkReplacement(user, wanted, caller, now, passwordMin);
      return wanted;
    };
    const { password } = wantedOf(existing(db.read, params.id));
    const passwordHash = password === undefined ? undefined : await hasher.hash(password);
    return db.write((writer) => {
      const current = existing(writer, params.id);
      const wanted = wantedOf(current);
      precondition(representUser(current).etag);
      const changed = applied(writer, current, wanted, passwordHash);
      if (passwordHash !== undefined) endSessions(writer, params.id, caller.userId === params.id ? caller.sessionId : null);
      return representUser(changed);
    });
  }

  const remove = route({
    method: 'DELETE', path: '/api/users/{id}', tag: 'Users', summary: 'Delete a user', access: self, scope: 'users:write', reply: noContent(), isConditional: true,
    description: 'Ends the user’s sessions and keys. Their customers and orders stay, with `userId: null`.', problems: ['last-admin'],
    handle: ({ params, db, precondition }) => db.write((writer) => {
      precondition(representUser(existing(writer, params.id)).etag);
      checkNotLastAdmin(writer, params.id);
      removeUser(writer, params.id);
      return nothing;
    }),
  });

  return [list, create, read, replace, update, remove];
}

type ChangeContext = Pick<Context<{ readonly id: number }, object, unknown, Caller>, 'params' | 'caller' | 'db' | 'now' | 'precondition'>;

function applied(db: Connection, { user, version }: StoredUser, wanted: UserReplacement, passwordHash: string | undefined): StoredUser {
  const role: Role = wanted.role ?? user.role;
  if (passwordHash === undefined && wanted.name === user.name && wanted.email === user.email && role === user.role) return { user, version };
  if (role !== 'admin') checkNotLastAdmin(db, user.id);
  replaceUser(db, user.id, { ...wanted, role }, passwordHash);
  return existing(db, user.id);
}

function existing(db: Connection, id: number): StoredUser {
  const found = findUser(db, 'everyone', id); // who may ask for which id is the route's access rule
  if (found === undefined) throw notFound('user', id);
  return found;
}

function represented(found: StoredUser | undefined): Representation<User> | undefined {
  return found === undefined ? undefined : representUser(found);
}
