// Renewing a browser's session over HTTP, with both halves of its credential: the cookie, which this route alone
// reads, and the browser key.
import { anyone } from '../../auth/access.ts';
import { clearedSessionCookie, parseSessionCookie, sessionCookiesIn } from '../../auth/session-cookie.ts';
import type { Representation } from '../../http/representation.ts';
import { route, type Context, type Route } from '../../http/route.ts';
import { Problem, forbidden } from '../../problem.ts';
import { CookieTokenRequest, type Tokens } from './session.ts';
import type { Infer } from '../../schema/schema.ts';
import { notCurrentProblem, renewWith, reportUnknownToken } from './renewal-routes.ts';
import { inCookie, tokensReply, type TokenServices } from './tokens-representation.ts';

/**
 * A page of another origin can't call this route: browsers report where a request comes from (Fetch
 * Metadata), send JSON to another origin only after a CORS preflight, and send the cookie, which is
 * SameSite=Strict, to no request of another site. Another server on the same host does receive the cookie,
 * and can set it; it has no browser key of this service's pages.
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
    handle: (context) => renewFromCookie(context, services),
  });
}

type CookieContext = Context<object, object, Infer<typeof CookieTokenRequest>, undefined>;

async function renewFromCookie(
  context: CookieContext,
  services: TokenServices,
): Promise<Representation<Tokens>> {
  if (context.fetchSite !== 'same-origin')
    throw forbidden('Only pages of this service may use the cookie (Sec-Fetch-Site: same-origin).');
  const [value, ...others] = sessionCookiesIn(context.cookie);
  if (others.length > 0)
    throw new Problem('multiple-credentials', 'Several cookies have the session’s name; remove them.');
  if (value === undefined) throw new Problem('invalid-credentials', 'There is no cookie; sign in.');
  const credential = parseSessionCookie(value);
  if (credential === undefined) reportUnknownToken(context, null);
  const { browserKey } = context.body;
  const issued = credential && (await renewWith(context, services, { ...credential, browserKey }));
  if (issued !== undefined) return inCookie(context, issued, browserKey);
  context.setCookie(clearedSessionCookie);
  throw notCurrentProblem();
}
