// Renewing the tokens of a session over HTTP: with the refresh token, which browsers send in a cookie.
import { anyone } from '../../auth/access.ts';
import { skewSeconds } from '../../auth/jwt.ts';
import {
  clearedSessionCookie,
  parseSessionCookie,
  sessionCookiesIn,
  type RefreshCredential,
} from '../../auth/session-cookie.ts';
import { route, type Call, type Route } from '../../http/routing/route.ts';
import { Problem, forbidden } from '../../problem.ts';
import { renewalPermit } from '../../storage/permit.ts';
import { requireOwned } from '../../storage/object-access.ts';
import { recordNetwork } from '../users/known-network-store.ts';
import { CookieTokenRequest, TokenRequest, refreshUse } from './session.ts';
import { endSession, findRefreshState, renewSession, sessionSource } from './session-store.ts';
import {
  issueTokens,
  responseWith,
  tokensReply,
  type IssuedTokens,
  type TokenServices,
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
    async handle(call) {
      const { refreshToken } = call.body;
      const credential = { sessionId: call.params.id, refreshToken, browserKey: null };
      const issued = await renew(call, services, credential);
      if (issued === undefined) throw notCurrentProblem();
      return issued.tokens;
    },
  });
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
    async handle(call) {
      const { cookieName: name } = services;
      if (call.headers['sec-fetch-site'] !== 'same-origin')
        throw forbidden('Only pages of this service may use the cookie (Sec-Fetch-Site: same-origin).');
      const [value, ...others] = sessionCookiesIn(name, call.cookie);
      if (others.length > 0)
        throw new Problem('multiple-credentials', 'Several cookies have the session’s name; remove them.');
      if (value === undefined) throw new Problem('invalid-credentials', 'There is no cookie; sign in.');
      const credential = parseSessionCookie(value);
      if (credential === undefined) reportUnknownToken(call, null);
      const { browserKey } = call.body;
      const issued = credential && (await renew(call, services, { ...credential, browserKey }));
      if (issued !== undefined) return responseWith(call, issued);
      call.setCookie(clearedSessionCookie(name));
      throw notCurrentProblem();
    },
  });
}

function notCurrentProblem(): Problem {
  const detail = 'This is not the current refresh token of the session; sign in again.';
  return new Problem('invalid-credentials', detail);
}

type RenewalCall = Pick<
  Call<object, object, unknown, undefined>,
  'write' | 'now' | 'network' | 'requestId' | 'reportSecurityEvent'
>;

/** Returns undefined, and reports it, if the refresh token isn't the current one of a session. */
async function renew(
  call: RenewalCall,
  services: TokenServices,
  { sessionId, refreshToken, browserKey }: RefreshCredential & { readonly browserKey: string | null },
): Promise<IssuedTokens | undefined> {
  const { now, network, requestId } = call;
  return call.write(({ writer }) => {
    const state = findRefreshState(writer, sessionId, now);
    // begun while the clock was ahead: its tokens aren't valid yet
    const isAhead = Date.parse(state?.session.createdAt ?? '') > now + skewSeconds * 1000;
    const generation =
      state && !isAhead ? services.refreshTokens.verify(refreshToken, state, browserKey) : undefined;
    if (state === undefined || generation === undefined) {
      reportUnknownToken(call, state?.session.userId ?? null);
      return undefined;
    }
    const { userId } = state.session;
    const use = refreshUse(generation, state);
    if (use === 'reused') {
      // two parties have the token, and only one can be its owner
      const permit = renewalPermit(writer, userId, { actor: null, requestId, now });
      endSession(permit, requireOwned(sessionSource(now), permit, sessionId), 'session.reused');
      call.reportSecurityEvent({ name: 'authn_token_reuse', userId, sessionId });
      return undefined;
    }
    if (use === 'current') {
      const permit = renewalPermit(writer, userId, { actor: { userId, keyId: null }, requestId, now });
      recordNetwork(permit, userId, network);
      renewSession(permit, state, generation + 1);
    }
    return issueTokens(services, { db: writer, sessionId, browserKey, now });
  });
}

/** `userId` is null unless the session exists. */
function reportUnknownToken(call: Pick<RenewalCall, 'reportSecurityEvent'>, userId: number | null): void {
  call.reportSecurityEvent({ name: 'authn_login_fail', userId, reason: 'invalid-refresh-token' });
}
