// Signing in over HTTP, and renewing the tokens of a session.
import { randomBytes } from 'node:crypto';
import { anyone } from '../../auth/access.ts';
import type { Signer } from '../../auth/jwt.ts';
import type { RefreshTokens } from '../../auth/refresh-tokens.ts';
import { sessionCookie, type RefreshCredential } from '../../auth/session-cookie.ts';
import type { SealedSecrets } from '../../auth/sealed-secrets.ts';
import { represent, type Representation } from '../../http/representation.ts';
import { created } from '../../http/reply.ts';
import { route, type Context, type Route } from '../../http/route.ts';
import { tokenSeconds } from '../../limits.ts';
import { Problem, notFound } from '../../problem.ts';
import type { Infer } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import { renewalPermit, signInPermit } from '../../storage/permit.ts';
import type { PasswordChecks, SignInAccount } from '../flows/password-checks.ts';
import { readBack, requireVisible } from '../flows/visible.ts';
import { useCode } from '../users/totp-store.ts';
import { findSignInAccount, upgradePasswordHash } from '../users/user-store.ts';
import { recordAddress } from './known-address-store.ts';
import { NewSession, Session, TokenRequest, Tokens, refreshUse } from './session.ts';
import {
  addSession,
  endSession,
  findRefreshState,
  findSessionCaller,
  renewSession,
  sessionSource,
  type RefreshState,
} from './session-store.ts';

export type SignInServices = {
  readonly passwords: PasswordChecks;
  readonly signer: Signer;
  readonly refreshTokens: RefreshTokens;
  readonly totpSecrets: SealedSecrets;
  readonly publicUrl: string;
};

export const tokensReply = created(Tokens, ({ id }) => `/api/sessions/${id}`, {
  isSecret: true,
  links: { get: 'getSession' },
});

export function signInRoute(services: SignInServices): Route {
  return route({
    method: 'POST',
    path: '/api/sessions',
    tag: 'Sessions',
    summary: 'Sign in',
    access: anyone,
    sessionCookie: 'set',
    body: NewSession,
    reply: tokensReply,
    description:
      'An unknown e-mail address gets the same response as a wrong password. An account with one-time ' +
      'codes on also needs `code`. With `cookie` the refresh token comes in a cookie, which no script reads.',
    problems: ['invalid-credentials', 'code-required', 'unavailable'],
    handle: (context) => signIn(context, services),
  });
}

type SignInContext = Context<object, object, Infer<typeof NewSession>, undefined>;

async function signIn(context: SignInContext, services: SignInServices): Promise<Representation<Tokens>> {
  const { passwords } = services;
  const { body, database } = context;
  const verified = await passwords.verifyAsSignIn(context, body.email, body.password);
  if (verified === undefined) throw wrongCredentials();
  const { userId } = verified;
  if (verified.needsCode && body.code === undefined) throw codeRequired('This account also needs a code.');
  const refund = verified.needsCode ? passwords.consumeCodeToken(context, userId) : () => {};
  const upgradedHash = await passwords.upgrade(context, verified, body.password);
  const signedIn = await database.write((writer) =>
    beginSession(writer, context, { services, verified, upgradedHash }),
  );
  if (signedIn === undefined) {
    context.reportSecurityEvent({ name: 'authn_login_fail', userId, reason: 'wrong-code' });
    throw codeRequired('code is wrong, or was used already.');
  }
  refund();
  const { issued, factor } = signedIn;
  const event = { name: 'authn_login_success', userId, sessionId: issued.id } as const;
  context.reportSecurityEvent(factor === undefined ? event : { ...event, factor });
  return body.cookie === true ? inCookie(context, issued) : inBody(issued);
}

type SessionStart = {
  readonly services: SignInServices;
  readonly verified: SignInAccount;
  readonly upgradedHash: string | undefined;
};
type SignedIn = {
  readonly issued: IssuedTokens;
  readonly factor: ReturnType<typeof useCode>;
};

