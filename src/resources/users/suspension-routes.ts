// Suspending a user over HTTP: /api/users/{id}/suspension.
import { accountAccessOf, adminOnly, checkStepUp, recentSignIn, type Caller } from '../../auth/access.ts';
import { represent, type Representation } from '../../http/representation.ts';
import { noContent, ok, okOrCreated, route, type Context, type Route } from '../../http/route.ts';
import { dependentIssues, putDependent, removeObject, type Resource } from '../flows/change.ts';
import { requireVisible } from '../flows/visible.ts';
import { Suspension, SuspensionReplacement, replacementIssues } from './suspension.ts';
import { addSuspension, removeSuspension, replaceSuspension, suspensionSource } from './suspension-store.ts';
import type { UserChangeServices } from './user-change-routes.ts';
import { userSource } from './user-store.ts';

type SuspensionServices = Pick<UserChangeServices, 'endSessions' | 'removeKeys'>;

export function suspensionRoutes(services: SuspensionServices): Route[] {
  return [readSuspensionRoute(), putSuspensionRoute(services), deleteSuspensionRoute()];
}

const suspensionResource: Resource<Suspension, Suspension> = {
  ...suspensionSource,
  accessOf: accountAccessOf,
  represent: (suspension) => represent(suspension, { id: suspension.userId, ownerId: suspension.userId }),
};

const ofSuspensions = { path: '/api/users/{id}/suspension', tag: 'Users', access: adminOnly } as const;

function readSuspensionRoute(): Route {
  return route({
    ...ofSuspensions,
    method: 'GET',
    summary: 'Read why and since when a user is suspended',
    scope: 'users:read',
    reply: ok(Suspension),
    description: 'Responds 404 if the user is not suspended.',
    handle({ params: { id }, caller, db }) {
      const access = accountAccessOf(caller);
      return suspensionResource.represent(requireVisible(suspensionSource, { db: db.read, id, access }));
    },
  });
}

function putSuspensionRoute(services: SuspensionServices): Route {
  return route({
    ...ofSuspensions,
    method: 'PUT',
    summary: 'Suspend a user',
    body: SuspensionReplacement,
    reply: okOrCreated(Suspension, ({ id }) => `/api/users/${id}/suspension`),
    isConditional: true,
    description:
      'Ends the user’s sessions and deletes their API keys. From then on a sign-in is rejected like one ' +
      `with a wrong password. Needs ${recentSignIn}.`,
    problems: ['last-admin', 'step-up-required'],
    furtherIssues: dependentIssues(userSource, { ...suspensionResource, issuesOf: replacementIssues }),
    handle: (context) => suspend(context, services),
  });
}

type PutContext = Context<{ readonly id: number }, object, SuspensionReplacement, Caller>;

async function suspend(
  context: PutContext,
  { endSessions, removeKeys }: SuspensionServices,
): Promise<Representation<Suspension>> {
  const { body, now } = context;
  return putDependent(context, userSource, {
    ...suspensionResource,
    check: (caller) => checkStepUp(caller, now, 'Suspending a user'),
    issuesOf: replacementIssues,
    add(permit, user) {
      addSuspension(permit, user, body.reason ?? null, now);
      endSessions(permit, user, null);
      removeKeys(permit, user);
      return { name: 'authn_login_lock', userId: user.id };
    },
    replace: (permit, current) => replaceSuspension(permit, current, body.reason ?? null),
  });
}

function deleteSuspensionRoute(): Route {
  return route({
    ...ofSuspensions,
    method: 'DELETE',
    summary: 'Lift a suspension',
    reply: noContent(),
    isConditional: true,
    description: `The user may sign in again. Needs ${recentSignIn}.`,
    problems: ['step-up-required'],
    handle(context) {
      return removeObject(context, suspensionResource, {
        check: (_suspension, caller) => checkStepUp(caller, context.now, 'Lifting a suspension'),
        remove: removeSuspension,
        securityEvent: ({ userId }) => ({ name: 'user_updated', userId, change: 'suspension-lifted' }),
      });
    },
  });
}
