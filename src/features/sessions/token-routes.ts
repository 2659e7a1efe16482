// Tokens over HTTP: signing in, and renewing the tokens of a session with its refresh token, which browsers send in a
// cookie.
import { randomBytes } from 'node:crypto';
import { anyone } from '../../auth/access.ts';
import { tokenSeconds, type Signer } from '../../auth/jwt.ts';
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
import { Problem, forbidden } from '../../problem.ts';
import type { Connection } from '../../storage/connection.ts';
import { requireOwned } from '../../storage/object-access.ts';
import { renewalPermit, signInPermit } from '../../storage/permit.ts';
import { recordNetwork } from '../users/known-network-store.ts';
import type { PasswordChecks } from '../users/password-checks.ts';
import { useCode } from '../users/totp-store.ts';
import { findSignInAccount, upgradePasswordHash } from '../users/user-store.ts';
import {
  addSession,
  endSession,
  findRefreshState,
  renewSession,
  sessionSource,
  type RefreshState,
} from './session-store.ts';
import { CookieTokenRequest, NewSession, TokenRequest, Tokens, refreshUse, type Session } from './session.ts';

export type TokenServices = {
  readonly passwords: PasswordChecks;
  readonly refreshTokens: RefreshTokens;
  readonly signer: Signer;
  /** The name of the cookie in which browsers have the refresh token. */
  readonly cookieName: string;
  readonly totpSecrets: SealedSecrets;
};

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
        if (needsCode) {
          if (code === undefined) throw codeRequired('This account also needs a code.');
          passwords.consumeCodeToken(call, userId);
        }
        const upgradedHash = await passwords.rehashIfOutdated(call, verified, password);
        const browserKey = body.cookie === true ? randomBytes(32).toString('base64url') : null;
        const state = await call.write(({ writer }) => {
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
          return findRefreshState(writer, sessionId, now);
        });
        if (state !== undefined) return issueTokens(call, services, { state, browserKey });
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
        const state = await renew(call, services, {
          sessionId: call.params.id,
          refreshToken,
          browserKey: null,
        });
        if (state === undefined) throw notCurrent();
        return issueTokens(call, services, { state, browserKey: null });
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
        const state = credential && (await renew(call, services, { ...credential, browserKey }));
        if (state !== undefined) return issueTokens(call, services, { state, browserKey });
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

type TokenCall = Pick<
  Call<object, object, unknown, undefined>,
  'read' | 'write' | 'now' | 'network' | 'requestId' | 'reportSecurityEvent' | 'setCookie'
>;
/** `browserKey` is null unless a browser has the refresh token in a cookie. */
type SentToken = RefreshCredential & { readonly browserKey: string | null };

/**
 * Renews the session, unless the token was just replaced, and returns it. Returns undefined, and reports it, if the
 * refresh token isn't the session's current one. Nothing is written for a token that the service didn't issue, so the
 * response is the same on a full disk.
 */
async function renew(
  call: TokenCall,
  { refreshTokens }: TokenServices,
  { sessionId, refreshToken, browserKey }: SentToken,
): Promise<RefreshState | undefined> {
  const { now, network, requestId } = call;
  const verify = (db: Connection): { state: RefreshState; generation: number } | undefined => {
    const state = findRefreshState(db, sessionId, now);
    const generation = state && refreshTokens.verify(refreshToken, state, browserKey);
    if (state !== undefined && generation !== undefined) return { state, generation };
    reportUnknownToken(call, state?.session.userId ?? null);
    return undefined;
  };
  if (verify(call.read) === undefined) return undefined;
  return call.write(({ writer }) => {
    const verified = verify(writer);
    if (verified === undefined) return undefined;
    const { state, generation } = verified;
    const { userId } = state.session;
    const use = refreshUse(generation, state);
    if (use === 'replaced') return state;
    const actor = use === 'reused' ? null : { userId, keyId: null };
    const permit = renewalPermit(writer, userId, { actor, requestId, now });
    if (use === 'reused') {
      // two parties have the token, and only one can be its owner
      endSession(permit, requireOwned(sessionSource(now), permit, sessionId), 'session.reused');
      call.reportSecurityEvent({ name: 'authn_token_reuse', userId, sessionId });
      return undefined;
    }
    recordNetwork(permit, userId, network);
    renewSession(permit, state, generation + 1);
    return findRefreshState(writer, sessionId, now);
  });
}

/** `userId` is null unless the session exists. */
function reportUnknownToken(call: TokenCall, userId: number | null): void {
  call.reportSecurityEvent({ name: 'authn_login_fail', userId, reason: 'invalid-refresh-token' });
}

type IssuedTo = { readonly state: RefreshState; readonly browserKey: string | null };

/** Issues the session's tokens, to a browser in body and cookie. The ETag is that of GET /api/sessions/{id}. */
function issueTokens(
  call: TokenCall,
  { signer, refreshTokens, cookieName }: TokenServices,
  { state, browserKey }: IssuedTo,
): Representation<Tokens> {
  const { now } = call;
  const { session, role, generation } = state;
  const { id, userId, createdAt, expiresAt } = session;
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
  const refreshToken = refreshTokens.issue(state, { generation, browserKey });
  const inBoth = { id, userId, tokenType: 'Bearer', accessToken, expiresIn: tokenSeconds } as const;
  const ofSession = { id, ownerId: userId, etag: representSession(session).etag };
  if (browserKey === null) return represent({ ...inBoth, refreshToken, createdAt, expiresAt }, ofSession);
  const seconds = Math.floor((Date.parse(expiresAt) - now) / 1000); // the cookie expires with the session
  call.setCookie(sessionCookie(cookieName, { sessionId: id, refreshToken }, seconds));
  return represent({ ...inBoth, refreshToken: null, createdAt, expiresAt, browserKey }, ofSession);
}

export function representSession(session: Session): Representation<Session> {
  return represent(session, { id: session.id, ownerId: session.userId });
}
