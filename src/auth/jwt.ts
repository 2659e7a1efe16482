// Access tokens: JSON Web Tokens signed with HS256 and nothing else, and the MAC that they and the cursors
// are sealed with.
import { hash, timingSafeEqual } from 'node:crypto';
import { secretBytesMin } from '../limits.ts';
import { fits } from '../schema/schema-check.ts';
import { integer, object, string, type Infer } from '../schema/schema.ts';

export type Mac = (text: string) => Buffer;

type Key = { readonly mac: Mac; readonly header: string };

const tokenCharsMax = 4096;
const skewSeconds = 30;
const blockBytes = 64;
const digestBytes = 32;
const utf8BytesPerCharMax = 3;

const [words, whole] = [string({ maxLength: tokenCharsMax }), integer()];
/** What an access token says (RFC 9068); `iat`, `exp` and `auth_time` are seconds since 1970. */
const Claims = object({
  iss: words,
  aud: words,
  sub: words,
  sid: whole,
  role: words,
  iat: whole,
  exp: whole,
  auth_time: whole,
  jti: words,
});
export type Claims = Infer<typeof Claims>;
export type Signer = ReturnType<typeof createSigner>;

// Base64url without padding or stray bits (RFC 4648 section 3.5): one way to write a token, so none passes
// for another.
const quads = '(?:[\\w-]{4})*';
const part = `${quads}(?:[\\w-][AQgw]|[\\w-]{2}[AEIMQUYcgkosw048])?`;
const wellFormed = new RegExp(`^${part}\\.${part}\\.[\\w-]{42}[AEIMQUYcgkosw048]$`);

/** Throws if there is no secret or a short one. The first signs, all verify. */
export function createSigner({
  secrets,
  issuer,
  audience,
}: {
  secrets: readonly Uint8Array[];
  issuer: string;
  audience: string;
}) {
  const keys = secrets.map(createKey);
  const [signing] = keys;
  if (signing === undefined) throw new Error('Signing tokens needs at least one secret.');
  return {
    sign: (claims: Claims) => sealed(signing, encoded(claims)),
    /** The claims, if the token is one of ours and valid at that second. */
    verify(token: string, nowSeconds: number): Claims | undefined {
      const key = keys.find((each) => signatureIsValid(token, each.mac));
      const claims = key && claimsOf(token, key);
      const isForUs = claims?.iss === issuer && claims.aud === audience;
      return isForUs && isCurrent(claims, nowSeconds) ? claims : undefined;
    },
  };
}

/**
 * HMAC-SHA-256 (RFC 2104) under a key; two one-shot hashes cost far less under load than a `createHmac`.
 * Whatever else is sealed needs a key of its own, such as `createMac(createMac(secret)('cursors'))`, or a
 * sealed text could pass for a token.
 */
export function createMac(key: Uint8Array): Mac {
  const short = key.length > blockBytes ? hash('sha256', key, 'buffer') : key;
  const inner = padded(short, 0x36, tokenCharsMax);
  const outer = padded(short, 0x5c, digestBytes);
  return (text) => {
    const fits = text.length * utf8BytesPerCharMax <= tokenCharsMax;
    const message = fits
      ? inner.subarray(0, blockBytes + inner.write(text, blockBytes))
      : Buffer.concat([inner.subarray(0, blockBytes), Buffer.from(text)]);
    outer.set(hash('sha256', message, 'buffer'), blockBytes);
    return hash('sha256', outer, 'buffer');
  };
}

/**
 * Whether a compact JWS is well-formed and carries that key's HMAC-SHA-256; what it says is not looked at.
 */
export function signatureIsValid(token: string, mac: Mac): boolean {
  if (token.length > tokenCharsMax || !wellFormed.test(token)) return false;
  const dot = token.lastIndexOf('.');
  const right = mac(token.slice(0, dot)).toString('base64url');
  return timingSafeEqual(Buffer.from(token.slice(dot + 1)), Buffer.from(right));
}

function padded(key: Uint8Array, pad: number, roomBytes: number): Buffer {
  const block = Buffer.alloc(blockBytes + roomBytes).fill(pad, 0, blockBytes);
  key.forEach((byte, at) => {
    block[at] = byte ^ pad;
  });
  return block;
}

function createKey(secret: Uint8Array): Key {
  if (secret.length < secretBytesMin)
    throw new Error(`A secret for tokens has at least ${secretBytesMin} bytes.`);
  const mac = createMac(secret);
  const kid = mac('kid').toString('base64url', 0, 8);
  return { mac, header: base64url(JSON.stringify({ alg: 'HS256', typ: 'at+jwt', kid })) };
}

function sealed(key: Key, payload: string): string {
  const text = `${key.header}.${payload}`;
  return `${text}.${key.mac(text).toString('base64url')}`;
}

/**
 * Written in one way only, so that reading is: decode, check the types, and see whether encoding gives the
 * same text.
 */
function encoded({ iss, aud, sub, sid, role, iat, exp, auth_time, jti }: Claims): string {
  return base64url(JSON.stringify({ iss, aud, sub, sid, role, iat, exp, auth_time, jti }));
}

/** Any other header or spelling, an unknown or repeated claim, can't be ours even with a right signature. */
function claimsOf(token: string, key: Key): Claims | undefined {
  const [header, payload = ''] = token.split('.');
  if (header !== key.header) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return fits(Claims, claims) && encoded(claims) === payload ? claims : undefined;
  } catch {
    return undefined; // it isn't JSON
  }
}

/**
 * No skew at the end, which `expiresIn` announced; some at the start, since a clock may have been set back.
 */
function isCurrent({ iat, exp, auth_time }: Claims, nowSeconds: number): boolean {
  return nowSeconds < exp && Math.max(iat, auth_time) <= nowSeconds + skewSeconds;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
