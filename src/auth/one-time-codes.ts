// One-time codes: TOTP (RFC 6238) as authenticator apps generate them, and recovery codes to print.
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

const stepMilliseconds = 30_000;
const secretBytes = 20; // RFC 4226 section 4, R6
const recoveryCodeBytes = 10;

export function newTotpSecret(): Buffer {
  return randomBytes(secretBytes);
}

const digits = 6;

/**
 * Returns the code of a step (RFC 4226 section 5.3). Some authenticator apps support nothing but six digits
 * and SHA-1.
 */
export function oneTimeCode(secret: Uint8Array, step: number): string {
  const text = Buffer.alloc(8);
  text.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(text).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** Returns the number of the 30-second step at this time (RFC 6238 section 4.2). */
export function stepOf(now: number): number {
  return Math.floor(now / stepMilliseconds);
}

/** Returns the step of a code: the current, the previous or the next one. Always compares all three. */
export function stepOfCode(secret: Uint8Array, code: string, now: number): number | undefined {
  const present = stepOf(now);
  const sent = Buffer.from(code);
  const matching = [present - 1, present, present + 1].filter((step) => {
    const expected = Buffer.from(oneTimeCode(secret, step));
    return expected.length === sent.length && timingSafeEqual(expected, sent);
  });
  return matching.at(-1);
}

/** A character takes up to 12 in a URI; with these the URI has at most 1,000 characters. */
const accountCharactersMax = 75;

/** Returns the URI that an authenticator app reads from a QR code or a link. The app shows `account`. */
export function otpauthUri(secret: Uint8Array, issuer: string, account: string): string {
  const shown = [...account].slice(0, accountCharactersMax).join('');
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(shown)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}

/** Returns 80 random bits, such as `k5qj-7m2c-xw4d-ta3n`, which people write down and type. */
export function newRecoveryCode(): string {
  const text = base32(randomBytes(recoveryCodeBytes)).toLowerCase();
  return (text.match(/.{1,4}/g) ?? []).join('-');
}

/** Hashes a code regardless of case, blanks and hyphens. 80 random bits need no slow hash. */
export function recoveryCodeHash(code: string): Buffer {
  return hash('sha256', code.replaceAll(/[\s-]/g, '').toUpperCase(), 'buffer');
}

/** Encodes bytes as in RFC 4648 section 6, without padding: each letter stands for five bits. */
export function base32(bytes: Uint8Array): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => alphabet.charAt(parseInt(group.padEnd(5, '0'), 2))).join('');
}
