// Message authentication codes, for access tokens, refresh tokens and request fingerprints.
import { createHmac, createSecretKey } from 'node:crypto';

/** HMAC-SHA-256 (RFC 2104) of a text in UTF-8. */
export type Mac = (text: string) => Buffer;

export function createMac(secret: Uint8Array): Mac {
  const key = createSecretKey(secret);
  return (text) => createHmac('sha256', key).update(text).digest();
}

/**
 * Creates a MAC for each secret. Each purpose has its own keys, derived from the secrets, so that no cursor
 * can pass as a token.
 */
export function createMacs(secrets: readonly Uint8Array[], purpose: string): Mac[] {
  return secrets.map((secret) => createMac(createMac(secret)(purpose)));
}
