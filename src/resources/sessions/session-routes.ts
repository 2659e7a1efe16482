// Sessions over HTTP: /api/sessions. Signing in makes one, refreshing renews its tokens, deleting it signs
// out.
import { randomBytes } from 'node:crypto';
import { anyone, isAdmin, signedIn, type Caller } from '../../auth/access.ts';
import { hashOf } from '../../auth/credentials.ts';
import type { Signer } from '../../auth/jwt.ts';
import { Problem, forbidden, notFound } from '../../errors.ts';
import type { Cursors } from '../../http/cursor.ts';
import { listPage, listParameters } from '../../http/list.ts';
import type { PasswordChecks } from '../../http/password-checks.ts';
import { permitWithoutCaller } from '../../http/permit.ts';
import { represent, parseRepresentation, type Representation } from '../../http/representation.ts';
import { created, listOf, noContent, nothing, ok, route, type Route } from '../../http/route.ts';
import { tokenSeconds } from '../../limits.ts';
import { id } from '../../schema/members.ts';
import { optional } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import { requireVisible } from '../users/owned.ts';
import { findCredentials, upgradePasswordHash } from '../users/user-store.ts';
import { NewSession, Session, TokenRequest, Tokens } from './session.ts';
import {
  addSession,
  endSession,
  findSession,
  findSessionFacts,
  refreshTokenState,
  rotate,
  sessionListing,
} from './session-store.ts';

export type SessionServices = {
  readonly passwords: PasswordChecks;
  readonly signer: Signer;
  readonly cursors: Cursors;
  readonly publicUrl: string;
};

