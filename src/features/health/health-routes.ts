// Health over HTTP: whether the process runs, and whether it can handle requests.
import { anyone } from '../../auth/access.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { Problem } from '../../problem.ts';
import { named, object, oneOf } from '../../schema/schema.ts';

export type Readiness = 'ready' | 'stopping' | 'read-only';

const Health = named('Health', object({ status: oneOf(['ok', 'ready']) }));

const common = {
  method: 'GET',
  tag: 'Service',
  access: anyone,
  isUnlimited: true,
  reply: { kind: 'document', schema: Health },
} as const;

export function healthRoutes(readiness: () => Readiness): Route[] {
  return [
    route({
      ...common,
      path: '/health/live',
      summary: 'Whether the process runs',
      handle: () => ({ kind: 'document', content: { status: 'ok' as const } }),
    }),
    route({
      ...common,
      path: '/health/ready',
      summary: 'Whether the service can handle requests',
      problems: ['unavailable'],
      handle() {
        const state = readiness();
        if (state === 'ready') return { kind: 'document', content: { status: state } };
        const detail = state === 'stopping' ? 'The service is stopping.' : 'The service can’t write.';
        throw new Problem('unavailable', detail, { retryAfterSeconds: 1 });
      },
    }),
  ];
}
