// Sessions over HTTP: /api/sessions. Signing in creates one, refreshing renews its tokens.
import { randomBytes } from 'node:crypto';
import { accountAccessOf, anyone, checkStepUp, isAdmin, signedIn, type Caller } from '../../auth/access.ts';
import { hashOf } from '../../auth/credentials.ts';
import type { Signer } from '../../auth/jwt.ts';
import { Problem, forbidden, notFound } from '../../problem.ts';
import type { Cursors } from '../../http/cursor.ts';
import { listPage, listParameters } from '../../http/list.ts';
import type { PasswordChecks } from '../../http/password-checks.ts';
import { represent, type Representation } from '../../http/representation.ts';
import { created, listOf, noContent, ok, route, type Context, type Route } from '../../http/route.ts';
import { tokenSeconds } from '../../limits.ts';
import { id } from '../../schema/members.ts';
import { optional, type Infer } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import { permitWithoutCaller } from '../../storage/permit.ts';
import { removeObject, type Resource } from '../flows/change.ts';
import { requireVisible } from '../flows/visible.ts';
import { findCredentials, upgradePasswordHash } from '../users/user-store.ts';
import { NewSession, Session, TokenRequest, Tokens } from './session.ts';
import {
  addSession,
  endSession,
  findSession,
  findSessionCaller,
  refreshTokenState,
  rotateRefreshToken,
  sessionSelection,
  sessionRows,
} from './session-store.ts';

export type SessionServices = {
  readonly passwords: PasswordChecks;
  readonly signer: Signer;
  readonly cursors: Cursors;
  readonly publicUrl: string;
};

export function sessionRoutes(services: SessionServices): Route[] {
  return [signIn(services), refreshTokens(services), listSessions(services), readSession(), deleteSession()];
}

function sessionResource(now: number): Resource<Session, Session> {
  return { ...sessionRows(now), accessOf: accountAccessOf, represent: representSession };
}

function representSession(session: Session): Representation<Session> {
  return represent(session, { id: session.id, ownerId: session.userId });
}

const tokensReply = created(Tokens, ({ id }) => `/api/sessions/${id}`, {
  isSecret: true,
  links: { get: 'GET /api/sessions/{id}' },
});

function signIn(services: SessionServices): Route {
  return route({
    method: 'POST',
    path: '/api/sessions',
    tag: 'Sessions',
    summary: 'Sign in',
    access: anyone,
    body: NewSession,
    reply: tokensReply,
    description: 'An unknown e-mail address gets the same response as a wrong password.',
    problems: ['invalid-credentials', 'unavailable'],
    handle: (context) => addNewSession(context, services),
  });
}

type SignInContext = Context<object, object, Infer<typeof NewSession>, undefined>;

async function addNewSession(
  context: SignInContext,
  services: SessionServices,
): Promise<Representation<Tokens>> {
  const { passwords } = services;
  const { body, db, now, userAgent } = context;
  const credentials = await passwords.verifyAsSignIn(context, body.email, body.password);
  if (credentials === undefined) throw wrongCredentials();
  const { id: userId, passwordHash } = credentials;
  const upgradedHash = await passwords.upgrade(context, credentials, body.password);
  const refreshToken = newRefreshToken();
  const tokens = await db.write((writer) => {
    // hashes are salted, so no two users have the same
    const isCurrent = findCredentials(writer, body.email)?.passwordHash === passwordHash;
    if (!isCurrent) throw wrongCredentials(); // it changed while it was checked on another thread
    if (upgradedHash !== undefined) upgradePasswordHash(writer, credentials, upgradedHash);
    const permit = permitWithoutCaller(writer, 'a password');
    const sessionId = addSession(permit, { userId, refreshHash: hashOf(refreshToken), userAgent }, now);
    return tokensOf(services, { db: writer, sessionId, refreshToken, now });
  });
  passwords.remember(context, userId);
  context.report({ name: 'authn_login_success', userId, sessionId: tokens.id });
  return tokens;
}

function refreshTokens(services: SessionServices): Route {
  return route({
    method: 'POST',
    path: '/api/sessions/{id}/tokens',
    tag: 'Sessions',
    summary: 'Get new tokens',
    access: anyone,
    body: TokenRequest,
    reply: tokensReply,
    description: 'The refresh token is replaced with each use; a second use of an old one ends the session.',
    problems: ['invalid-credentials'],
    handle: (context) => renewTokens(context, services),
  });
}

type RefreshContext = Context<{ readonly id: number }, object, Infer<typeof TokenRequest>, undefined>;

