// Caches the callers of sessions and keys until a change of the session, key or user is on disk.
import { BoundedMap } from '../base/bounded-map.ts';
import type { Caller } from './access.ts';

const cachedCallersMax = 10_000;

/** The caller of a session or key, and its expiry in milliseconds since 1970. */
export type SessionCaller = { readonly caller: Caller; readonly expiresAt: number };
export type KeyCaller = { readonly caller: Caller; readonly expiresAt: number; readonly hash: Uint8Array };

/** Looks up sessions and keys: on disk, or as a write transaction sees them. */
export type CallerLookups = {
  readonly findSession: (id: number) => SessionCaller | undefined;
  readonly findKey: (id: number) => KeyCaller | undefined;
};

export class CallerCache {
  readonly sessions = new BoundedMap<number, SessionCaller>(cachedCallersMax);
  readonly keys = new BoundedMap<number, KeyCaller>(cachedCallersMax);

  /** Returns look-ups that search this cache first. */
  wrap({ findSession, findKey }: CallerLookups): CallerLookups {
    return {
      findSession: (id) => this.sessions.getOrFind(id, findSession),
      findKey: (id) => this.keys.getOrFind(id, findKey),
    };
  }

  clear(): void {
    this.sessions.clear();
    this.keys.clear();
  }
}
