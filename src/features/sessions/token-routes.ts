// Tokens over HTTP: signing in, and renewing the tokens of a session with its refresh token, which browsers send in a
// cookie.
import { randomBytes } from 'node:crypto';
import { anyone } from '../../auth/access.ts';
import { skewSeconds, tokenSeconds, type Signer } from '../../auth/jwt.ts';
import type { RefreshTokens } from '../../auth/refresh-tokens.ts';
import type { SealedSecrets } from '../../auth/sealed-secrets.ts';
import {
  clearedSessionCookie,
  parseSessionCookie,
  sessionCookie,
  sessionCookiesIn,
  type RefreshCredential,
} from '../../auth/session-cookie.ts';
import { represent, type Representation } from '../../http/responses/representation.ts';
import { notStored } from '../../http/routing/reply.ts';
import { route, type Call, type Route } from '../../http/routing/route.ts';
import { Problem, forbidden, notFound } from '../../problem.ts';
import type { Connection } from '../../storage/connection.ts';
import { requireOwned } from '../../storage/object-access.ts';
import { renewalPermit, signInPermit } from '../../storage/permit.ts';
import { recordNetwork } from '../users/known-network-store.ts';
import type { PasswordChecks } from '../users/password-checks.ts';
import { useCode } from '../users/totp-store.ts';
import { findSignInAccount, upgradePasswordHash } from '../users/user-store.ts';
import { addSession, endSession, findRefreshState, renewSession, sessionSource } from './session-store.ts';
import { CookieTokenRequest, NewSession, TokenRequest, Tokens, refreshUse, type Session } from './session.ts';

export type TokenServices = {
  readonly passwords: PasswordChecks;
  readonly refreshTokens: RefreshTokens;
  readonly signer: Signer;
  /** The name of the cookie in which browsers have the refresh token. */
  readonly cookieName: string;
  readonly totpSecrets: SealedSecrets;
};

/** `browserKey` is null unless a browser has the refresh token in a cookie. */
type TokenHolder = { readonly sessionId: number; readonly browserKey: string | null };

const common = {
  method: 'POST',
  tag: 'Sessions',
  access: anyone,
  reply: {
    kind: 'object',
    schema: Tokens,
    location: ({ id }: { readonly id: number }) => `/api/sessions/${id}`,
    cacheControl: notStored,
  },
} as const;

export function tokenRoutes(services: TokenServices): Route[] {
  const { passwords, totpSecrets, cookieName } = services;
  return [
    route({
      ...common,
      path: '/api/sessions',
      summary: 'Sign in',
      sessionCookie: 'set',
      body: NewSession,
      description:
        'An unknown e-mail address gets the same response as a wrong password. An account with one-time ' +
        'codes on also needs `code`. With `cookie` the refresh token comes in a cookie, which no script reads, ' +
        'and which renews nothing without `browserKey`.',
      problems: ['invalid-credentials', 'code-required', 'unavailable'],
      async handle(call) {
        const { body, now, requestId, network } = call;
        const { email, password, code } = body;
        const verified = await passwords.verifyAsSignIn(call, email, password);
        if (verified === undefined) throw wrongCredentials();
        const { userId, needsCode } = verified;
        if (needsCode && code === undefined) throw codeRequired('This account also needs a code.');
        if (needsCode) passwords.consumeCodeToken(call, userId);
        const upgradedHash = await passwords.rehashIfOutdated(call, verified, password);
        const browserKey = body.cookie === true ? randomBytes(32).toString('base64url') : null;
        const issued = await call.write(({ writer }) => {
          const current = findSignInAccount(writer, email);
          // the password may have changed while it was verified; hashes are salted, so a new one differs
          if (current?.hash !== verified.hash || current.isSuspended) throw wrongCredentials();
          const permit = signInPermit(writer, { actor: { userId, keyId: null }, requestId, now });
          // a right code is used up only here, in the write that signs in
          const factor = current.needsCode
            ? useCode(permit, totpSecrets, { userId, code: code ?? '' })
            : undefined;
          if (current.needsCode && factor === undefined) return undefined;
          if (upgradedHash !== undefined) upgradePasswordHash(permit, verified, upgradedHash);
          recordNetwork(permit, userId, network);
          const userAgent = shownUserAgent(call.headers['user-agent']);
          const sessionId = addSession(permit, { userId, userAgent, usesCookie: browserKey !== null });
          const event = { name: 'authn_login_success', userId, sessionId } as const;
          call.reportSecurityEvent(factor === undefined ? event : { ...event, factor });
          return issueTokens(writer, services, { sessionId, browserKey, now });
        });
        if (issued !== undefined) return responseOf(call, issued);
        call.reportSecurityEvent({ name: 'authn_login_fail', userId, reason: 'wrong-code' });
        throw codeRequired('code is wrong, or was used already.');
      },
    }),
    route({
      ...common,
      path: '/api/sessions/{id}/tokens',
      operationId: 'refreshSession',
      summary: 'Get new tokens',
      body: TokenRequest,
      description:
        'Each use replaces the refresh token. The one just replaced gets the same new one again until that is ' +
        'used; any other use of an old one ends the session.',
      problems: ['invalid-credentials'],
      async handle(call) {
        const { refreshToken } = call.body;
        const credential = { sessionId: call.params.id, refreshToken, browserKey: null };
        const issued = await renew(call, services, credential);
        if (issued === undefined) throw notCurrent();
        return issued.tokens;
      },
    }),
    // A page of another origin can't call this route: browsers report where a request comes from (Fetch Metadata), send
    // JSON to another origin only after a CORS preflight, and send the cookie with no request of another site, since it
    // is SameSite=Strict. Another server on the same host receives the cookie, and can set it, but it doesn't have the
    // browser key of this service's pages.
    route({
      ...common,
      path: '/api/sessions/current/tokens',
      operationId: 'refreshCookie',
      summary: 'Get new tokens, with the cookie and the browser key',
      sessionCookie: 'read and set',
      body: CookieTokenRequest,
      description:
        'For pages of the service’s own origin that signed in with `cookie`: needs `Sec-Fetch-Site: ' +
        'same-origin`, which browsers send. The refresh token is taken from the cookie and replaced in it; ' +
        'it is valid only beside the `browserKey` that the sign-in returned.',
      problems: ['forbidden', 'invalid-credentials', 'multiple-credentials'],
      async handle(call) {
        if (call.headers['sec-fetch-site'] !== 'same-origin')
          throw forbidden('Only pages of this service may use the cookie (Sec-Fetch-Site: same-origin).');
        const [value, ...others] = sessionCookiesIn(cookieName, call.cookie);
        if (others.length > 0)
          throw new Problem('multiple-credentials', 'Several cookies have the session’s name; remove them.');
        if (value === undefined) throw new Problem('invalid-credentials', 'There is no cookie; sign in.');
        const credential = parseSessionCookie(value);
        if (credential === undefined) reportUnknownToken(call, null);
        const { browserKey } = call.body;
        const issued = credential && (await renew(call, services, { ...credential, browserKey }));
        if (issued !== undefined) return responseOf(call, issued);
        call.setCookie(clearedSessionCookie(cookieName));
        throw notCurrent();
      },
    }),
  ];
}

