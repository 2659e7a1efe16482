// Renewing the tokens of a session over HTTP: with the refresh token, which browsers send in a cookie.
import { anyone } from '../../auth/access.ts';
import { skewSeconds } from '../../auth/jwt.ts';
import {
  type RefreshCredential,
  clearedSessionCookie,
  parseSessionCookie,
  sessionCookiesIn,
} from '../../auth/session-cookie.ts';
import type { Representation } from '../../http/responses/representation.ts';
import { route, type Call, type Route } from '../../http/routing/route.ts';
import { Problem, forbidden } from '../../problem.ts';
import type { Infer } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import { renewalPermit } from '../../storage/permit.ts';
import { requireOwned } from '../../storage/object-access.ts';
import { recordNetwork } from './known-network-store.ts';
import { TokenRequest, refreshUse, type Tokens, CookieTokenRequest } from './session.ts';
import {
  endSession,
  findRefreshState,
  renewSession,
  sessionSource,
  type RefreshState,
} from './session-store.ts';
import {
  inBody,
  issueTokens,
  tokensReply,
  type IssuedTokens,
  type TokenServices,
  inCookie,
} from './tokens-representation.ts';

export function renewTokensRoute(services: TokenServices): Route {
  return route({
    method: 'POST',
    path: '/api/sessions/{id}/tokens',
    operationId: 'refreshSession',
    tag: 'Sessions',
    summary: 'Get new tokens',
    access: anyone,
    body: TokenRequest,
    reply: tokensReply,
    description:
      'Each use replaces the refresh token. The one just replaced gets the same new one again until that is ' +
      'used; any other use of an old one ends the session.',
    problems: ['invalid-credentials'],
    handle: (call) => renewTokens(call, services),
  });
}

type TokensCall = Call<{ readonly id: number }, object, Infer<typeof TokenRequest>, undefined>;

async function renewTokens(call: TokensCall, services: TokenServices): Promise<Representation<Tokens>> {
  const { params, body } = call;
  const credential = { sessionId: params.id, refreshToken: body.refreshToken, browserKey: null };
  const issued = await renewWith(call, services, credential);
  if (issued === undefined) throw notCurrentProblem();
  return inBody(issued);
}

function notCurrentProblem(): Problem {
  const detail = 'This is not the current refresh token of the session; sign in again.';
  return new Problem('invalid-credentials', detail);
}

type RenewalCall = Pick<
  Call<object, object, unknown, undefined>,
  'read' | 'write' | 'now' | 'network' | 'requestId' | 'reportSecurityEvent'
>;
/** The result of a renewal. `unknown`: the session never had the token, or has ended. */
type Renewal =
  | { readonly outcome: 'renewed'; readonly tokens: IssuedTokens }
  | { readonly outcome: 'reused'; readonly userId: number }
  | Unknown;
type Unknown = { readonly outcome: 'unknown'; readonly userId: number | null };

/** Renews the tokens. Returns undefined if the refresh token isn't the current one of a session. */
async function renewWith(
  call: RenewalCall,
  services: TokenServices,
  credential: RenewalCredential,
): Promise<IssuedTokens | undefined> {
  const { read, now } = call;
  const { sessionId } = credential;
  const options = { services, credential };
  // no write for an invented token, since anybody can send one and a write costs a sync
  const found = findIssued(read, now, options);
  const isUnknown = found.outcome === 'unknown';
  const renewal = isUnknown ? found : await call.write(({ writer }) => renew(writer, call, options));
  if (renewal.outcome === 'renewed') return renewal.tokens;
  if (renewal.outcome === 'reused')
    call.reportSecurityEvent({ name: 'authn_token_reuse', userId: renewal.userId, sessionId });
  else reportUnknownToken(call, renewal.userId);
  return undefined;
}

/** Reports an unknown token. `userId` is null unless the session exists. */
function reportUnknownToken(call: Pick<RenewalCall, 'reportSecurityEvent'>, userId: number | null): void {
  call.reportSecurityEvent({ name: 'authn_login_fail', userId, reason: 'invalid-refresh-token' });
}

type RenewalCredential = RefreshCredential & { readonly browserKey: string | null };
type RenewalOptions = { readonly services: TokenServices; readonly credential: RenewalCredential };

type Issued = { readonly outcome: 'issued'; readonly session: RefreshState; readonly generation: number };

