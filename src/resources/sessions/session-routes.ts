// Sessions over HTTP: /api/sessions.
import assert from 'node:assert';
import {
  accountAccessOf,
  checkStepUp,
  recentSignIn,
  requireOwner,
  signedIn,
  type Caller,
} from '../../auth/access.ts';
import { clearedSessionCookie } from '../../auth/session-cookie.ts';
import type { Cursors } from '../../http/cursor.ts';
import { empty, type ListPage } from '../../http/handler-result.ts';
import { listPage, listParameters, type PageSource } from '../../http/list.ts';
import { createFinder } from '../../http/representation-cache.ts';
import { listOf, noContent, ok } from '../../http/reply.ts';
import { route, type Route } from '../../http/route.ts';
import { id } from '../../schema/members.ts';
import { optional } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import { removeObject, type Resource } from '../flows/change.ts';
import { requireVisible } from '../flows/visible.ts';
import { userSource } from '../users/user-store.ts';
import { Session } from './session.ts';
import { renewCookieRoute, renewTokensRoute } from './renewal-routes.ts';
import {
  endSession,
  sessionSource,
  sessionSelection,
  signOutEverywhere,
  usesCookie,
} from './session-store.ts';
import { signInRoute, type SignInServices } from './sign-in-routes.ts';
import { representSession } from './tokens-representation.ts';

type SessionServices = SignInServices & { readonly cursors: Cursors };

export function sessionRoutes(services: SessionServices): Route[] {
  return [
    signInRoute(services),
    renewTokensRoute(services),
    renewCookieRoute(services),
    listSessionsRoute(services),
    deleteSessionsRoute(services),
    readSessionRoute(),
    deleteSessionRoute(),
  ];
}

function sessionResource(now: number): Resource<Session, Session> {
  return { ...sessionSource(now), accessOf: accountAccessOf, represent: representSession };
}

function listSessionsRoute({ cursors }: SessionServices): Route {
  return route({
    method: 'GET',
    path: '/api/sessions',
    tag: 'Sessions',
    summary: 'List sessions, newest first',
    access: signedIn,
    reply: listOf(Session),
    query: { userId: optional(id, { description: 'The owner, if not oneself.' }), ...listParameters },
    description: 'Lists one’s own; an administrator may select another user’s.',
    problems: ['forbidden'],
    handle(context) {
      return listPage(context, sessionPages(context, cursors));
    },
  });
}

type ListContext = { readonly query: { readonly userId?: number }; readonly now: number };

function sessionPages({ query, now }: ListContext, cursors: Cursors): PageSource<Session, Caller> {
  const selectionFor = (caller: Caller) => {
    const userId = requireOwner(caller, query, 'sessions');
    return sessionSelection({ userId }, now);
  };
  return { cursors, selectionFor, find: createFinder(sessionResource(now)) };
}

function deleteSessionsRoute({ cursors }: SessionServices): Route {
  return route({
    method: 'DELETE',
    path: '/api/sessions',
    tag: 'Sessions',
    summary: 'Sign out everywhere',
    access: signedIn,
    sessionCookie: 'set',
    endsAccess: true,
    reply: noContent(),
    query: { userId: optional(id, { description: 'Whose sessions, if not one’s own.' }) },
    description:
      'Ends all sessions of a user, this one included; API keys stay. For another user it needs an ' +
      `administrator, and ${recentSignIn}.`,
    problems: ['forbidden', 'not-found', 'step-up-required'],
    async handle(context) {
      const { path, query, now, database } = context;
      const isInCookie = usesCookie(database.read, context.caller.sessionId);
      const ended = await database.write((writer) => {
        const permit = context.authorizeWrite(writer);
        const { caller } = permit;
        const userId = requireOwner(caller, query, 'sessions');
        const user = requireVisible(userSource, { db: writer, id: userId, access: accountAccessOf(caller) });
        if (userId !== caller.userId) checkStepUp(caller, now, 'Ending the sessions of another user');
        context.checkPrecondition(() => firstPageIn(writer, { path, query, now, caller }, cursors).etag);
        const wasSignedIn = signOutEverywhere(permit, user);
        return { userId, wasSignedIn, isOwn: userId === caller.userId };
      });
      if (ended.isOwn && isInCookie) context.setCookie(clearedSessionCookie);
      if (ended.wasSignedIn)
        context.reportSecurityEvent({ name: 'session_expired', userId: ended.userId, sessionId: null });
      return empty;
    },
  });
}

type PageContext = ListContext & { readonly path: string; readonly caller: Caller };

/** Returns the page that a GET would show inside a write: its ETag is that of the list. */
function firstPageIn(db: Connection, context: PageContext, cursors: Cursors): ListPage<Session> {
  const readInWorker = (): never => assert.fail('sessions are read on the event loop');
  const authorizeRead = (): Caller => context.caller;
  const database = { read: db, readInWorker };
  const page = listPage({ ...context, authorizeRead, database }, sessionPages(context, cursors));
  assert(!(page instanceof Promise));
  return page;
}

function readSessionRoute(): Route {
  return route({
    method: 'GET',
    path: '/api/sessions/{id}',
    tag: 'Sessions',
    summary: 'Read a session',
    access: signedIn,
    reply: ok(Session),
    problems: ['forbidden'],
    handle({ params: { id }, caller, database, now }) {
      const access = accountAccessOf(caller);
      return representSession(requireVisible(sessionSource(now), { db: database.read, id, access }));
    },
  });
}

function deleteSessionRoute(): Route {
  return route({
    method: 'DELETE',
    path: '/api/sessions/{id}',
    tag: 'Sessions',
    summary: 'Sign out',
    access: signedIn,
    sessionCookie: 'set',
    endsAccess: true,
    reply: noContent(),
    description: `Ending a session of another user needs ${recentSignIn}.`,
    problems: ['forbidden', 'step-up-required'],
    async handle(context) {
      const { params, caller: own, database } = context;
      const isInCookie = own.sessionId === params.id && usesCookie(database.read, params.id);
      const removed = await removeObject(context, sessionResource(context.now), {
        // otherwise a thief of an administrator's token could keep the other administrators out
        checkRights(session, caller) {
          if (session.userId !== caller.userId)
            checkStepUp(caller, context.now, 'Ending a session of another user');
        },
        remove: endSession,
        securityEvent: ({ id, userId }) => ({ name: 'session_expired', userId, sessionId: id }),
      });
      if (isInCookie) context.setCookie(clearedSessionCookie);
      return removed;
    },
  });
}
