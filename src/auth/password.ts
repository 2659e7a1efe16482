// Checks new passwords, and hashes passwords with scrypt, as PHC strings.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { SlotClaim } from '../base/slots.ts';
import { isCommon, isMadeOf } from './common-passwords.ts';
import { createScryptPool, type Cost, type PoolOptions } from './scrypt-pool.ts';

export type PasswordHasher = ReturnType<typeof createPasswordHasher>;
type Stored = { readonly cost: Cost; readonly salt: Buffer; readonly key: Buffer };

const passwordPointsMax = 128;
const saltBytes = 16;
const keyBytes = 32;
const serviceName = 'orderly';
const memoryBytesMax = 256 * 2 ** 20;
/** By OWASP's cheat sheet on storing passwords; takes 32 MiB. */
const defaultCost: Cost = { ln: 15, r: 8, p: 3 };
type HasherOptions = PoolOptions & { readonly cost?: Cost };

/**
 * `hash` and `verify` throw `unavailable` or `quota-exceeded` if there is no room for the job. Commands, and the start
 * for the first administrator, pass no claim.
 */
export function createPasswordHasher({ cost = defaultCost, ...options }: HasherOptions = {}) {
  const pool = createScryptPool(options);
  const dummy: Stored = { cost, salt: randomBytes(saltBytes), key: randomBytes(keyBytes) };

  async function hash(password: string, claim: SlotClaim = {}): Promise<string> {
    const salt = randomBytes(saltBytes);
    const key = await pool.derive({ password: normalize(password), salt, keyBytes, ...cost }, claim);
    return formatPhc({ cost, salt, key: Buffer.from(key) });
  }

  /**
   * Compares a password with a user's hash. `null` means that there is no such user: takes as long, and
   * returns false.
   */
  async function verify(password: string, phc: string | null, claim: SlotClaim = {}): Promise<boolean> {
    const stored = phc === null ? dummy : parsePhc(phc);
    const { salt, key } = stored;
    const input = { password: normalize(password), salt, keyBytes: key.length, ...stored.cost };
    return timingSafeEqual(await pool.derive(input, claim), key);
  }

  /** Whether a stored hash has other parameters than a new hash would have. */
  function needsUpgrade(phc: string): boolean {
    const { salt, key } = parsePhc(phc);
    return !phc.startsWith(prefix(cost)) || salt.length !== saltBytes || key.length !== keyBytes;
  }

  return {
    hash,
    verify,
    needsUpgrade,
    close: pool.close,
    get waiting() {
      return pool.waiting;
    },
  };
}

/** Returns a sentence about an invalid new password, or undefined. Lengths are code points after NFKC. */
export function passwordIssue(
  password: string,
  { name, email }: { readonly name: string; readonly email: string },
  minLength: number,
): string | undefined {
  const points = [...normalize(password)].length;
  if (points < minLength || points > passwordPointsMax)
    return `A password must have ${minLength} to ${passwordPointsMax} characters.`;
  const folded = normalize(password).toLowerCase();
  const address = normalize(email).toLowerCase();
  const at = address.lastIndexOf('@');
  const [localPart, domain] = [address.slice(0, at), address.slice(at + 1)];
  if (isCommon(folded)) return 'This password is too common; choose one that is harder to guess.';
  if (folded === address || folded === localPart) return 'A password must differ from the e-mail address.';
  if (isMadeOf(folded, [serviceName, normalize(name).toLowerCase(), localPart, domain]))
    return 'A password must be more than the name or the e-mail address; add other words.';
  return undefined;
}

function normalize(text: string): string {
  return text.normalize('NFKC');
}

/** Formats a hash as a PHC string, like passlib's for scrypt: base64 without padding. */
function formatPhc({ cost, salt, key }: Stored): string {
  return `${prefix(cost)}${encodeUnpadded(salt)}$${encodeUnpadded(key)}`;
}

function prefix({ ln, r, p }: Cost): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$`;
}

function encodeUnpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

const phcCost = /\$scrypt\$ln=([1-9]\d?),r=([1-9]\d?),p=([1-9]\d?)/;
const phcPattern = new RegExp(`^${phcCost.source}\\$([A-Za-z0-9+/]{11,86})\\$([A-Za-z0-9+/]{22,86})$`);

/** Throws if this service can't have stored the text. The error doesn't quote the text. */
function parsePhc(phc: string): Stored {
  const match = phcPattern.exec(phc);
  if (match === null) throw new Error('A stored password hash is malformed.');
  const [, ln, r, p, salt = '', key = ''] = match;
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  if (128 * 2 ** cost.ln * cost.r > memoryBytesMax)
    throw new Error('A stored password hash needs too much memory.');
  return { cost, salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') };
}
