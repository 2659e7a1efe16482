// Sessions over HTTP: /api/sessions.
import { checkStepUp, recentSignIn, requireAccountId, signedIn, type Caller } from '../../auth/access.ts';
import { clearedSessionCookie } from '../../auth/session-cookie.ts';
import { listParameters, type List, type Lists } from '../../http/lists/list.ts';
import { representationsOf } from '../../http/responses/representation-cache.ts';
import { empty } from '../../http/routing/reply.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { id } from '../../schema/members.ts';
import { optional } from '../../schema/schema.ts';
import { requireOwned, requireVisible } from '../../storage/object-access.ts';
import { userSource } from '../users/user-store.ts';
import {
  endSession,
  sessionSource,
  sessionSelection,
  signOutEverywhere,
  usesCookie,
} from './session-store.ts';
import { Session } from './session.ts';
import { representSession, tokenRoutes, type TokenServices } from './token-routes.ts';

type SessionServices = TokenServices & { readonly lists: Lists };

const common = { tag: 'Sessions', access: signedIn } as const;

export function sessionRoutes(services: SessionServices): Route[] {
  const { lists, cookieName } = services;
  return [
    ...tokenRoutes(services),
    route({
      ...common,
      method: 'GET',
      path: '/api/sessions',
      summary: 'List sessions, newest first',
      reply: { kind: 'list', schema: Session },
      query: { userId: optional(id, { description: 'The owner, if not oneself.' }), ...listParameters },
      description: 'Lists one’s own; an administrator may select another user’s.',
      problems: ['forbidden'],
      handle: (call) => lists.page(call, sessionList(call)),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/api/sessions',
      summary: 'Sign out everywhere',
      sessionCookie: 'set',
      countsAsChange: false,
      reply: { kind: 'none' },
      query: { userId: optional(id, { description: 'Whose sessions, if not one’s own.' }) },
      description:
        'Ends all sessions of a user, this one included; API keys stay. For another user it needs an ' +
        `administrator, and ${recentSignIn}.`,
      problems: ['forbidden', 'not-found', 'step-up-required'],
      async handle(call) {
        const { query, now, read } = call;
        const isInCookie = usesCookie(read, call.caller.sessionId);
        const page = await lists.page(call, sessionList(call)); // what a GET would show
        const isOwn = await call.write((permit) => {
          const { caller } = permit;
          const userId = requireAccountId(caller, query, 'sessions');
          const user = requireOwned(userSource, permit, userId);
          if (userId !== caller.userId) checkStepUp(caller, now, 'Ending the sessions of another user');
          call.checkPrecondition(() => page.etag);
          if (signOutEverywhere(permit, user))
            call.reportSecurityEvent({ name: 'session_expired', userId, sessionId: null });
          return userId === caller.userId;
        });
        if (isOwn && isInCookie) call.setCookie(clearedSessionCookie(cookieName));
        return empty;
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/api/sessions/{id}',
      summary: 'Read a session',
      reply: { kind: 'object', schema: Session },
      problems: ['forbidden'],
      handle: (call) => representSession(requireVisible(sessionSource(call.now), call, call.params.id)),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/api/sessions/{id}',
      summary: 'Sign out',
      sessionCookie: 'set',
      countsAsChange: false,
      reply: { kind: 'none' },
      description: `Ending a session of another user needs ${recentSignIn}.`,
      problems: ['forbidden', 'step-up-required'],
      async handle(call) {
        const { params, now, caller: own, read } = call;
        const isInCookie = own.sessionId === params.id && usesCookie(read, params.id);
        await call.write((permit) => {
          const session = requireOwned(sessionSource(now), permit, params.id);
          const { id, userId } = session;
          // without this, a thief of an administrator's token could keep the other administrators out
          if (userId !== permit.caller.userId)
            checkStepUp(permit.caller, now, 'Ending a session of another user');
          call.checkPrecondition(() => representSession(session).etag);
          endSession(permit, session);
          call.reportSecurityEvent({ name: 'session_expired', userId, sessionId: id });
        });
        if (isInCookie) call.setCookie(clearedSessionCookie(cookieName));
        return empty;
      },
    }),
  ];
}

type SessionQuery = { readonly query: { readonly userId?: number }; readonly now: number };

function sessionList({ query, now }: SessionQuery): List<Session, Caller> {
  return {
    selectionFor: (caller) => sessionSelection({ userId: requireAccountId(caller, query, 'sessions') }, now),
    elements: representationsOf(sessionSource(now), representSession),
  };
}
