// What a running service counts, and its Prometheus text.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { securityEventLevels, type SecurityEventName } from '../security-event.ts';
import type { Database } from '../storage/database.ts';
import { syncSecondsBounds } from '../storage/storage-stats.ts';
import { version } from '../version.ts';
import type { ConnectionCounts } from './connection-gate.ts';
import type { Mounted } from './router.ts';

const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]; // seconds
const delayStepMilliseconds = 10;

const eventNames = Object.keys(securityEventLevels) as SecurityEventName[]; // its keys are the names

export type Metrics = ReturnType<typeof createMetrics>;

type Sources = {
  readonly mounted: readonly Mounted[];
  readonly storage: Database['stats'];
  readonly buckets: number;
  readonly connections: ConnectionCounts;
  readonly caches: readonly { readonly hits: number; readonly misses: number; readonly weight: number }[];
  readonly passwordsWaiting: number;
};

export function createMetrics() {
  const counts = new Map<number, { answers: number }>(); // route index × 1000 + status
  const buckets = new Float64Array(bounds.length + 1);
  let seconds = 0;
  const delay = monitorEventLoopDelay({ resolution: delayStepMilliseconds });
  delay.enable();
  const refusals = { rate: 0, unavailable: 0 };
  const securityEvents = new Map(eventNames.map((name) => [name, 0]));

  function countEvent(name: SecurityEventName): void {
    securityEvents.set(name, (securityEvents.get(name) ?? 0) + 1);
  }

  /** One answer of the route with this index (−1: none fitted). */
  function observe(route: number, status: number, milliseconds: number): void {
    const key = route * 1000 + status;
    const count = counts.get(key);
    if (count === undefined) counts.set(key, { answers: 1 });
    else count.answers += 1;
    const elapsed = milliseconds / 1000;
    seconds += elapsed;
    let index = 0;
    while (index < bounds.length && elapsed > (bounds[index] ?? 0)) index += 1;
    buckets[index] = (buckets[index] ?? 0) + 1;
  }

  function text({
    mounted,
    storage,
    buckets: limiterBuckets,
    connections,
    caches,
    passwordsWaiting,
  }: Sources): string {
    const sum = (name: 'hits' | 'misses' | 'weight'): number =>
      caches.reduce((total, cache) => total + cache[name], 0);
    const lookups: Sample[] = [
      ['{result="hit"}', sum('hits')],
      ['{result="miss"}', sum('misses')],
    ];
    const requests = [...counts].map(([key, { answers }]): Sample => [routeLabels(key, mounted), answers]);
    const { syncSecondsCounts, syncSecondsSum } = storage;
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return textOf([
      ['orderly_http_requests_total', 'counter', 'Requests answered, by route and status.', requests],
      histogram(
        'orderly_http_request_duration_seconds',
        'Time from the head of a request to its answer.',
        bounds,
        buckets,
        seconds,
      ),
      [
        'orderly_event_loop_delay_seconds',
        'gauge',
        'Delay of the event loop since the last look.',
        delaySamples(delay),
      ],
      ['orderly_storage_commits_total', 'counter', 'Transactions committed.', storage.commits],
      ['orderly_storage_writes_total', 'counter', 'Writes in those transactions.', storage.writes],
      histogram(
        'orderly_storage_sync_duration_seconds',
        'Time a sync of the log to disk takes.',
        syncSecondsBounds,
        syncSecondsCounts,
        syncSecondsSum,
      ),
      [
        'orderly_storage_log_bytes',
        'gauge',
        'Length of the log that is not yet folded into the database.',
        storage.walBytes,
      ],
      [
        'orderly_storage_writes_waiting',
        'gauge',
        'Writes taken and not answered yet.',
        storage.waitingWrites,
      ],
      [
        'orderly_storage_checkpoints_total',
        'counter',
        'Times the log was folded into the database.',
        storage.checkpoints,
      ],
      [
        'orderly_storage_refusals_total',
        'counter',
        'Writes refused because too many wait or the disk failed.',
        storage.refusals,
      ],
      [
        'orderly_refusals_total',
        'counter',
        'Requests refused, by reason.',
        Object.entries(refusals).map(([reason, count]) => [`{reason="${reason}"}`, count]),
      ],
      ['orderly_cache_lookups_total', 'counter', 'Look-ups of kept representations, by result.', lookups],
      ['orderly_cache_bytes', 'gauge', 'Bytes of representations kept in memory.', sum('weight')],
      [
        'orderly_security_events_total',
        'counter',
        'Sign-ins, refusals of access and changes of rights, by the name that the log gives them.',
        [...securityEvents].map(([name, count]): Sample => [`{event="${name}"}`, count]),
      ],
      ['orderly_rate_limit_buckets', 'gauge', 'Token buckets in memory.', limiterBuckets],
      ['orderly_connections', 'gauge', 'Open client connections.', connections.open],
      [
        'orderly_connections_refused_total',
        'counter',
        'Connections refused: all places taken (full), or all of one address.',
        Object.entries(connections.refused).map(([reason, count]) => [`{reason="${reason}"}`, count]),
      ],
      ['orderly_password_hashes_waiting', 'gauge', 'Password hashes waiting or running.', passwordsWaiting],
      [
        'orderly_build_info',
        'gauge',
        'Always 1; the labels say what runs.',
        [[`{version="${version}",node="${process.versions.node}"}`, 1]],
      ],
      ['process_resident_memory_bytes', 'gauge', 'Resident memory.', rss],
      ['orderly_heap_used_bytes', 'gauge', 'Memory used on the JavaScript heap.', heapUsed],
      ['process_cpu_seconds_total', 'counter', 'CPU time used.', (user + system) / 1e6],
      [
        'process_start_time_seconds',
        'gauge',
        'When the process started, since 1970.',
        Math.floor(Date.now() / 1000 - process.uptime()),
      ],
    ]);
  }

  return { observe, countEvent, refusals, text, close: () => delay.disable() };
}