/** Returns undefined if the code is wrong. A right code is used up only here, in the write that signs in. */
function beginSession(
  writer: Connection,
  { body, now, userAgent, addressBucket, requestId }: SignInContext,
  { services, verified, upgradedHash }: SessionStart,
): SignedIn | undefined {
  const { userId, hash } = verified;
  const current = findSignInAccount(writer, body.email);
  // the password may have changed while its hash was verified; hashes are salted, so no two are equal
  if (current?.hash !== hash || current.isSuspended) throw wrongCredentials();
  const actor = { userId, keyId: null };
  const permit = signInPermit(writer, { actor, requestId, now });
  const { code = '' } = body;
  const factor = current.needsCode ? useCode(permit, services.totpSecrets, { userId, code, now }) : undefined;
  if (current.needsCode && factor === undefined) return undefined;
  if (upgradedHash !== undefined) upgradePasswordHash(permit, verified, upgradedHash);
  recordAddress(permit, userId, addressBucket);
  const usesCookie = body.cookie === true;
  const sessionId = addSession(permit, { userId, userAgent, usesCookie });
  return { issued: issueTokens(services, { db: writer, sessionId, now }), factor };
}

export function renewTokensRoute(services: SignInServices): Route {
  return route({
    method: 'POST',
    path: '/api/sessions/{id}/tokens',
    operationId: 'refreshSession',
    tag: 'Sessions',
    summary: 'Get new tokens',
    access: anyone,
    body: TokenRequest,
    reply: tokensReply,
    description:
      'Each use replaces the refresh token. The one just replaced gets the same new one again for a few ' +
      'seconds; any other use of an old one ends the session.',
    problems: ['invalid-credentials'],
    handle: (context) => renewTokens(context, services),
  });
}

type TokensContext = Context<{ readonly id: number }, object, Infer<typeof TokenRequest>, undefined>;

async function renewTokens(
  context: TokensContext,
  services: SignInServices,
): Promise<Representation<Tokens>> {
  const { params, body } = context;
  const credential = { sessionId: params.id, refreshToken: body.refreshToken };
  const issued = await renewWith(context, services, credential);
  if (issued === undefined) throw notCurrentProblem();
  return inBody(issued);
}

export function notCurrentProblem(): Problem {
  const detail = 'This is not the current refresh token of the session; sign in again.';
  return new Problem('invalid-credentials', detail);
}

type RenewalContext = Pick<
  Context<object, object, unknown, undefined>,
  'database' | 'now' | 'addressBucket' | 'requestId' | 'reportSecurityEvent'
>;
/** The result of a renewal. `unknown`: the token isn't one of this session, or the session has ended. */
type Renewal =
  | { readonly outcome: 'renewed'; readonly tokens: IssuedTokens }
  | { readonly outcome: 'reused'; readonly userId: number }
  | { readonly outcome: 'unknown'; readonly userId: number | null };

/** Returns undefined if the refresh token isn't the current one of a session. */
export async function renewWith(
  context: RenewalContext,
  services: SignInServices,
  credential: RefreshCredential,
): Promise<IssuedTokens | undefined> {
  const { sessionId } = credential;
  const renewal = await context.database.write((writer) => renew(writer, context, { services, credential }));
  if (renewal.outcome === 'renewed') return renewal.tokens;
  if (renewal.outcome === 'reused')
    context.reportSecurityEvent({ name: 'authn_token_reuse', userId: renewal.userId, sessionId });
  else reportUnknownToken(context, renewal.userId);
  return undefined;
}

/** `userId` is null unless the session exists. */
export function reportUnknownToken(
  context: Pick<RenewalContext, 'reportSecurityEvent'>,
  userId: number | null,
): void {
  context.reportSecurityEvent({ name: 'authn_login_fail', userId, reason: 'invalid-refresh-token' });
}

type RenewalOptions = { readonly services: SignInServices; readonly credential: RefreshCredential };

