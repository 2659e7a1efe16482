// The callers behind sessions and keys, cached until a commit changes them.
import { BoundedMap } from '../bounded-map.ts';
import { rememberedCallersMax } from '../limits.ts';
import type { Caller } from './access.ts';

/** What is known of a session or key now; times in milliseconds since 1970. */
export type SessionFacts = { readonly caller: Caller; readonly endsAt: number };
export type KeyFacts = { readonly caller: Caller; readonly endsAt: number; readonly hash: Uint8Array };

/** Where sessions and keys are looked up: what is committed, or what a write under way sees. */
export type CallerSources = {
  readonly findSession: (id: number) => SessionFacts | undefined;
  readonly findKey: (id: number) => KeyFacts | undefined;
};

export class CallerCache {
  readonly sessions = new BoundedMap<number, SessionFacts>(rememberedCallersMax);
  readonly keys = new BoundedMap<number, KeyFacts>(rememberedCallersMax);

  /** The same sources, asked only for what isn't cached. */
  over({ findSession, findKey }: CallerSources): CallerSources {
    return {
      findSession: (id) => cached(this.sessions, id, findSession),
      findKey: (id) => cached(this.keys, id, findKey),
    };
  }

  clear(): void {
    this.sessions.clear();
    this.keys.clear();
  }
}

function cached<Facts>(
  map: BoundedMap<number, Facts>,
  id: number,
  find: (id: number) => Facts | undefined,
): Facts | undefined {
  const known = map.get(id);
  if (known !== undefined) return known;
  const facts = find(id);
  if (facts !== undefined) map.set(id, facts);
  return facts;
}
