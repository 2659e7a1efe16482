// One-time codes over HTTP: /api/users/{id}/totp sets them up, turns them on and off.
import {
  accountAccessOf,
  checkStepUp,
  self,
  recentSignIn,
  selfOrAdmin,
  type Caller,
} from '../../auth/access.ts';
import { base32, newRecoveryCode, newTotpSecret, otpauthUri } from '../../auth/one-time-codes.ts';
import type { SealedSecrets } from '../../auth/sealed-secrets.ts';
import { represent, type Representation } from '../../http/representation.ts';
import { created, noContent, ok } from '../../http/reply.ts';
import { route, type Context, type Route } from '../../http/route.ts';
import { recoveryCodesMax } from '../../limits.ts';
import { invalidAt } from '../../problem.ts';
import type { SecurityEvent } from '../../security-event.ts';
import type { Connection } from '../../storage/connection.ts';
import { removeObject, type Resource } from '../flows/change.ts';
import type { PasswordChecks } from '../flows/password-checks.ts';
import { readBack, requireVisible } from '../flows/visible.ts';
import { NewTotp, RecoveryCodes, Totp, TotpConfirmation } from './totp.ts';
import {
  addTotp,
  confirmTotp,
  totpAdditionalData,
  findTotp,
  removeTotp,
  totpSource,
  useOneTimeCode,
} from './totp-store.ts';
import { userSource } from './user-store.ts';

type TotpServices = { readonly totpSecrets: SealedSecrets; readonly passwords: PasswordChecks };

export function totpRoutes(services: TotpServices): Route[] {
  return [readTotpRoute(), setUpTotpRoute(services), turnOnTotpRoute(services), turnOffTotpRoute()];
}

const issuer = 'orderly';

const totpResource: Resource<Totp, Totp> = {
  ...totpSource,
  accessOf: accountAccessOf,
  represent: (totp) => represent(totp, { id: totp.userId, ownerId: totp.userId }),
};

const totpRouteBase = { path: '/api/users/{id}/totp', tag: 'Users' } as const;

function readTotpRoute(): Route {
  return route({
    ...totpRouteBase,
    method: 'GET',
    summary: 'Read whether a sign-in needs a one-time code',
    access: selfOrAdmin,
    reply: ok(Totp),
    description: 'Responds 404 if none were set up.',
    handle({ params: { id }, caller, database }) {
      const access = accountAccessOf(caller);
      return totpResource.represent(requireVisible(totpSource, { db: database.read, id, access }));
    },
  });
}

function setUpTotpRoute(services: TotpServices): Route {
  return route({
    ...totpRouteBase,
    method: 'POST',
    summary: 'Set up one-time codes',
    access: self,
    reply: created(NewTotp, ({ id }) => `/api/users/${id}/totp`, { isSecret: true }),
    description:
      'Returns the secret for an authenticator app (RFC 6238: SHA-1, 6 digits, 30 seconds). Signing in ' +
      `needs no code until PUT has confirmed one. Needs ${recentSignIn}.`,
    problems: ['step-up-required', 'validation-failed'],
    handle: (context) => setUpTotp(context, services),
  });
}

type SetUpContext = Context<{ readonly id: number }, object, undefined, Caller>;

/** The ETag is that of the set-up without its secret, which is also that of its GET. */
async function setUpTotp(
  context: SetUpContext,
  { totpSecrets }: TotpServices,
): Promise<Representation<NewTotp>> {
  const { params, caller, database, now } = context;
  const { id } = params;
  checkStepUp(caller, now, 'Setting up one-time codes');
  const secret = newTotpSecret();
  const sealed = totpSecrets.seal(secret, totpAdditionalData(id));
  return database.write((writer) => {
    const permit = context.authorizeWrite(writer);
    const access = accountAccessOf(permit.caller);
    const user = requireVisible(userSource, { db: writer, id, access });
    if (findTotp(writer, id)?.isOn === true)
      throw invalidAt('', 'already-on', 'One-time codes are on; turn them off first.');
    addTotp(permit, user, sealed);
    const made = { secret: base32(secret), uri: otpauthUri(secret, issuer, user.email) };
    const { etag } = totpResource.represent(readBack(totpSource, writer, id));
    return { ...represent(made, { id, ownerId: id }), etag };
  });
}

function turnOnTotpRoute(services: TotpServices): Route {
  return route({
    ...totpRouteBase,
    method: 'PUT',
    summary: 'Turn one-time codes on',
    access: self,
    body: TotpConfirmation,
    reply: ok(RecoveryCodes, { isSecret: true }),
    description:
      'A right code turns them on: from then on signing in needs one. Returns recovery codes; sent again ' +
      `with a later code, it replaces them. Needs ${recentSignIn}.`,
    problems: ['step-up-required'],
    handle: (context) => confirm(context, services),
  });
}

type ConfirmContext = Context<{ readonly id: number }, object, TotpConfirmation, Caller>;

async function confirm(
  context: ConfirmContext,
  { totpSecrets, passwords }: TotpServices,
): Promise<Representation<RecoveryCodes>> {
  const { params, body, caller, database } = context;
  const { id } = params;
  checkStepUp(caller, context.now, 'Turning one-time codes on');
  const recoveryCodes = Array.from({ length: recoveryCodesMax }, newRecoveryCode);
  passwords.consumeCodeToken(context, id);
  /** Returns undefined if the code is wrong. */
  const useAndConfirm = (writer: Connection): TotpChange | undefined => {
    const permit = context.authorizeWrite(writer);
    const access = accountAccessOf(permit.caller);
    const totp = requireVisible(totpSource, { db: writer, id, access });
    context.checkPrecondition(totpResource.represent(totp).etag);
    const { now } = permit.origin;
    if (!useOneTimeCode(permit, totpSecrets, { userId: id, code: body.code, now })) return undefined;
    confirmTotp(permit, totp, recoveryCodes);
    return totp.isOn ? 'recovery-codes-replaced' : 'totp-on';
  };
  const change = await database.write(useAndConfirm);
  if (change === undefined) {
    context.reportSecurityEvent({ name: 'authn_login_fail', userId: id, reason: 'wrong-code' });
    throw invalidAt('/code', 'mismatch', 'code is wrong, or was used already.');
  }
  context.reportSecurityEvent({ name: 'user_updated', userId: id, change });
  return represent({ recoveryCodes }, { id, ownerId: id });
}

type TotpChange = Extract<SecurityEvent, { readonly change: string }>['change'];

function turnOffTotpRoute(): Route {
  return route({
    ...totpRouteBase,
    method: 'DELETE',
    summary: 'Turn one-time codes off',
    access: selfOrAdmin,
    reply: noContent(),
    description: `The recovery codes go with them. Needs ${recentSignIn}.`,
    problems: ['step-up-required'],
    handle(context) {
      return removeObject(context, totpResource, {
        checkRights: (_totp, caller) => checkStepUp(caller, context.now, 'Turning one-time codes off'),
        remove: removeTotp,
        securityEvent: ({ userId }) => ({ name: 'user_updated', userId, change: 'totp-off' }),
      });
    },
  });
}
