// Metrics over HTTP, for Prometheus.
import { isAdmin, type Access, type Caller } from '../../auth/access.ts';
import { Problem, forbidden } from '../../problem.ts';
import { route, type Route } from '../../http/routing/route.ts';

const loopbackOrAdmin: Access<object, Caller | undefined> = {
  description: 'Only the machine itself or an administrator may call this.',
  credentials: 'optional',
  permits: () => true, // the handler decides, since an access rule doesn't know the IP address
};

export function metricsRoute(metrics: () => string): Route {
  return route({
    method: 'GET',
    path: '/metrics',
    tag: 'Service',
    summary: 'Prometheus metrics',
    access: loopbackOrAdmin,
    scope: 'any',
    reply: { kind: 'document', mediaTypes: ['text/plain'] },
    description: 'From the machine itself, or with an administrator’s access token or API key.',
    problems: ['forbidden', 'unauthenticated'],
    handle({ caller, isFromThisMachine }) {
      if (!isFromThisMachine && caller === undefined)
        throw new Problem('unauthenticated', loopbackOrAdmin.description);
      if (!isFromThisMachine && caller !== undefined && !isAdmin(caller))
        throw forbidden(loopbackOrAdmin.description);
      return { kind: 'document', mediaType: 'text/plain; version=0.0.4; charset=utf-8', content: metrics() };
    },
  });
}