export function sessionRoutes({ passwords, signer, cursors, publicUrl }: SessionServices): Route[] {
  const reply = created(Tokens, ({ id }) => `/api/sessions/${id}`, {
    isSecret: true,
    links: { get: 'GET /api/sessions/{id}' },
  });

  const create = route({
    method: 'POST',
    path: '/api/sessions',
    tag: 'Sessions',
    summary: 'Sign in',
    access: anyone,
    body: NewSession,
    reply,
    description: 'An unknown e-mail address gets the same response as a wrong password.',
    problems: ['invalid-credentials', 'unavailable'],
    async handle(context) {
      const { body, db, now, userAgent } = context;
      const found = await passwords.verifyAsSignIn(context, body.email, body.password);
      if (found === undefined) throw mismatch();
      const upgraded = await passwords.upgrade(context, found, body.password);
      const refreshToken = newRefreshToken();
      const made = await db.write((writer) => {
        // salted: no two users have the same
        const isStill = findCredentials(writer, body.email)?.passwordHash === found.passwordHash;
        if (!isStill) throw mismatch(); // it changed while it was checked on another thread
        if (upgraded !== undefined) upgradePasswordHash(writer, found.id, found.passwordHash, upgraded);
        return tokens(
          writer,
          addSession(writer, found.id, hashOf(refreshToken), userAgent, now),
          refreshToken,
          now,
        );
      });
      passwords.remember(context, found.id);
      context.report({ name: 'authn_login_success', userId: found.id, sessionId: made.id });
      return made;
    },
  });

  const refresh = route({
    method: 'POST',
    path: '/api/sessions/{id}/tokens',
    tag: 'Sessions',
    summary: 'Get new tokens',
    access: anyone,
    body: TokenRequest,
    reply,
    description: 'The refresh token is replaced with each use; a second use of an old one ends the session.',
    problems: ['invalid-credentials'],
    async handle(context) {
      const { params, body, db, now } = context;
      const used = hashOf(body.refreshToken);
      const refreshToken = newRefreshToken();
      const made = await db.write((writer) => {
        const state = refreshTokenState(writer, params.id, used, now);
        const userId = findSession(writer, 'everyone', params.id, now)?.ownerId ?? null;
        if (state === 'used') endSession(permitWithoutCaller(writer, 'a refresh token'), params.id);
        if (state !== 'current') return { reusedOf: state === 'used' ? userId : null };
        rotate(writer, params.id, used, hashOf(refreshToken), now);
        return tokens(writer, params.id, refreshToken, now);
      });
      if ('reusedOf' in made) {
        if (made.reusedOf !== null)
          context.report({ name: 'authn_token_reuse', userId: made.reusedOf, sessionId: params.id });
        throw new Problem(
          'invalid-credentials',
          'This is not the current refresh token of the session; sign in again.',
        );
      }
      if (made.ownerId !== null) passwords.remember(context, made.ownerId);
      return made;
    },
  });

  function tokens(db: Connection, id: number, refreshToken: string, now: number): Representation<Tokens> {
    const session = requireVisible('everyone', findSession(db, 'everyone', id, now), 'session', id);
    const { userId, createdAt, expiresAt } = parseRepresentation(session);
    const caller = findSessionFacts(db, id)?.caller;
    if (caller === undefined) throw notFound('session', id);
    const iat = Math.floor(now / 1000);
    const accessToken = signer.sign({
      iss: publicUrl,
      aud: publicUrl,
      sub: String(userId),
      sid: id,
      role: caller.role,
      iat,
      exp: iat + tokenSeconds,
      auth_time: caller.authTime,
      jti: randomBytes(12).toString('base64url'),
    });
    const body: Tokens = {
      id,
      userId,
      tokenType: 'Bearer',
      accessToken,
      expiresIn: tokenSeconds,
      refreshToken,
      createdAt,
      expiresAt,
    };
    return { ...represent(body, { id, ownerId: userId }), etag: session.etag };
  }

  const list = route({
    method: 'GET',
    path: '/api/sessions',
    tag: 'Sessions',
    summary: 'List sessions, newest first',
    access: signedIn,
    reply: listOf(Session),
    query: { userId: optional(id, { description: 'The owner, if not oneself.' }), ...listParameters },
    description: 'Lists one’s own; an administrator may select another user’s.',
    problems: ['forbidden'],
    handle(context) {
      const { caller, query, now } = context;
      const userId = query.userId ?? caller.userId;
      if (userId !== caller.userId && !isAdmin(caller))
        throw forbidden('Only an administrator may see the sessions of others.');
      return listPage(context, cursors, sessionListing(userId, now), (db, id) =>
        findSession(db, { userId }, id, now),
      );
    },
  });

  const read = route({
    method: 'GET',
    path: '/api/sessions/{id}',
    tag: 'Sessions',
    summary: 'Read a session',
    access: signedIn,
    reply: ok(Session),
    problems: ['forbidden'],
    handle: ({ params, caller, db, now }) => owned(db.read, params.id, caller, now),
  });

  const remove = route({
    method: 'DELETE',
    path: '/api/sessions/{id}',
    tag: 'Sessions',
    summary: 'Sign out',
    access: signedIn,
    reply: noContent(),
    isConditional: true,
    problems: ['forbidden'],
    async handle(context) {
      const { params, db, now, precondition, authorizeWrite } = context;
      const userId = await db.write((writer) => {
        const permit = authorizeWrite(writer);
        const { etag, ownerId } = owned(writer, params.id, permit.caller, now);
        precondition(etag);
        endSession(permit, params.id);
        return ownerId;
      });
      context.report({ name: 'session_expired', userId, sessionId: params.id });
      return nothing;
    },
  });

  return [create, refresh, list, read, remove];
}

/** 256 random bits. */
function newRefreshToken(): string {
  return randomBytes(32).toString('base64url');
}

function mismatch(): Problem {
  return new Problem('invalid-credentials', 'Wrong e-mail address or password.');
}

/** For its user and administrators only, not for other staff. */
function owned(db: Connection, id: number, caller: Caller, now: number): Representation<Session> {
  return requireVisible(
    isAdmin(caller) ? 'everyone' : caller,
    findSession(db, 'everyone', id, now),
    'session',
    id,
  );
}
