// The tokens of a sign-in or a renewal, and how a response carries them.
import { randomBytes } from 'node:crypto';
import { tokenSeconds, type Signer } from '../../auth/jwt.ts';
import type { RefreshTokens } from '../../auth/refresh-tokens.ts';
import { sessionCookie } from '../../auth/session-cookie.ts';
import { represent, type Representation } from '../../http/responses/representation.ts';
import { notStored } from '../../http/routing/reply.ts';
import type { Call } from '../../http/routing/route.ts';
import { notFound } from '../../problem.ts';
import type { Connection } from '../../storage/connection.ts';
import { Tokens, type Session } from './session.ts';
import { findRefreshState } from './session-store.ts';

export type TokenServices = {
  readonly signer: Signer;
  readonly refreshTokens: RefreshTokens;
  /** The name of the cookie in which browsers have the refresh token. */
  readonly cookieName: string;
};

export const tokensReply = {
  kind: 'object',
  schema: Tokens,
  location: ({ id }: { readonly id: number }) => `/api/sessions/${id}`,
  cacheControl: notStored,
} as const;

type TokensOptions = {
  readonly db: Connection;
  readonly sessionId: number;
  /** Null unless a browser gets the refresh token in a cookie. */
  readonly browserKey: string | null;
  readonly now: number;
};

/** The representation, and the cookie to set beside it, if a browser gets one. */
export type IssuedTokens = {
  readonly tokens: Representation<Tokens>;
  readonly cookie: string | undefined;
};

/** Issues tokens of the session. The ETag is the session's, as in GET /api/sessions/{id}. */
export function issueTokens(
  { signer, refreshTokens, cookieName }: TokenServices,
  { db, sessionId: id, browserKey, now }: TokensOptions,
): IssuedTokens {
  const refresh = findRefreshState(db, id, now);
  if (refresh === undefined) throw notFound('session', id);
  const { session, role, generation } = refresh;
  const { userId, createdAt, expiresAt } = session;
  const iat = Math.floor(now / 1000);
  const accessToken = signer.sign({
    sub: String(userId),
    sid: id,
    role,
    iat,
    exp: iat + tokenSeconds,
    auth_time: Math.floor(Date.parse(createdAt) / 1000),
    jti: randomBytes(12).toString('base64url'),
  });
  const refreshToken = refreshTokens.issue(refresh, { generation, browserKey });
  const inCookie = browserKey !== null;
  const tokens: Tokens = {
    id,
    userId,
    tokenType: 'Bearer',
    accessToken,
    expiresIn: tokenSeconds,
    refreshToken: inCookie ? null : refreshToken,
    createdAt,
    expiresAt,
    ...(inCookie ? { browserKey } : {}),
  };
  const seconds = Math.floor((Date.parse(expiresAt) - now) / 1000); // the cookie expires with the session
  return {
    tokens: represent(tokens, { id, ownerId: userId, etag: representSession(session).etag }),
    cookie: inCookie ? sessionCookie(cookieName, { sessionId: id, refreshToken }, seconds) : undefined,
  };
}

/** Returns the tokens as a response, with their cookie. */
export function responseWith(
  call: Pick<Call<object, object, unknown, undefined>, 'setCookie'>,
  { tokens, cookie }: IssuedTokens,
): Representation<Tokens> {
  if (cookie !== undefined) call.setCookie(cookie);
  return tokens;
}

export function representSession(session: Session): Representation<Session> {
  return represent(session, { id: session.id, ownerId: session.userId });
}
