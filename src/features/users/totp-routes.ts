// One-time codes over HTTP: /api/users/{id}/totp sets them up, turns them on and off.
import { checkStepUp, self, recentSignIn, selfOrAdmin } from '../../auth/access.ts';
import { base32, newRecoveryCode, newTotpSecret, otpauthUri } from '../../auth/one-time-codes.ts';
import type { SealedSecrets } from '../../auth/sealed-secrets.ts';
import { represent, type Representation } from '../../http/responses/representation.ts';
import { empty, notStored } from '../../http/routing/reply.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { invalidAt } from '../../problem.ts';
import { requireOwned, requireVisible } from '../../storage/object-access.ts';
import type { PasswordChecks } from './password-checks.ts';
import {
  addTotp,
  confirmTotp,
  findTotp,
  NewTotp,
  RecoveryCodes,
  recoveryCodesMax,
  removeTotp,
  Totp,
  totpAdditionalData,
  TotpConfirmation,
  totpSource,
  useOneTimeCode,
} from './totp-store.ts';
import { userSource } from './user-store.ts';

type TotpServices = { readonly totpSecrets: SealedSecrets; readonly passwords: PasswordChecks };

const issuer = 'orderly';
const common = { path: '/api/users/{id}/totp', tag: 'Users' } as const;

function representTotp(totp: Totp): Representation<Totp> {
  return represent(totp, { id: totp.userId, ownerId: totp.userId });
}

export function totpRoutes({ totpSecrets, passwords }: TotpServices): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Read whether a sign-in needs a one-time code',
      access: selfOrAdmin,
      reply: { kind: 'object', schema: Totp },
      description: 'Responds 404 if none were set up.',
      handle: (call) => representTotp(requireVisible(totpSource, call, call.params.id)),
    }),
    route({
      ...common,
      method: 'POST',
      summary: 'Set up one-time codes',
      access: self,
      reply: {
        kind: 'object',
        schema: NewTotp,
        location: ({ id }) => `/api/users/${id}/totp`,
        cacheControl: notStored,
      },
      description:
        'Returns the secret for an authenticator app (RFC 6238: SHA-1, 6 digits, 30 seconds). Signing in ' +
        `needs no code until PUT has confirmed one. Needs ${recentSignIn}.`,
      problems: ['step-up-required', 'validation-failed'],
      async handle(call) {
        const { id } = call.params;
        checkStepUp(call.caller, call.now, 'Setting up one-time codes');
        const secret = newTotpSecret();
        const sealed = totpSecrets.seal(secret, totpAdditionalData(id));
        return call.write((permit) => {
          const user = requireOwned(userSource, permit, id);
          if (findTotp(permit.writer, id)?.isOn === true)
            throw invalidAt('', 'already-on', 'One-time codes are on; turn them off first.');
          const { etag } = representTotp(addTotp(permit, user, sealed)); // as in a GET, which has no secret
          const made = { secret: base32(secret), uri: otpauthUri(secret, issuer, user.email) };
          return represent(made, { id, ownerId: id, etag });
        });
      },
    }),
    route({
      ...common,
      method: 'PUT',
      summary: 'Turn one-time codes on',
      access: self,
      body: TotpConfirmation,
      reply: { kind: 'object', schema: RecoveryCodes, cacheControl: notStored },
      description:
        'A right code turns them on: from then on signing in needs one. Returns recovery codes; sent again ' +
        `with a later code, it replaces them. Needs ${recentSignIn}.`,
      problems: ['step-up-required'],
      async handle(call) {
        const { id } = call.params;
        checkStepUp(call.caller, call.now, 'Turning one-time codes on');
        const recoveryCodes = Array.from({ length: recoveryCodesMax }, newRecoveryCode);
        passwords.consumeCodeToken(call, id);
        const isRight = await call.write((permit) => {
          const totp = requireOwned(totpSource, permit, id);
          call.checkPrecondition(() => representTotp(totp).etag);
          if (!useOneTimeCode(permit, totpSecrets, { userId: id, code: call.body.code })) return false;
          confirmTotp(permit, totp, recoveryCodes);
          const change = totp.isOn ? 'recovery-codes-replaced' : 'totp-on';
          call.reportSecurityEvent({ name: 'user_updated', userId: id, change });
          return true;
        });
        if (!isRight) {
          call.reportSecurityEvent({ name: 'authn_login_fail', userId: id, reason: 'wrong-code' });
          throw invalidAt('/code', 'mismatch', 'code is wrong, or was used already.');
        }
        return represent({ recoveryCodes }, { id, ownerId: id });
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      summary: 'Turn one-time codes off',
      access: selfOrAdmin,
      reply: { kind: 'none' },
      description: `The recovery codes go with them. Needs ${recentSignIn}.`,
      problems: ['step-up-required'],
      handle: (call) =>
        call.write((permit) => {
          const totp = requireOwned(totpSource, permit, call.params.id);
          checkStepUp(permit.caller, call.now, 'Turning one-time codes off');
          call.checkPrecondition(() => representTotp(totp).etag);
          removeTotp(permit, totp);
          call.reportSecurityEvent({ name: 'user_updated', userId: totp.userId, change: 'totp-off' });
          return empty;
        }),
    }),
  ];
}
