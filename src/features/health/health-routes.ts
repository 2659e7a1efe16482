// Health over HTTP: whether the process runs, and whether it can handle requests.
import { anyone } from '../../auth/access.ts';
import { Problem } from '../../problem.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { Health } from './system.ts';

export type Readiness = 'ready' | 'stopping' | 'read-only';

const tag = 'Service';

export function healthRoutes(readiness: () => Readiness): Route[] {
  return [liveRoute(), readyRoute(readiness)];
}

function liveRoute(): Route {
  return route({
    method: 'GET',
    path: '/health/live',
    tag,
    summary: 'Whether the process runs',
    access: anyone,
    isUnlimited: true,
    reply: { kind: 'document', schema: Health },
    handle: () => ({ kind: 'document', content: { status: 'ok' as const } }),
  });
}

function readyRoute(readiness: () => Readiness): Route {
  return route({
    method: 'GET',
    path: '/health/ready',
    tag,
    summary: 'Whether the service can handle requests',
    access: anyone,
    isUnlimited: true,
    reply: { kind: 'document', schema: Health },
    problems: ['unavailable'],
    handle() {
      const state = readiness();
      if (state === 'ready') return { kind: 'document', content: { status: 'ready' as const } };
      const detail = state === 'stopping' ? 'The service is stopping.' : 'The service can’t write.';
      throw new Problem('unavailable', detail, { retryAfterSeconds: 1 });
    },
  });
}
