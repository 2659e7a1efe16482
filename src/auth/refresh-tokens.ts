// Refresh tokens: derived from a session's row and the service's secret, so that no token is ever stored.
import { timingSafeEqual } from 'node:crypto';
import { createMacs, type Mac } from './mac.ts';

/** What the tokens of a session are derived from, besides the secret. Ids come back when a backup does. */
export type RefreshSource = { readonly sessionId: number; readonly seed: Uint8Array };

const generationBytes = 4;
const tokenBytes = generationBytes + 32;

/**
 * A token is the number of the use that issued it, its generation, and an HMAC-SHA-256 of that, the session
 * and the session's random seed: of any token, also one used long ago, its generation can be read.
 */
export class RefreshTokens {
  readonly #macs: readonly Mac[];

  constructor(secrets: readonly Uint8Array[]) {
    this.#macs = createMacs(secrets, 'refresh tokens');
  }

  /** With the first secret. */
  issue(source: RefreshSource, generation: number): string {
    const [mac] = this.#macs;
    if (mac === undefined) throw new Error('Issuing refresh tokens requires at least one secret.');
    const head = Buffer.alloc(generationBytes);
    head.writeUInt32BE(generation);
    return Buffer.concat([head, mac(claimOf(source, generation))]).toString('base64url');
  }

  /** Undefined for what isn't a token of this session, issued with any of the secrets. */
  verify(token: string, source: RefreshSource): number | undefined {
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length !== tokenBytes || bytes.toString('base64url') !== token) return undefined;
    const generation = bytes.readUInt32BE();
    const claim = claimOf(source, generation);
    const sent = bytes.subarray(generationBytes);
    return this.#macs.some((mac) => timingSafeEqual(mac(claim), sent)) ? generation : undefined;
  }
}

function claimOf({ sessionId, seed }: RefreshSource, generation: number): string {
  return `${sessionId} ${Buffer.from(seed).toString('hex')} ${generation}`;
}
