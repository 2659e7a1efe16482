// From a credential to the caller behind it, remembering what was verified.
import { hash, timingSafeEqual } from 'node:crypto';
import { BoundedMap } from '../bounded-map.ts';
import { Problem } from '../errors.ts';
import { rememberedCallersMax, rememberedTokensMax } from '../limits.ts';
import type { Caller } from './access.ts';
import type { Signer } from './jwt.ts';

/** What is known of a session or key now; times in milliseconds since 1970. */
export type SessionFacts = { readonly caller: Caller; readonly endsAt: number };
export type KeyFacts = { readonly caller: Caller; readonly endsAt: number; readonly hash: Uint8Array };

export type Authenticator = ReturnType<typeof createAuthenticator>;

type Sources = {
  readonly signer: Signer;
  readonly findSession: (id: number) => SessionFacts | undefined;
  readonly findKey: (id: number) => KeyFacts | undefined;
  readonly used: (keyId: number, now: number) => void;
};

/**
 * A token's signature is remembered; what it stands for is looked up live, so an ended session ends at once.
 */
type Verified = { readonly sessionId: number; readonly userId: string; readonly expires: number };

export function createAuthenticator({ signer, findSession, findKey, used }: Sources) {
  const tokens = new BoundedMap<string, Verified>(rememberedTokensMax);
  const sessions = new BoundedMap<number, SessionFacts>(rememberedCallersMax);
  const keys = new BoundedMap<number, KeyFacts>(rememberedCallersMax);

  function bearer(authorization: string, now: number): Caller {
    const verified = tokens.get(authorization) ?? verify(authorization, now);
    if (now >= verified.expires)
      throw invalidToken('The access token has expired: get a new one with the refresh token, or sign in.');
    const facts = remembered(sessions, verified.sessionId, findSession);
    if (facts === undefined || now >= facts.endsAt || String(facts.caller.userId) !== verified.userId) {
      throw invalidToken('The session of this access token has ended: sign in again.');
    }
    return facts.caller;
  }

  function verify(authorization: string, now: number): Verified {
    const token = /^bearer +([^ ]+)$/i.exec(authorization)?.[1];
    if (token === undefined) throw invalidToken('Authorization must be "Bearer" and an access token.');
    const claims = signer.verify(token, Math.floor(now / 1000));
    if (claims === undefined) throw invalidToken('The access token is not valid here, or has expired.');
    const verified = { sessionId: claims.sid, userId: claims.sub, expires: claims.exp * 1000 };
    tokens.set(authorization, verified);
    return verified;
  }

  function apiKey(text: string, now: number): Caller {
    const id = Number(/^ord_([1-9]\d{0,15})_[A-Za-z0-9_-]{43}$/.exec(text)?.[1]);
    const facts = Number.isNaN(id) ? undefined : remembered(keys, id, findKey);
    if (facts === undefined || !timingSafeEqual(hashOf(text.slice(-43)), facts.hash))
      throw invalidToken('The API key is not valid.');
    if (now >= facts.endsAt) throw invalidToken('The API key has expired: make a new one.');
    used(id, now);
    return facts.caller;
  }

  /** Drops what a change made stale: called with each commit's changed keys. */
  function forget(kind: string, id: number): void {
    if (kind === 'session') sessions.delete(id);
    if (kind === 'key') keys.delete(id);
    if (kind === 'user') forgetAll(); // a role or a deletion touches every session and key of theirs
  }

  function forgetAll(): void {
    sessions.clear();
    keys.clear();
  }

  return { bearer, apiKey, forget, forgetAll };
}

/** Secrets of 256 random bits are kept as their SHA-256: nothing is gained by a slow hash. */
export function hashOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

function remembered<Facts>(
  map: BoundedMap<number, Facts>,
  id: number,
  find: (id: number) => Facts | undefined,
): Facts | undefined {
  const known = map.get(id);
  if (known !== undefined) return known;
  const found = find(id);
  if (found !== undefined) map.set(id, found);
  return found;
}

function invalidToken(detail: string): Problem {
  return new Problem('invalid-token', detail);
}
