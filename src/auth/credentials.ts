// Finds the caller behind a credential, and caches verified tokens.
import { hash, timingSafeEqual } from 'node:crypto';
import { BoundedMap } from '../base/bounded-map.ts';
import { Problem } from '../problem.ts';
import type { Caller } from './access.ts';
import type { CallerCache, CallerLookups } from './caller-cache.ts';
import { beginSecondsOf, type Signer } from './jwt.ts';

const cachedTokenBytesMax = 8 * 1024 * 1024;

export type Authenticator = ReturnType<typeof createAuthenticator>;

type AuthenticatorOptions = {
  readonly signer: Signer;
  /** Looks up sessions and keys on disk. */
  readonly lookups: CallerLookups;
  readonly cache: CallerCache;
  readonly onKeyUse: (keyId: number, now: number) => void;
};

/** The field Authorization of a request, and the time at which its token is checked. */
type SentCredential = { readonly authorization: string | undefined; readonly now: number };

/**
 * A verified token. Each request looks its session up again, so the end of a session has effect immediately.
 */
type Verified = {
  readonly sessionId: number;
  readonly userId: number;
  readonly authTimeSeconds: number;
  readonly beginsAt: number;
  readonly expiresAt: number;
  readonly bytes: number;
};

export function createAuthenticator({
  signer,
  lookups: lookupsOnDisk,
  cache,
  onKeyUse,
}: AuthenticatorOptions) {
  /** Verified tokens by the whole text of Authorization, so that the text is parsed only once. */
  const tokens = new BoundedMap<string, Verified>(cachedTokenBytesMax, ({ bytes }) => bytes);
  const cachedLookups = cache.wrap(lookupsOnDisk);

  function authenticateBearer(authorization: string, now: number): Caller {
    const verified = requireToken(authorization, now);
    const caller = requireSessionCaller(cachedLookups, verified.sessionId, now);
    // after a restore, a new session may have the id, and even the user, of a session that the backup lacks
    if (caller.userId !== verified.userId || caller.authTimeSeconds !== verified.authTimeSeconds)
      throw noLongerValid(sessionEnded);
    return caller;
  }

  function requireToken(authorization: string, now: number): Verified {
    const verified = tokens.get(authorization) ?? verify(authorization);
    if (now < verified.beginsAt) throw noLongerValid(tokenFromFuture);
    if (now >= verified.expiresAt) throw noLongerValid(tokenExpired); // exactly when `expiresIn` said
    return verified;
  }

  function verify(authorization: string): Verified {
    if (!/^bearer(?: |$)/i.test(authorization)) throw new Problem('unauthenticated', otherScheme);
    const token = /^bearer +([^ ]+)$/i.exec(authorization)?.[1];
    if (token === undefined)
      throw suspicious('invalid-token', 'Authorization must be "Bearer", a space and an access token.');
    if (isApiKey(token))
      throw suspicious('invalid-token', 'This is an API key; send it in the X-API-Key header.');
    const claims = signer.verify(token);
    if (claims === undefined) throw suspicious('invalid-token', 'The access token is invalid.');
    const verified = {
      sessionId: claims.sid,
      userId: Number(claims.sub),
      authTimeSeconds: claims.auth_time,
      beginsAt: beginSecondsOf(claims) * 1000,
      expiresAt: claims.exp * 1000,
      bytes: authorization.length + entryBytes,
    };
    tokens.set(authorization, verified);
    return verified;
  }

  function authenticateKey(text: string, now: number): Caller {
    const [, digits, secret = ''] = keyPattern.exec(text) ?? [];
    const id = Number(digits);
    const found = digits === undefined ? undefined : cachedLookups.findKey(id);
    const userId = found?.caller.userId ?? null;
    if (found === undefined || !timingSafeEqual(hashSecret(secret), found.hash))
      throw suspicious('invalid-key', 'The API key is invalid.', userId);
    if (now >= found.expiresAt) throw suspicious('key-expired', keyExpired, userId);
    onKeyUse(id, now);
    return found.caller;
  }

  /**
   * Returns the caller of a running request with their current rights. Throws `invalid-token` if the access
   * token has expired, or if the session, key or user no longer exists.
   */
  function requireCaller(
    caller: Caller,
    { authorization = '', now }: SentCredential,
    lookups = cachedLookups,
  ): Caller {
    if (caller.keyId !== null) return requireKeyCaller(lookups, caller.keyId, now);
    requireToken(authorization, now);
    return requireSessionCaller(lookups, caller.sessionId, now);
  }

  /** Whether the caller's credential has expired. A withdrawn credential has not. */
  function hasExpired(caller: Caller, { authorization = '', now }: SentCredential): boolean {
    if (caller.keyId !== null) return now >= (cachedLookups.findKey(caller.keyId)?.expiresAt ?? Infinity);
    const session = cachedLookups.findSession(caller.sessionId)?.expiresAt ?? Infinity;
    const token = tokens.get(authorization)?.expiresAt ?? Infinity;
    return now >= Math.min(session, token);
  }

  return { authenticateBearer, authenticateKey, requireCaller, hasExpired };
}

/** The memory that a cached token takes beside its text. */
const entryBytes = 200;
/** `ord_`, the id of the key, and a secret of 256 bits. */
const keyPattern = /^ord_([1-9]\d{0,15})_([A-Za-z0-9_-]{43})$/;

const otherScheme = 'Authorization must have the scheme Bearer: "Bearer", a space and an access token.';
const sessionEnded = 'The session of this access token has ended; sign in again.';
const tokenExpired = 'The access token has expired; get a new one with the refresh token, or sign in.';
const tokenFromFuture =
  'The access token begins in the future: the clock of the service was set back. Sign in again.';
const keyExpired = 'The API key has expired; create a new one.';

/** Whether the text has the form of an API key. An access token never has this form. */
export function isApiKey(text: string): boolean {
  return keyPattern.test(text);
}

function requireSessionCaller({ findSession }: CallerLookups, id: number, now: number): Caller {
  const found = findSession(id);
  if (found === undefined || now >= found.expiresAt) throw noLongerValid(sessionEnded);
  return found.caller;
}

function requireKeyCaller({ findKey }: CallerLookups, id: number, now: number): Caller {
  const found = findKey(id);
  if (found === undefined) throw noLongerValid('The API key is invalid.');
  if (now >= found.expiresAt) throw noLongerValid(keyExpired);
  return found.caller;
}

/** Hashes a secret of 256 random bits with SHA-256, since a slow hash would gain nothing. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Rejects a credential that was once valid, as clients send in normal operation. */
function noLongerValid(detail: string): Problem {
  return new Problem('invalid-token', detail);
}

/**
 * Rejects a credential that no client sends in normal operation, with a security event: somebody may be
 * guessing.
 */
function suspicious(
  reason: 'invalid-token' | 'invalid-key' | 'key-expired',
  detail: string,
  userId: number | null = null,
): Problem {
  const securityEvent = { name: 'authn_login_fail', userId, reason } as const;
  return new Problem('invalid-token', detail, { securityEvent });
}
