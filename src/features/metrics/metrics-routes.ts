// Metrics over HTTP, for Prometheus.
import { isAdmin, type Access, type Caller } from '../../auth/access.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { Problem, forbidden } from '../../problem.ts';

const loopbackOrAdmin: Access<object, Caller | undefined> = {
  callers: 'machine-or-admin',
  description: 'Only an administrator may call this, or the machine itself where no proxy is trusted.',
  credentials: 'optional',
  permits: () => true, // the handler decides, since an access rule doesn't know the IP address
};

/** Behind a proxy of the same machine, requests of strangers may look like the machine's own. */
export function metricsRoute(
  metrics: () => string,
  { trustsProxies }: { readonly trustsProxies: boolean },
): Route {
  return route({
    method: 'GET',
    path: '/metrics',
    tag: 'Service',
    summary: 'Prometheus metrics',
    access: loopbackOrAdmin,
    scope: 'any',
    reply: { kind: 'document', mediaTypes: ['text/plain'] },
    description:
      'With an administrator’s access token or API key; or from the machine itself, where no proxy is trusted.',
    problems: ['forbidden', 'unauthenticated'],
    handle({ caller, isFromThisMachine }) {
      const isLocal = isFromThisMachine && !trustsProxies;
      if (!isLocal && caller === undefined) throw new Problem('unauthenticated', loopbackOrAdmin.description);
      if (!isLocal && caller !== undefined && !isAdmin(caller)) throw forbidden(loopbackOrAdmin.description);
      return { kind: 'document', mediaType: 'text/plain; version=0.0.4; charset=utf-8', content: metrics() };
    },
  });
}