/** What follows the family's name, such as `{status="200"}`, and the value. */
type Sample = readonly [ending: string, value: number];
type Family = readonly [
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  help: string,
  samples: number | readonly Sample[],
];

function textOf(families: readonly Family[]): string {
  const lines = families.flatMap(([name, type, help, samples]) => {
    const all: readonly Sample[] = typeof samples === 'number' ? [['', samples]] : samples;
    return [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...all.map(([ending, value]) => `${name}${ending} ${value}`),
    ];
  });
  return `${lines.join('\n')}\n`;
}

/** `counts` has one more than `limits`: what is above the last. */
function histogram(
  name: string,
  help: string,
  limits: readonly number[],
  counts: ArrayLike<number>,
  sum: number,
): Family {
  let total = 0;
  const buckets = [...limits, '+Inf'].map((limit, index): Sample => [
    `_bucket{le="${limit}"}`,
    (total += counts[index] ?? 0),
  ]);
  return [name, 'histogram', help, [...buckets, ['_sum', sum], ['_count', total]]];
}

function routeLabels(key: number, mounted: readonly Mounted[]): string {
  const route = mounted[Math.floor(key / 1000)]?.route;
  const status = key < 0 ? key + 1000 : key % 1000;
  return `{method="${route?.method ?? ''}",route="${route?.path ?? ''}",status="${status}"}`;
}

function delaySamples(delay: ReturnType<typeof monitorEventLoopDelay>): Sample[] {
  const seconds = (nanoseconds: number): number =>
    Math.max(0, nanoseconds / 1e9 - delayStepMilliseconds / 1000); // the step itself is measured, too
  const samples: Sample[] = [
    ['{percentile="50"}', seconds(delay.percentile(50))],
    ['{percentile="99"}', seconds(delay.percentile(99))],
    ['{percentile="100"}', seconds(delay.max)],
  ];
  delay.reset();
  return samples;
}
