// Message authentication codes: of access tokens, refresh tokens, cursors and request fingerprints.
import { hash } from 'node:crypto';

/** HMAC-SHA-256 (RFC 2104) of a text in UTF-8. */
export type Mac = (text: string) => Buffer;

const blockBytes = 64;

/** Two one-shot hashes: they cost a fifth of a `createHmac`, whose native object is collected later. */
export function createMac(secret: Uint8Array): Mac {
  const key = secret.length > blockBytes ? sha256(secret) : secret;
  const inner = paddedKey(key, 0x36);
  const outer = paddedKey(key, 0x5c);
  return (text) => sha256(Buffer.concat([outer, sha256(Buffer.concat([inner, Buffer.from(text)]))]));
}

function paddedKey(key: Uint8Array, pad: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  block.set(key);
  return block.map((byte) => byte ^ pad) as Buffer; // of a Buffer it is one
}

function sha256(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer');
}

/**
 * One for each secret. A purpose has keys of its own, derived from the secrets: otherwise a cursor
 * could be made to pass for a token.
 */
export function createMacs(secrets: readonly Uint8Array[], purpose: string): Mac[] {
  return secrets.map((secret) => createMac(createMac(secret)(purpose)));
}