function findIssued(
  db: Connection,
  now: number,
  { services, credential: { sessionId, refreshToken, browserKey } }: RenewalOptions,
): Issued | Unknown {
  const session = findRefreshState(db, sessionId, now);
  if (session === undefined) return { outcome: 'unknown', userId: null };
  // begun while the clock was ahead: its tokens aren't valid yet
  if (session.createdAt > now + skewSeconds * 1000) return { outcome: 'unknown', userId: session.userId };
  const generation = services.refreshTokens.verify(refreshToken, session, browserKey);
  if (generation === undefined) return { outcome: 'unknown', userId: session.userId };
  return { outcome: 'issued', session, generation };
}

/**
 * Renews the session. Ends it instead if the token was reused: two parties have the token, and only one can
 * be its owner.
 */
function renew(writer: Connection, call: RenewalCall, options: RenewalOptions): Renewal {
  const { network, requestId, now } = call;
  const found = findIssued(writer, now, options);
  if (found.outcome === 'unknown') return found;
  const { session, generation } = found;
  const use = refreshUse(generation, session);
  if (use === 'reused') {
    endReused(writer, session, { requestId, now });
    return { outcome: 'reused', userId: session.userId };
  }
  if (use === 'current') renewCurrent(writer, { ...session, generation }, { network, requestId, now });
  const { sessionId } = session;
  const { browserKey } = options.credential;
  const tokens = issueTokens(options.services, { db: writer, sessionId, browserKey, now });
  return { outcome: 'renewed', tokens };
}

type RenewalOrigin = Pick<RenewalCall, 'requestId' | 'now'>;

function renewCurrent(
  writer: Connection,
  session: RefreshState,
  { network, requestId, now }: RenewalOrigin & Pick<RenewalCall, 'network'>,
): void {
  const { userId, generation } = session;
  const actor = { userId, keyId: null };
  const permit = renewalPermit(writer, userId, { actor, requestId, now });
  recordNetwork(permit, userId, network);
  renewSession(permit, session, generation + 1);
}

function endReused(
  writer: Connection,
  { sessionId, userId }: RefreshState,
  { requestId, now }: RenewalOrigin,
): void {
  const permit = renewalPermit(writer, userId, { actor: null, requestId, now });
  endSession(permit, requireOwned(sessionSource(now), permit, sessionId), 'session.reused');
}

/**
 * A page of another origin can't call this route: browsers report where a request comes from (Fetch
 * Metadata), send JSON to another origin only after a CORS preflight, and send the cookie with no request of
 * another site, since it is SameSite=Strict. Another server on the same host receives the cookie, and can set
 * it, but it doesn't have the browser key of this service's pages.
 */
export function renewCookieRoute(services: TokenServices): Route {
  return route({
    method: 'POST',
    path: '/api/sessions/current/tokens',
    operationId: 'refreshCookie',
    tag: 'Sessions',
    summary: 'Get new tokens, with the cookie and the browser key',
    access: anyone,
    sessionCookie: 'read and set',
    body: CookieTokenRequest,
    reply: tokensReply,
    description:
      'For pages of the service’s own origin that signed in with `cookie`: needs `Sec-Fetch-Site: ' +
      'same-origin`, which browsers send. The refresh token is taken from the cookie and replaced in it; ' +
      'it is valid only beside the `browserKey` that the sign-in returned.',
    problems: ['forbidden', 'invalid-credentials', 'multiple-credentials'],
    handle: (call) => renewFromCookie(call, services),
  });
}

type CookieCall = Call<object, object, Infer<typeof CookieTokenRequest>, undefined>;

async function renewFromCookie(call: CookieCall, services: TokenServices): Promise<Representation<Tokens>> {
  if (call.headers['sec-fetch-site'] !== 'same-origin')
    throw forbidden('Only pages of this service may use the cookie (Sec-Fetch-Site: same-origin).');
  const [value, ...others] = sessionCookiesIn(services.cookieName, call.cookie);
  if (others.length > 0)
    throw new Problem('multiple-credentials', 'Several cookies have the session’s name; remove them.');
  if (value === undefined) throw new Problem('invalid-credentials', 'There is no cookie; sign in.');
  const credential = parseSessionCookie(value);
  if (credential === undefined) reportUnknownToken(call, null);
  const { browserKey } = call.body;
  const issued = credential && (await renewWith(call, services, { ...credential, browserKey }));
  if (issued !== undefined) return inCookie(call, issued, { browserKey, name: services.cookieName });
  call.setCookie(clearedSessionCookie(services.cookieName));
  throw notCurrentProblem();
}