async function renewTokens(
  context: RefreshContext,
  services: SessionServices,
): Promise<Representation<Tokens>> {
  const sessionId = context.params.id;
  const { db, now } = context;
  const hash = hashOf(context.body.refreshToken);
  const refreshToken = newRefreshToken();
  const tokens = await db.write((writer) => {
    const state = refreshTokenState(writer, { sessionId, hash }, now);
    if (state === 'used') return { reusedOf: endReusedSession(writer, sessionId, now) };
    if (state === 'unknown') return { reusedOf: null };
    const permit = permitWithoutCaller(writer, 'a refresh token');
    rotateRefreshToken(permit, { sessionId, hash, nextHash: hashOf(refreshToken) }, now);
    return tokensOf(services, { db: writer, sessionId, refreshToken, now });
  });
  if ('reusedOf' in tokens) {
    if (tokens.reusedOf !== null)
      context.report({ name: 'authn_token_reuse', userId: tokens.reusedOf, sessionId });
    throw new Problem(
      'invalid-credentials',
      'This is not the current refresh token of the session; sign in again.',
    );
  }
  if (tokens.ownerId !== null) services.passwords.remember(context, tokens.ownerId);
  return tokens;
}

/** One of the two who used the token isn't its owner. Returns the user, null where the session had ended. */
function endReusedSession(writer: Connection, id: number, now: number): number | null {
  if (findSession(writer, id, now) === undefined) return null;
  const session = requireVisible(sessionRows(now), { db: writer, id, access: 'everyone' });
  endSession(permitWithoutCaller(writer, 'a refresh token'), session);
  return session.userId;
}

type TokensOptions = {
  readonly db: Connection;
  readonly sessionId: number;
  readonly refreshToken: string;
  readonly now: number;
};

/** The ETag is that of the session, as reading it shows it. */
function tokensOf(
  { signer, publicUrl }: SessionServices,
  { db, sessionId: id, refreshToken, now }: TokensOptions,
): Representation<Tokens> {
  const session = requireVisible(sessionRows(now), { db, id, access: 'everyone' });
  const { userId, createdAt, expiresAt } = session;
  const caller = findSessionCaller(db, id)?.caller;
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
  const tokens: Tokens = {
    id,
    userId,
    tokenType: 'Bearer',
    accessToken,
    expiresIn: tokenSeconds,
    refreshToken,
    createdAt,
    expiresAt,
  };
  return { ...represent(tokens, { id, ownerId: userId }), etag: representSession(session).etag };
}

/** 256 random bits. */
function newRefreshToken(): string {
  return randomBytes(32).toString('base64url');
}

function wrongCredentials(): Problem {
  return new Problem('invalid-credentials', 'Wrong e-mail address or password.');
}

function listSessions({ cursors }: SessionServices): Route {
  return route({
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
      const { query, now } = context;
      const selectionFor = (caller: Caller) => {
        const userId = query.userId ?? caller.userId;
        if (userId !== caller.userId && !isAdmin(caller))
          throw forbidden('Only an administrator may see the sessions of others.');
        return sessionSelection({ userId }, now);
      };
      const load = (db: Connection, id: number): Representation<Session> | undefined => {
        const session = findSession(db, id, now);
        return session === undefined ? undefined : representSession(session);
      };
      return listPage(context, { cursors, selectionFor, load });
    },
  });
}

function readSession(): Route {
  return route({
    method: 'GET',
    path: '/api/sessions/{id}',
    tag: 'Sessions',
    summary: 'Read a session',
    access: signedIn,
    reply: ok(Session),
    problems: ['forbidden'],
    handle({ params: { id }, caller, db, now }) {
      const access = accountAccessOf(caller);
      return representSession(requireVisible(sessionRows(now), { db: db.read, id, access }));
    },
  });
}

function deleteSession(): Route {
  return route({
    method: 'DELETE',
    path: '/api/sessions/{id}',
    tag: 'Sessions',
    summary: 'Sign out',
    access: signedIn,
    reply: noContent(),
    isConditional: true,
    description: 'Ending a session of another user needs a sign-in within the last 10 minutes.',
    problems: ['forbidden', 'step-up-required'],
    handle(context) {
      return removeObject(context, sessionResource(context.now), {
        // or else whoever has stolen an administrator's token keeps the other administrators out
        check(session, caller) {
          if (session.userId !== caller.userId)
            checkStepUp(caller, context.now, 'Ending a session of another user');
        },
        remove: endSession,
        event: ({ id, userId }) => ({ name: 'session_expired', userId, sessionId: id }),
      });
    },
  });
}
