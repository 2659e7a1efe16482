// Signing in over HTTP.
import { randomBytes } from 'node:crypto';
import { anyone } from '../../auth/access.ts';
import type { SealedSecrets } from '../../auth/sealed-secrets.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { Problem } from '../../problem.ts';
import { signInPermit } from '../../storage/permit.ts';
import type { PasswordChecks } from '../users/password-checks.ts';
import { useCode } from '../users/totp-store.ts';
import { findSignInAccount, upgradePasswordHash } from '../users/user-store.ts';
import { recordNetwork } from '../users/known-network-store.ts';
import { NewSession } from './session.ts';
import { addSession } from './session-store.ts';
import { issueTokens, responseWith, tokensReply, type TokenServices } from './tokens-representation.ts';

export type SignInServices = TokenServices & {
  readonly passwords: PasswordChecks;
  readonly totpSecrets: SealedSecrets;
};

export function signInRoute(services: SignInServices): Route {
  const { passwords, totpSecrets } = services;
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
    async handle(call) {
      const { body, now, requestId, network } = call;
      const verified = await passwords.verifyAsSignIn(call, body.email, body.password);
      if (verified === undefined) throw wrongCredentials();
      const { userId } = verified;
      if (verified.needsCode && body.code === undefined)
        throw codeRequired('This account also needs a code.');
      if (verified.needsCode) passwords.consumeCodeToken(call, userId);
      const upgradedHash = await passwords.rehashIfOutdated(call, verified, body.password);
      const browserKey = body.cookie === true ? randomBytes(32).toString('base64url') : null;
      const issued = await call.write(({ writer }) => {
        const current = findSignInAccount(writer, body.email);
        // the password may have changed while it was verified; hashes are salted, so a new one differs
        if (current?.hash !== verified.hash || current.isSuspended) throw wrongCredentials();
        const permit = signInPermit(writer, { actor: { userId, keyId: null }, requestId, now });
        // a right code is used up only here, in the write that signs in
        const use = { userId, code: body.code ?? '' };
        const factor = current.needsCode ? useCode(permit, totpSecrets, use) : undefined;
        if (current.needsCode && factor === undefined) return undefined;
        if (upgradedHash !== undefined) upgradePasswordHash(permit, verified, upgradedHash);
        recordNetwork(permit, userId, network);
        const userAgent = shownUserAgent(call.headers['user-agent']);
        const sessionId = addSession(permit, { userId, userAgent, usesCookie: browserKey !== null });
        const event = { name: 'authn_login_success', userId, sessionId } as const;
        call.reportSecurityEvent(factor === undefined ? event : { ...event, factor });
        return issueTokens(services, { db: writer, sessionId, browserKey, now });
      });
      if (issued === undefined) {
        call.reportSecurityEvent({ name: 'authn_login_fail', userId, reason: 'wrong-code' });
        throw codeRequired('code is wrong, or was used already.');
      }
      return responseWith(call, issued);
    },
  });
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
