// The cookie that holds a browser's refresh token (RFC 6265, and the prefixes of its revision). Browsers send
// the cookie to every port of a host, so it renews nothing without the browser key, which the page keeps. They
// also keep one cookie of a name for all ports of a host, so two services on one machine need two names.

/**
 * Browsers accept a cookie with this prefix only from this host, over TLS and for all paths. Scripts can
 * neither read nor set it. Older browsers apply the rules of `__Host-`.
 */
const commonName = '__Host-Http-orderly';
/** The ports of HTTPS and of the default settings: a host usually has one service there. */
const commonPorts = ['', '8443'];
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';

/** A refresh token and its session. */
export type RefreshCredential = { readonly sessionId: number; readonly refreshToken: string };

/** Returns the name of the cookie; on an uncommon port it includes the port. */
export function sessionCookieName(publicUrl: string): string {
  const { port } = new URL(publicUrl);
  return commonPorts.includes(port) ? commonName : `${commonName}-${port}`;
}

export function clearedSessionCookie(name: string): string {
  return `${name}=; Max-Age=0; ${attributes}`;
}

export function sessionCookie(name: string, credential: RefreshCredential, seconds: number): string {
  const { sessionId, refreshToken } = credential;
  return `${name}=${sessionId}.${refreshToken}; Max-Age=${seconds}; ${attributes}`;
}

/**
 * Returns the values of this cookie in a Cookie field: more than one only if somebody planted another cookie.
 */
export function sessionCookiesIn(name: string, field = ''): string[] {
  return field
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/** Returns undefined for a value that `sessionCookie` can't have written. */
export function parseSessionCookie(value: string): RefreshCredential | undefined {
  const [, id, refreshToken] = /^([1-9]\d{0,15})\.([\w-]{32,128})$/.exec(value) ?? [];
  if (id === undefined || refreshToken === undefined || !Number.isSafeInteger(Number(id))) return undefined;
  return { sessionId: Number(id), refreshToken };
}
