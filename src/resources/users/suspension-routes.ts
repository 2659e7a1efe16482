// Suspending a user over HTTP: /api/users/{id}/suspension.
import { accountAccessOf, adminOnly, checkStepUp, recentSignIn, type Caller } from '../../auth/access.ts';
import type { Change } from '../../http/handler-result.ts';
import { represent } from '../../http/representation.ts';
import { throwIfInvalid } from '../../problem.ts';
import { noContent, ok } from '../../http/reply.ts';
import { route, type Context, type Route } from '../../http/route.ts';
import { removeObject, type Resource } from '../flows/change.ts';
import { readBack, requireVisible } from '../flows/visible.ts';
import { Suspension, SuspensionReplacement, replacementIssues } from './suspension.ts';
import {
  addSuspension,
  findSuspension,
  removeSuspension,
  replaceSuspension,
  type StoredSuspension,
  suspensionSource,
} from './suspension-store.ts';
import type { UserChangeServices } from './user-routes.ts';
import { userSource } from './user-store.ts';

type SuspensionServices = Pick<UserChangeServices, 'endSessions' | 'removeKeys'>;

export function suspensionRoutes(services: SuspensionServices): Route[] {
  return [readSuspensionRoute(), putSuspensionRoute(services), deleteSuspensionRoute()];
}

const suspensionResource: Resource<StoredSuspension, Suspension> = {
  ...suspensionSource,
  accessOf: accountAccessOf,
  represent: ({ version, ...suspension }) =>
    represent(suspension, { id: suspension.userId, ownerId: suspension.userId, salt: String(version) }),
};

const suspensionRouteBase = { path: '/api/users/{id}/suspension', tag: 'Users', access: adminOnly } as const;

function readSuspensionRoute(): Route {
  return route({
    ...suspensionRouteBase,
    method: 'GET',
    summary: 'Read why and since when a user is suspended',
    scope: 'users:read',
    reply: ok(Suspension),
    description: 'Responds 404 if the user is not suspended.',
    handle({ params: { id }, caller, database }) {
      const access = accountAccessOf(caller);
      return suspensionResource.represent(
        requireVisible(suspensionSource, { db: database.read, id, access }),
      );
    },
  });
}

function putSuspensionRoute(services: SuspensionServices): Route {
  return route({
    ...suspensionRouteBase,
    method: 'PUT',
    summary: 'Suspend a user',
    body: SuspensionReplacement,
    reply: ok(Suspension, { newLocation: ({ id }) => `/api/users/${id}/suspension` }),
    description:
      'Ends the user’s sessions and deletes their API keys. From then on a sign-in is rejected like one ' +
      `with a wrong password. Needs ${recentSignIn}.`,
    problems: ['last-admin', 'step-up-required'],
    handle: (context) => suspend(context, services),
  });
}

type PutContext = Context<{ readonly id: number }, object, SuspensionReplacement, Caller>;

async function suspend(
  context: PutContext,
  { endSessions, removeKeys }: SuspensionServices,
): Promise<Change<Suspension>> {
  const { id } = context.params;
  const { reason = null } = context.body;
  const change = await context.writeResult((writer): Change<Suspension> => {
    const permit = context.authorizeWrite(writer);
    const sought = { db: writer, id, access: accountAccessOf(permit.caller) };
    const user = requireVisible(userSource, sought);
    const isSuspended = findSuspension(writer, id) !== undefined;
    const current = isSuspended ? requireVisible(suspensionSource, sought) : undefined;
    checkStepUp(permit.caller, context.now, 'Suspending a user');
    throwIfInvalid(replacementIssues(current, context.body, id));
    context.checkPrecondition(current && suspensionResource.represent(current).etag);
    if (current === undefined) {
      addSuspension(permit, user, reason);
      endSessions(permit, user, null);
      removeKeys(permit, user);
    } else {
      replaceSuspension(permit, current, reason);
    }
    const object = suspensionResource.represent(readBack(suspensionSource, writer, id));
    return { kind: 'change', effect: current === undefined ? 'created' : 'changed', object };
  });
  if (change.effect === 'created') context.reportSecurityEvent({ name: 'authn_login_lock', userId: id });
  return change;
}

function deleteSuspensionRoute(): Route {
  return route({
    ...suspensionRouteBase,
    method: 'DELETE',
    summary: 'Lift a suspension',
    reply: noContent(),
    description: `The user may sign in again. Needs ${recentSignIn}.`,
    problems: ['step-up-required'],
    handle(context) {
      return removeObject(context, suspensionResource, {
        checkRights: (_suspension, caller) => checkStepUp(caller, context.now, 'Lifting a suspension'),
        remove: removeSuspension,
        securityEvent: ({ userId }) => ({ name: 'user_updated', userId, change: 'suspension-lifted' }),
      });
    },
  });
}
