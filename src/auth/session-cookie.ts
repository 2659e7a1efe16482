// The cookie that holds a browser's refresh token (RFC 6265, and the prefixes of its revision).

/**
 * Browsers take a cookie of this name from this host alone, over TLS, for all paths, and never from or for a
 * script. Those that don't know `__Host-Http-` yet go by `__Host-`.
 */
const sessionCookieName = '__Host-Http-orderly';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';

/** The refresh token, and the session that it is of. */
export type RefreshCredential = { readonly sessionId: number; readonly refreshToken: string };

export const clearedSessionCookie = `${sessionCookieName}=; Max-Age=0; ${attributes}`;

export function sessionCookie({ sessionId, refreshToken }: RefreshCredential, seconds: number): string {
  return `${sessionCookieName}=${sessionId}.${refreshToken}; Max-Age=${seconds}; ${attributes}`;
}

/** The values of the cookies of that name in a Cookie field: one at most, unless somebody planted another. */
export function sessionCookiesIn(field = ''): string[] {
  return field
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${sessionCookieName}=`))
    .map((pair) => pair.slice(sessionCookieName.length + 1));
}

/** Undefined for what `sessionCookie` can't have written. */
export function parseSessionCookie(value: string): RefreshCredential | undefined {
  const [, id, refreshToken] = /^([1-9]\d{0,15})\.([\w-]{32,128})$/.exec(value) ?? [];
  if (id === undefined || refreshToken === undefined || !Number.isSafeInteger(Number(id))) return undefined;
  return { sessionId: Number(id), refreshToken };
}
