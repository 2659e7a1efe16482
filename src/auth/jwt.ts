// Access tokens: JSON Web Tokens (RFC 7519), signed only with HS256.
import { timingSafeEqual } from 'node:crypto';
import { fits } from '../schema/schema-check.ts';
import { integer, object, string, type Infer } from '../schema/schema.ts';
import { createMac, type Mac } from './mac.ts';

export const tokenSeconds = 900;
export const secretBytesMin = 32;

type SigningKey = { readonly mac: Mac; readonly header: string };

const tokenCharsMax = 4096;
/** How far a clock may have been set back. */
export const skewSeconds = 30;

const text = string({ maxLength: tokenCharsMax });
/** The claims of an access token (RFC 9068); `iat`, `exp` and `auth_time` are seconds since 1970. */
const Claims = object({
  iss: text,
  aud: text,
  sub: text,
  sid: integer(),
  role: text,
  iat: integer(),
  exp: integer(),
  auth_time: integer(),
  jti: text,
});
export type Claims = Infer<typeof Claims>;
export type Signer = ReturnType<typeof createSigner>;

// Base64url without padding or stray bits (RFC 4648 section 3.5): each token has exactly one spelling.
const quads = '(?:[\\w-]{4})*';
const part = `${quads}(?:[\\w-][AQgw]|[\\w-]{2}[AEIMQUYcgkosw048])?`;
const wellFormed = new RegExp(`^${part}\\.${part}\\.[\\w-]{42}[AEIMQUYcgkosw048]$`);

/**
 * The first secret signs, and any secret may verify. The service at this URL is the issuer of its tokens and their
 * audience. Throws without a secret, and if a secret is too short.
 */
export function createSigner(secrets: readonly Uint8Array[], publicUrl: string) {
  const keys = secrets.map(signingKeyOf);
  const [signing] = keys;
  if (signing === undefined) throw new Error('Signing tokens requires at least one secret.');
  return {
    sign: (claims: Omit<Claims, 'iss' | 'aud'>) =>
      signPayload(signing, encodeClaims({ ...claims, iss: publicUrl, aud: publicUrl })),
    /**
     * Returns the claims; undefined for a token that this service didn't sign for itself. The token may have
     * expired.
     */
    verify(token: string): Claims | undefined {
      const key = keys.find((each) => signatureIsValid(token, each.mac));
      const claims = key && readClaims(token, key);
      return claims?.iss === publicUrl && claims.aud === publicUrl ? claims : undefined;
    },
  };
}

/** Returns the time from which a token is valid, in seconds since 1970. */
export function beginSecondsOf({ iat, auth_time }: Pick<Claims, 'iat' | 'auth_time'>): number {
  return Math.max(iat, auth_time) - skewSeconds;
}

/** Whether a compact JWS is well-formed and has the key's MAC. Does not read the content. */
export function signatureIsValid(token: string, mac: Mac): boolean {
  if (token.length > tokenCharsMax || !wellFormed.test(token)) return false;
  const dot = token.lastIndexOf('.');
  const expected = mac(token.slice(0, dot)).toString('base64url');
  return timingSafeEqual(Buffer.from(token.slice(dot + 1)), Buffer.from(expected));
}

function signingKeyOf(secret: Uint8Array): SigningKey {
  if (secret.length < secretBytesMin) throw new Error(`A secret must have at least ${secretBytesMin} bytes.`);
  const mac = createMac(secret);
  const kid = mac('kid').toString('base64url', 0, 8);
  return { mac, header: base64url(JSON.stringify({ alg: 'HS256', typ: 'at+jwt', kid })) };
}

function signPayload(key: SigningKey, payload: string): string {
  const signingInput = `${key.header}.${payload}`;
  return `${signingInput}.${key.mac(signingInput).toString('base64url')}`;
}

/**
 * Encodes claims in exactly one spelling: a payload is valid only if encoding its claims returns the same
 * text.
 */
function encodeClaims({ iss, aud, sub, sid, role, iat, exp, auth_time, jti }: Claims): string {
  return base64url(JSON.stringify({ iss, aud, sub, sid, role, iat, exp, auth_time, jti }));
}

/** Returns undefined for any other header or spelling, and for unknown or repeated claims. */
function readClaims(token: string, key: SigningKey): Claims | undefined {
  const [header, payload = ''] = token.split('.');
  if (header !== key.header) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return fits(Claims, claims) && encodeClaims(claims) === payload ? claims : undefined;
  } catch {
    return undefined; // not JSON
  }
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