/** Returns the part of User-Agent that a list of sessions shows. */
function shownUserAgent(sent: string | undefined): string | null {
  return sent === undefined ? null : sent.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '').slice(0, 300);
}

function codeRequired(detail: string): Problem {
  return new Problem('code-required', detail);
}

function wrongCredentials(): Problem {
  return new Problem('invalid-credentials', 'Wrong e-mail address or password.');
}

function notCurrent(): Problem {
  const detail = 'This is not the current refresh token of the session; sign in again.';
  return new Problem('invalid-credentials', detail);
}

type TokenCall = Call<object, object, unknown, undefined>;
type RenewalCall = Pick<
  TokenCall,
  'read' | 'write' | 'now' | 'network' | 'requestId' | 'reportSecurityEvent'
>;

/**
 * Returns undefined, and reports it, if the refresh token isn't the current one of a session. Nothing is written for a
 * token that the service didn't issue, so the response is the same on a full disk.
 */
async function renew(
  call: RenewalCall,
  services: TokenServices,
  { sessionId, refreshToken, browserKey }: RefreshCredential & TokenHolder,
): Promise<Issued | undefined> {
  const { now, network, requestId } = call;
  /** Returns undefined, and reports it, unless the token was issued for a session that hasn't ended. */
  const issuedBy = (db: Connection) => {
    const state = findRefreshState(db, sessionId, now);
    // the session began while the clock was ahead: its tokens aren't valid yet
    const isAhead = Date.parse(state?.session.createdAt ?? '') > now + skewSeconds * 1000;
    const generation =
      state && !isAhead ? services.refreshTokens.verify(refreshToken, state, browserKey) : undefined;
    if (state !== undefined && generation !== undefined) return { state, generation };
    reportUnknownToken(call, state?.session.userId ?? null);
    return undefined;
  };
  if (issuedBy(call.read) === undefined) return undefined;
  return call.write(({ writer }) => {
    const issued = issuedBy(writer);
    if (issued === undefined) return undefined;
    const { state, generation } = issued;
    const { userId } = state.session;
    const use = refreshUse(generation, state);
    if (use === 'reused') {
      // two parties have the token, and only one can be its owner
      const permit = renewalPermit(writer, userId, { actor: null, requestId, now });
      endSession(permit, requireOwned(sessionSource(now), permit, sessionId), 'session.reused');
      call.reportSecurityEvent({ name: 'authn_token_reuse', userId, sessionId });
      return undefined;
    }
    if (use === 'current') {
      const permit = renewalPermit(writer, userId, { actor: { userId, keyId: null }, requestId, now });
      recordNetwork(permit, userId, network);
      renewSession(permit, state, generation + 1);
    }
    return issueTokens(writer, services, { sessionId, browserKey, now });
  });
}

/** `userId` is null unless the session exists. */
function reportUnknownToken(call: Pick<RenewalCall, 'reportSecurityEvent'>, userId: number | null): void {
  call.reportSecurityEvent({ name: 'authn_login_fail', userId, reason: 'invalid-refresh-token' });
}

/** The tokens, and the cookie that goes with them, if a browser gets one. */
type Issued = { readonly tokens: Representation<Tokens>; readonly cookie: string | undefined };

/** Issues tokens of the session. The ETag is the session's, as in GET /api/sessions/{id}. */
function issueTokens(
  db: Connection,
  { signer, refreshTokens, cookieName }: TokenServices,
  { sessionId: id, browserKey, now }: TokenHolder & { readonly now: number },
): Issued {
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

function responseOf(call: Pick<TokenCall, 'setCookie'>, { tokens, cookie }: Issued): Representation<Tokens> {
  if (cookie !== undefined) call.setCookie(cookie);
  return tokens;
}

export function representSession(session: Session): Representation<Session> {
  return represent(session, { id: session.id, ownerId: session.userId });
}
