// The cookie that holds a browser's refresh token (RFC 6265, and the prefixes of its revision). Browsers send
// the cookie to every port of a host, so it renews nothing without the browser key, which the page keeps.

/**
 * Browsers accept a cookie with this prefix only from this host, over TLS and for all paths. Scripts can
 * neither read nor set it. Older browsers apply the rules of `__Host-`.
 */
const sessionCookieName = '__Host-Http-orderly';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';

/** A refresh token and its session. */
export type RefreshCredential = { readonly sessionId: number; readonly refreshToken: string };

export const clearedSessionCookie = `${sessionCookieName}=; Max-Age=0; ${attributes}`;

export function sessionCookie({ sessionId, refreshToken }: RefreshCredential, seconds: number): string {
  return `${sessionCookieName}=${sessionId}.${refreshToken}; Max-Age=${seconds}; ${attributes}`;
}

/**
 * Returns the values of this cookie in a Cookie field: more than one only if somebody planted another cookie.
 */
export function sessionCookiesIn(field = ''): string[] {
  return field
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${sessionCookieName}=`))
    .map((pair) => pair.slice(sessionCookieName.length + 1));
}

/** Returns undefined for a value that `sessionCookie` can't have written. */
export function parseSessionCookie(value: string): RefreshCredential | undefined {
  const [, id, refreshToken] = /^([1-9]\d{0,15})\.([\w-]{32,128})$/.exec(value) ?? [];
  if (id === undefined || refreshToken === undefined || !Number.isSafeInteger(Number(id))) return undefined;
  return { sessionId: Number(id), refreshToken };
}
