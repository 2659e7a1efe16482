// Signing in over HTTP.
import { randomBytes } from 'node:crypto';
import { anyone } from '../../auth/access.ts';
import type { SealedSecrets } from '../../auth/sealed-secrets.ts';
import type { Representation } from '../../http/responses/representation.ts';
import { route, type Call, type Route } from '../../http/routing/route.ts';
import { Problem } from '../../problem.ts';
import type { Infer } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import { signInPermit } from '../../storage/permit.ts';
import type { PasswordChecks, SignInAccount } from '../users/password-checks.ts';
import { useCode } from '../users/totp-store.ts';
import { findSignInAccount, upgradePasswordHash } from '../users/user-store.ts';
import { recordNetwork } from './known-network-store.ts';
import { NewSession, type Tokens } from './session.ts';
import { addSession } from './session-store.ts';
import {
  inBody,
  inCookie,
  issueTokens,
  tokensReply,
  type IssuedTokens,
  type TokenServices,
} from './tokens-representation.ts';

export type SignInServices = TokenServices & {
  readonly passwords: PasswordChecks;
  readonly totpSecrets: SealedSecrets;
};

export function signInRoute(services: SignInServices): Route {
  return route({
    method: 'POST',
    path: '/api/sessions',
    tag: 'Sessions',
    summary: 'Sign in',
    access: anyone,
    sessionCookie: 'set',
    body: NewSession,
    reply: tokensReply,
    description:
      'An unknown e-mail address gets the same response as a wrong password. An account with one-time ' +
      'codes on also needs `code`. With `cookie` the refresh token comes in a cookie, which no script reads, ' +
      'and which renews nothing without `browserKey`.',
    problems: ['invalid-credentials', 'code-required', 'unavailable'],
    handle: (call) => signIn(call, services),
  });
}

type SignInCall = Call<object, object, Infer<typeof NewSession>, undefined>;

async function signIn(call: SignInCall, services: SignInServices): Promise<Representation<Tokens>> {
  const { passwords } = services;
  const { body } = call;
  const verified = await passwords.verifyAsSignIn(call, body.email, body.password);
  if (verified === undefined) throw wrongCredentials();
  const { userId } = verified;
  if (verified.needsCode && body.code === undefined) throw codeRequired('This account also needs a code.');
  if (verified.needsCode) passwords.consumeCodeToken(call, userId);
  const upgradedHash = await passwords.rehashIfOutdated(call, verified, body.password);
  const browserKey = body.cookie === true ? randomBytes(32).toString('base64url') : null;
  const signedIn = await call.write(({ writer }) =>
    beginSession(writer, call, { services, verified, upgradedHash, browserKey }),
  );
  if (signedIn === undefined) {
    call.reportSecurityEvent({ name: 'authn_login_fail', userId, reason: 'wrong-code' });
    throw codeRequired('code is wrong, or was used already.');
  }
  const { issued, factor } = signedIn;
  const event = { name: 'authn_login_success', userId, sessionId: issued.id } as const;
  call.reportSecurityEvent(factor === undefined ? event : { ...event, factor });
  return browserKey === null
    ? inBody(issued)
    : inCookie(call, issued, { browserKey, name: services.cookieName });
}

type SessionStart = {
  readonly services: SignInServices;
  readonly verified: SignInAccount;
  readonly upgradedHash: string | undefined;
  /** The browser key; null unless the refresh token is for a cookie. */
  readonly browserKey: string | null;
};
type SignedIn = {
  readonly issued: IssuedTokens;
  readonly factor: ReturnType<typeof useCode>;
};

/**
 * Creates the session. Returns undefined if the code is wrong. A right code is used up only here, in the
 * write that signs in.
 */
function beginSession(
  writer: Connection,
  { body, now, headers, network, requestId }: SignInCall,
  { services, verified, upgradedHash, browserKey }: SessionStart,
): SignedIn | undefined {
  const { userId, hash } = verified;
  const current = findSignInAccount(writer, body.email);
  // the password may have changed while it was verified; hashes are salted, so a new one differs
  if (current?.hash !== hash || current.isSuspended) throw wrongCredentials();
  const actor = { userId, keyId: null };
  const permit = signInPermit(writer, { actor, requestId, now });
  const { code = '' } = body;
  const factor = current.needsCode ? useCode(permit, services.totpSecrets, { userId, code, now }) : undefined;
  if (current.needsCode && factor === undefined) return undefined;
  if (upgradedHash !== undefined) upgradePasswordHash(permit, verified, upgradedHash);
  recordNetwork(permit, userId, network);
  const userAgent = shownUserAgent(headers['user-agent']);
  const sessionId = addSession(permit, { userId, userAgent, usesCookie: browserKey !== null });
  return { issued: issueTokens(services, { db: writer, sessionId, browserKey, now }), factor };
}

/** Returns the part of User-Agent that a list of sessions shows. */
function shownUserAgent(sent: string | undefined): string | null {
  return sent === undefined ? null : sent.replaceAll(controls, '').slice(0, 300);
}

const controls = /[\u0000-\u001f\u007f-\u009f]/g;

function codeRequired(detail: string): Problem {
  return new Problem('code-required', detail);
}

function wrongCredentials(): Problem {
  return new Problem('invalid-credentials', 'Wrong e-mail address or password.');
}