/** Ends a session whose token was reused: two parties have the token, so one of them isn't its owner. */
function renew(
  writer: Connection,
  context: RenewalContext,
  { services, credential }: RenewalOptions,
): Renewal {
  const { now } = context;
  const { sessionId, refreshToken } = credential;
  const session = findRefreshState(writer, sessionId, now);
  if (session === undefined) return { outcome: 'unknown', userId: null };
  const generation = services.refreshTokens.verify(refreshToken, session);
  if (generation === undefined) return { outcome: 'unknown', userId: session.userId };
  const use = refreshUse(generation, session, now);
  if (use === 'reused') {
    endReused(writer, session, context);
    return { outcome: 'reused', userId: session.userId };
  }
  if (use === 'current') renewCurrent(writer, { ...session, generation }, context);
  return { outcome: 'renewed', tokens: issueTokens(services, { db: writer, sessionId, now }) };
}

function renewCurrent(writer: Connection, session: RefreshState, context: RenewalContext): void {
  const { addressBucket, requestId, now } = context;
  const { userId, generation } = session;
  const actor = { userId, keyId: null };
  const permit = renewalPermit(writer, { actor, requestId, now });
  recordAddress(permit, userId, addressBucket);
  renewSession(permit, session, generation + 1);
}

function endReused(
  writer: Connection,
  { sessionId: id }: RefreshState,
  { requestId, now }: RenewalContext,
): void {
  const session = requireVisible(sessionSource(now), { db: writer, id, access: 'all' });
  const permit = renewalPermit(writer, { actor: null, requestId, now });
  endSession(permit, session, 'session.reused');
}

type TokensOptions = { readonly db: Connection; readonly sessionId: number; readonly now: number };

type IssuedTokens = Tokens & { readonly refreshToken: string; readonly etag: string };

/** Issues tokens of the session. The ETag is that of the session, which is also that of its GET. */
function issueTokens(
  { signer, refreshTokens, publicUrl }: SignInServices,
  { db, sessionId: id, now }: TokensOptions,
): IssuedTokens {
  const session = readBack(sessionSource(now), db, id);
  const { userId, createdAt, expiresAt } = session;
  const caller = findSessionCaller(db, id)?.caller;
  const refresh = findRefreshState(db, id, now);
  if (caller === undefined || refresh === undefined) throw notFound('session', id);
  const iat = Math.floor(now / 1000);
  const accessToken = signer.sign({
    iss: publicUrl,
    aud: publicUrl,
    sub: String(userId),
    sid: id,
    role: caller.role,
    iat,
    exp: iat + tokenSeconds,
    auth_time: caller.authTimeSeconds,
    jti: randomBytes(12).toString('base64url'),
  });
  return {
    id,
    userId,
    tokenType: 'Bearer',
    accessToken,
    expiresIn: tokenSeconds,
    refreshToken: refreshTokens.issue(refresh, refresh.generation),
    createdAt,
    expiresAt,
    etag: representSession(session).etag,
  };
}

function inBody({ etag, ...tokens }: Tokens & { readonly etag: string }): Representation<Tokens> {
  return represent(tokens, { id: tokens.id, ownerId: tokens.userId, etag });
}

/** The cookie expires with the session. */
export function inCookie(
  context: Pick<Context<object, object, unknown, undefined>, 'now' | 'setCookie'>,
  issued: IssuedTokens,
): Representation<Tokens> {
  const { id: sessionId, refreshToken, expiresAt } = issued;
  const seconds = Math.floor((Date.parse(expiresAt) - context.now) / 1000);
  context.setCookie(sessionCookie({ sessionId, refreshToken }, seconds));
  return inBody({ ...issued, refreshToken: null });
}

export function representSession(session: Session): Representation<Session> {
  return represent(session, { id: session.id, ownerId: session.userId });
}

function codeRequired(detail: string): Problem {
  return new Problem('code-required', detail);
}

function wrongCredentials(): Problem {
  return new Problem('invalid-credentials', 'Wrong e-mail address or password.');
}
