// Counts for a running service, and the families of metrics that /metrics shows.
import {
  counter,
  Distribution,
  gauge,
  histogram,
  labelledSamples,
  prometheusText,
  type Family,
  type Sample,
} from '../../base/prometheus.ts';
import { version } from '../../base/version.ts';
import { securityEventLevels, type SecurityEventName } from '../../security-event.ts';
import type { Database } from '../../storage/database.ts';
import type { ConnectionCounts } from '../connections/http-server.ts';
import type { Route } from '../routing/route.ts';
import { LoopDelay } from './loop-delay.ts';

const secondsBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const eventNames = Object.keys(securityEventLevels) as SecurityEventName[]; // the keys are the names

export type Metrics = ReturnType<typeof createMetrics>;

/** The counts of other parts at the time when /metrics is read. */
type MetricsFigures = {
  readonly storage: Database['stats'];
  readonly buckets: number;
  readonly connections: ConnectionCounts;
  readonly caches: readonly CacheCounts[];
  readonly passwordsWaiting: number;
  /** Milliseconds since 1970; undefined without TLS. */
  readonly certificateExpiresAt: number | undefined;
  /** Milliseconds since 1970; undefined if there was no backup. */
  readonly lastBackupAt: number | undefined;
};
type CacheCounts = { readonly hits: number; readonly misses: number; readonly weight: number };

export function createMetrics() {
  const responses = new Map<Route | undefined, Map<number, number>>();
  const durations = new Distribution(secondsBounds);
  const rejections = { rate: 0, unavailable: 0 };
  /** Connections closed for too many pipelined requests, or for responses that were left unread. */
  const dropped = { pipelined: 0, unread: 0 };
  const securityEvents = new Map(eventNames.map((name) => [name, 0]));
  const loopDelay = new LoopDelay();

  function countSecurityEvent(name: SecurityEventName): void {
    securityEvents.set(name, (securityEvents.get(name) ?? 0) + 1);
  }

  /** Counts a response of a route; undefined if no route was found. */
  function observe(route: Route | undefined, status: number, milliseconds: number): void {
    const counts = responses.get(route) ?? new Map<number, number>();
    responses.set(route, counts);
    counts.set(status, (counts.get(status) ?? 0) + 1);
    durations.add(milliseconds / 1000);
  }

  /** `others` are the families of exports and of the features. */
  function text(figures: MetricsFigures, others: readonly Family[]): string {
    const { storage, connections } = figures;
    const { user, system } = process.cpuUsage();
    const build = `{version="${version}",node="${process.versions.node}"}`;
    return prometheusText([
      counter('orderly_http_requests_total', 'Responses, by route and status.', requestSamples(responses)),
      histogram(
        'orderly_http_request_duration_seconds',
        'Time from the head of a request to its response.',
        durations,
      ),
      counter('orderly_rejections_total', 'Requests rejected, by reason.', byReason(rejections)),
      gauge('orderly_connections', 'Open client connections.', connections.open),
      counter(
        'orderly_connections_rejected_total',
        'Connections rejected, by reason: full, or too many of one address.',
        byReason(connections.rejected),
      ),
      counter(
        'orderly_connections_dropped_total',
        'Connections closed for too many pipelined requests, or for responses that were left unread.',
        byReason(dropped),
      ),
      ...cacheFamilies(figures.caches),
      counter('orderly_storage_commits_total', 'Transactions committed.', storage.commits),
      counter('orderly_storage_writes_total', 'Writes in those transactions.', storage.writes),
      histogram(
        'orderly_storage_sync_duration_seconds',
        'Time that a sync of the WAL to disk takes.',
        storage.syncSeconds,
      ),
      gauge('orderly_storage_wal_bytes', 'Length of the WAL that is not yet checkpointed.', storage.walBytes),
      gauge('orderly_storage_writes_waiting', 'Writes accepted and not yet on disk.', storage.waitingWrites),
      gauge(
        'orderly_storage_writable',
        '1 if changes are accepted; 0 on a full or failing disk.',
        storage.canWrite ? 1 : 0,
      ),
      counter('orderly_storage_checkpoints_total', 'Checkpoints of the WAL.', storage.checkpoints),
      counter(
        'orderly_storage_writes_rejected_total',
        'Writes rejected because too many wait or the disk failed.',
        storage.rejections,
      ),
      counter(
        'orderly_security_events_total',
        'Security events, by the name that the log gives them.',
        labelledSamples('event', securityEvents),
      ),
      gauge('orderly_rate_limit_buckets', 'Token buckets in memory.', figures.buckets),
      gauge(
        'orderly_password_hashes_waiting',
        'Password hashes waiting or running.',
        figures.passwordsWaiting,
      ),
      ...others,
      gauge(
        'orderly_certificate_end_timestamp_seconds',
        'End of the certificate in use, Unix time.',
        secondsSamples(figures.certificateExpiresAt),
      ),
      gauge(
        'orderly_last_backup_timestamp_seconds',
        'When "orderly backup" last made a copy, Unix time.',
        secondsSamples(figures.lastBackupAt),
      ),
      gauge('orderly_build_info', 'Always 1; the labels have the versions.', [[build, 1]]),
      gauge(
        'orderly_event_loop_delay_seconds',
        'Delay of the event loop while requests came, since the last scrape.',
        takeDelaySamples(loopDelay),
      ),
      gauge('process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss()),
      counter('process_cpu_seconds_total', 'CPU time used.', (user + system) / 1e6),
      gauge(
        'process_start_time_seconds',
        'Start of the process, Unix time.',
        Math.floor(Date.now() / 1000 - process.uptime()),
      ),
    ]);
  }

  return { observe, countSecurityEvent, rejections, dropped, loopDelay, text, close: () => loopDelay.stop() };
}

function requestSamples(responses: ReadonlyMap<Route | undefined, ReadonlyMap<number, number>>): Sample[] {
  return [...responses].flatMap(([route, counts]) =>
    Array.from(counts, ([status, count]): Sample => [labelsOf(route, status), count]),
  );
}

function labelsOf(route: Route | undefined, status: number): string {
  return `{method="${route?.method ?? ''}",route="${route?.path ?? ''}",status="${status}"}`;
}

function byReason(counts: Readonly<Record<string, number>>): Sample[] {
  return labelledSamples('reason', Object.entries(counts));
}

function cacheFamilies(caches: readonly CacheCounts[]): Family[] {
  const sum = (name: keyof CacheCounts): number => caches.reduce((total, cache) => total + cache[name], 0);
  const lookups = [
    ['hit', sum('hits')],
    ['miss', sum('misses')],
  ] as const;
  return [
    counter(
      'orderly_cache_lookups_total',
      'Look-ups of cached representations, by result.',
      labelledSamples('result', lookups),
    ),
    gauge('orderly_cache_bytes', 'Bytes of cached representations.', sum('weight')),
  ];
}

/** Returns one sample, or none without a time. */
function secondsSamples(milliseconds: number | undefined): Sample[] {
  return milliseconds === undefined ? [] : [['', Math.floor(milliseconds / 1000)]];
}

function takeDelaySamples(loopDelay: LoopDelay): Sample[] {
  const samples = [50, 99, 100].map((percentile): Sample => [
    `{percentile="${percentile}"}`,
    loopDelay.seconds(percentile),
  ]);
  loopDelay.reset();
  return samples;
}
