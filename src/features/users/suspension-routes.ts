// Suspending a user over HTTP: /api/users/{id}/suspension.
import { adminOnly, checkStepUp, recentSignIn } from '../../auth/access.ts';
import { represent, type Representation } from '../../http/responses/representation.ts';
import { empty } from '../../http/routing/reply.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { throwIfInvalid } from '../../problem.ts';
import { readOnlyIssues } from '../../schema/members.ts';
import { requireOwned, requireVisible } from '../../storage/object-access.ts';
import {
  Suspension,
  SuspensionReplacement,
  addSuspension,
  findSuspension,
  removeSuspension,
  replaceSuspension,
  suspensionSource,
  type StoredSuspension,
} from './suspension-store.ts';
import { endCredentials, userSource } from './user-store.ts';

const common = { path: '/api/users/{id}/suspension', tag: 'Users', access: adminOnly } as const;

function representSuspension({ version, ...suspension }: StoredSuspension): Representation<Suspension> {
  const { userId } = suspension;
  return represent(suspension, { id: userId, ownerId: userId, salt: String(version) });
}

export function suspensionRoutes(): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Read why and since when a user is suspended',
      scope: 'users:read',
      reply: { kind: 'object', schema: Suspension },
      description: 'Responds 404 if the user is not suspended.',
      handle: (call) => representSuspension(requireVisible(suspensionSource, call, call.params.id)),
    }),
    route({
      ...common,
      method: 'PUT',
      summary: 'Suspend a user',
      body: SuspensionReplacement,
      reply: { kind: 'object', schema: Suspension, newLocation: ({ id }) => `/api/users/${id}/suspension` },
      description:
        'Ends the user’s sessions and deletes their API keys. From then on a sign-in is rejected like one ' +
        `with a wrong password. Needs ${recentSignIn}.`,
      problems: ['last-admin', 'step-up-required'],
      async handle(call) {
        const { id } = call.params;
        const { reason = null } = call.body;
        return call.write((permit) => {
          const user = requireOwned(userSource, permit, id);
          const isSuspended = findSuspension(permit.writer, id) !== undefined;
          const current = isSuspended ? requireOwned(suspensionSource, permit, id) : undefined;
          checkStepUp(permit.caller, call.now, 'Suspending a user');
          throwIfInvalid(readOnlyIssues(current ?? { userId: id }, call.body, ['userId', 'createdAt']));
          call.checkPrecondition(() => current && representSuspension(current).etag);
          if (current !== undefined) return representSuspension(replaceSuspension(permit, current, reason));
          const added = addSuspension(permit, user, reason);
          endCredentials(permit, user);
          call.reportSecurityEvent({ name: 'authn_login_lock', userId: id });
          return { ...representSuspension(added), isNew: true };
        });
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      summary: 'Lift a suspension',
      reply: { kind: 'none' },
      description: `The user may sign in again. Needs ${recentSignIn}.`,
      problems: ['step-up-required'],
      handle: (call) =>
        call.write((permit) => {
          const suspension = requireOwned(suspensionSource, permit, call.params.id);
          const { userId } = suspension;
          checkStepUp(permit.caller, call.now, 'Lifting a suspension');
          call.checkPrecondition(() => representSuspension(suspension).etag);
          removeSuspension(permit, suspension);
          call.reportSecurityEvent({ name: 'user_updated', userId, change: 'suspension-lifted' });
          return empty;
        }),
    }),
  ];
}
