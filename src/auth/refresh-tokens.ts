// Refresh tokens. They are derived from a session's row and the service's secret, so no token is ever stored.
import { timingSafeEqual } from 'node:crypto';
import { daySeconds } from '../base/durations.ts';
import { createMacs, type Mac } from './mac.ts';

export const sessionSecondsMax = 30 * daySeconds;
export const sessionIdleSecondsMax = 14 * daySeconds;

/**
 * What a session's tokens are derived from, besides the secret. The seed is random, since ids repeat after a
 * restore.
 */
type SessionSeed = { readonly sessionId: number; readonly seed: Uint8Array };
type Generation = { readonly generation: number; readonly browserKey: string | null };

const generationBytes = 4;
const tokenBytes = generationBytes + 32;

/**
 * A token consists of its generation, which counts the session's renewals, and an HMAC-SHA-256 of generation,
 * session id and the session's random seed. So the generation of any token can be read, even of a token that
 * was used long ago.
 *
 * The HMAC of a token in a cookie also covers the browser key, 32 random bytes that only the page keeps. Such
 * a token is valid only together with the key, and neither renews a session alone.
 */
export class RefreshTokens {
  readonly #macs: readonly Mac[];

  constructor(secrets: readonly Uint8Array[]) {
    this.#macs = createMacs(secrets, 'refresh tokens');
  }

  /** Issues a token with the first secret. */
  issue(session: SessionSeed, { generation, browserKey }: Generation): string {
    const [mac] = this.#macs;
    if (mac === undefined) throw new Error('Issuing refresh tokens requires at least one secret.');
    const head = Buffer.alloc(generationBytes);
    head.writeUInt32BE(generation);
    return Buffer.concat([head, mac(claimOf(session, { generation, browserKey }))]).toString('base64url');
  }

  /**
   * Returns the generation of a token; undefined unless one of the secrets issued it for this session and
   * this browser key. Null stands for a token without browser key.
   */
  verify(token: string, session: SessionSeed, browserKey: string | null): number | undefined {
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length !== tokenBytes || bytes.toString('base64url') !== token) return undefined;
    const generation = bytes.readUInt32BE();
    const claim = claimOf(session, { generation, browserKey });
    const sent = bytes.subarray(generationBytes);
    return this.#macs.some((mac) => timingSafeEqual(mac(claim), sent)) ? generation : undefined;
  }
}

function claimOf({ sessionId, seed }: SessionSeed, { generation, browserKey }: Generation): string {
  const claim = `${sessionId} ${Buffer.from(seed).toString('hex')} ${generation}`;
  return browserKey === null ? claim : `${claim} ${browserKey}`;
}
