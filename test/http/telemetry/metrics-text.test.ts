// The text of /metrics, read by a small parser of the Prometheus exposition format; and the delay of the event loop,
// sampled while requests come.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gauge } from '../../../src/base/prometheus.ts';
import { LoopDelay } from '../../../src/http/telemetry/loop-delay.ts';
import { createMetrics } from '../../../src/http/telemetry/metrics.ts';
import { newStats } from '../../../src/storage/storage-stats.ts';
import { version } from '../../../src/base/version.ts';
import { newOrder } from '../../support/resource-support.ts';
import { until } from '../../support/storage-support.ts';
import { insideOnly, serviceFor, type TestService } from '../../support/service.ts';
import { assertProblem } from '../../support/http-support.ts';

type Family = { readonly type: string; readonly samples: Map<string, number> };

/** Throws on text that Prometheus would not read, or would warn about. */
function parse(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let current = '';
  assert.ok(text.endsWith('\n'));
  for (const line of text.slice(0, -1).split('\n')) {
    const [, help, type, kind] =
      /^# (?:HELP (\w+) \S.*|TYPE (\w+) (counter|gauge|histogram))$/.exec(line) ?? [];
    if (help !== undefined) {
      assert.ok(!families.has(help), `${help} is there twice`);
      current = help;
    } else if (type !== undefined) {
      assert.equal(type, current);
      families.set(type, { type: kind ?? '', samples: new Map() });
    } else {
      const [, name = '', labels = '', value] =
        /^([a-z_]+)((?:\{(?:[a-z]+="[^"\\\n]*",?)+\})?) (-?[\d.e+-]+)$/.exec(line) ?? [];
      const family = families.get(current);
      assert.ok(name !== '' && family !== undefined, line);
      assert.equal(family.type === 'histogram' ? name.replace(/_(bucket|sum|count)$/, '') : name, current);
      assert.ok(!family.samples.has(name + labels), line);
      family.samples.set(name + labels, Number(value));
    }
  }
  return families;
}

/** The sample of a family by its labels, `{reason="rate"}`, in the text of the service. */
async function sampleOf(service: TestService, family: string, labels = ''): Promise<number | undefined> {
  return parse((await service.get('/metrics')).text)
    .get(family)
    ?.samples.get(family + labels);
}

test('the metrics count the requests rejected for their rate', async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-default': '2/60' } });
  const { token } = await service.person();
  for (let index = 0; index < 5; index += 1) await service.get('/orders', { token });
  assert.equal(await sampleOf(service, 'orderly_rejections_total', '{reason="rate"}'), 3);
  assert.equal(await sampleOf(service, 'orderly_rejections_total', '{reason="unavailable"}'), 0);
});

test('the metrics count the requests rejected as unavailable', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  // as if something kept the WAL from being checkpointed; its real size is read some time after each sync
  const { stats = {} } = service.inside?.database ?? {};
  Object.defineProperty(stats, 'walBytes', { get: () => 1024 ** 3, set: () => {} });
  assertProblem(await service.post('/customers', { token, body: { name: 'Ada' } }), 'unavailable');
  assert.equal(await sampleOf(service, 'orderly_rejections_total', '{reason="unavailable"}'), 1);
  assert.equal(await sampleOf(service, 'orderly_rejections_total', '{reason="rate"}'), 0);
});

test('the metrics are well formed, names of counters end in _total, and histograms add up', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  await newOrder(service, token);
  await service.get('/orders/999', { token });
  await service.get('/nowhere');
  await pause(100); // the size of the WAL is read some time after a sync
  const { text, headers } = await service.get('/metrics');
  assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  const families = parse(text);
  for (const [name, { type, samples }] of families) {
    assert.equal(name.endsWith('_total'), type === 'counter', name);
    if (type === 'histogram') assertHistogram(name, samples);
  }
  const value = (name: string, labels = ''): number | undefined =>
    families.get(name)?.samples.get(name + labels);
  assert.equal(value('orderly_http_requests_total', '{method="POST",route="/orders",status="201"}'), 1);
  assert.equal(value('orderly_http_requests_total', '{method="GET",route="/orders/{id}",status="404"}'), 1);
  assert.equal(value('orderly_http_requests_total', '{method="",route="",status="404"}'), 1);
  const writes = value('orderly_storage_writes_total') ?? 0;
  const commits = value('orderly_storage_commits_total') ?? 0;
  const ofSyncs = families.get('orderly_storage_sync_duration_seconds')?.samples;
  const syncs = ofSyncs?.get('orderly_storage_sync_duration_seconds_count') ?? 0;
  assert.ok(
    writes >= commits && commits >= syncs && syncs >= 4,
    `${writes} ≥ ${commits} ≥ ${syncs} ≥ 4: an administrator, a user, a session, a customer and an order`,
  );
  assert.equal(value('orderly_storage_writes_waiting'), 0);
  assert.ok((value('orderly_storage_wal_bytes') ?? 0) > 0);
  assert.ok((value('process_resident_memory_bytes') ?? 0) > 2 ** 24);
});

test('each family shows the value that was counted for it', (t) => {
  const metrics = createMetrics();
  t.after(metrics.close);
  metrics.observe(undefined, 404, 0.4);
  metrics.observe(undefined, 404, 40);
  metrics.observe(undefined, 500, 6_000);
  metrics.rejections.rate = 2;
  metrics.rejections.unavailable = 3;
  metrics.dropped.pipelined = 4;
  metrics.dropped.unread = 5;
  for (const name of ['user_created', 'user_created', 'authz_fail'] as const)
    metrics.countSecurityEvent(name);
  const families = parse(metrics.text(distinctSources(), ofFeatures));
  const flat = Object.fromEntries([...families.values()].flatMap(({ samples }) => [...samples]));

  const counted = Object.entries(flat).filter(
    ([name, value]) => !processNow.includes(name) && !name.includes('_bucket{') && value !== 0,
  );
  assert.deepEqual(Object.fromEntries(counted), {
    'orderly_http_requests_total{method="",route="",status="404"}': 2,
    'orderly_http_requests_total{method="",route="",status="500"}': 1,
    orderly_http_request_duration_seconds_sum: 6.0404,
    orderly_http_request_duration_seconds_count: 3,
    'orderly_rejections_total{reason="rate"}': 2,
    'orderly_rejections_total{reason="unavailable"}': 3,
    orderly_connections: 11,
    'orderly_connections_rejected_total{reason="full"}': 12,
    'orderly_connections_rejected_total{reason="address"}': 13,
    'orderly_connections_dropped_total{reason="pipelined"}': 4,
    'orderly_connections_dropped_total{reason="unread"}': 5,
    'orderly_cache_lookups_total{result="hit"}': 21 + 22,
    'orderly_cache_lookups_total{result="miss"}': 31 + 32,
    orderly_cache_bytes: 41 + 42,
    orderly_storage_commits_total: 51,
    orderly_storage_writes_total: 52,
    orderly_storage_sync_duration_seconds_sum: 53.5,
    orderly_storage_sync_duration_seconds_count: 9,
    orderly_storage_wal_bytes: 54,
    orderly_storage_writes_waiting: 55,
    orderly_storage_checkpoints_total: 56,
    orderly_storage_writable: 1,
    orderly_storage_writes_rejected_total: 57,
    'orderly_security_events_total{event="user_created"}': 2,
    'orderly_security_events_total{event="authz_fail"}': 1,
    orderly_rate_limit_buckets: 61,
    orderly_password_hashes_waiting: 62,
    orderly_exports_running: 81,
    'orderly_exports_ended_total{reason="complete"}': 83,
    orderly_things_running: 84,
    orderly_certificate_end_timestamp_seconds: 71,
    orderly_last_backup_timestamp_seconds: 72,
    [`orderly_build_info{version="${version}",node="${process.versions.node}"}`]: 1,
  });
  assert.deepEqual(bucketsOf(flat, 'orderly_http_request_duration_seconds'), {
    ...Object.fromEntries([0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025].map((bound) => [bound, 1])),
    ...Object.fromEntries([0.05, 0.1, 0.25, 0.5, 1, 2.5, 5].map((bound) => [bound, 2])),
    '+Inf': 3,
  });
  assert.deepEqual(bucketsOf(flat, 'orderly_storage_sync_duration_seconds'), {
    ...Object.fromEntries(newStats().syncSeconds.bounds.map((bound) => [bound, 2])),
    '+Inf': 9,
  });
  checkProcessValues(flat);
});

const delayNames = [50, 99, 100].map((each) => `orderly_event_loop_delay_seconds{percentile="${each}"}`);
/** Values of the process itself, which the test doesn't set. */
const processNow: readonly string[] = [
  ...delayNames,
  'process_resident_memory_bytes',
  'process_cpu_seconds_total',
  'process_start_time_seconds',
];

/** Compares them with the current values of the process. */
function checkProcessValues(flat: Readonly<Record<string, number>>): void {
  assert.ok(Math.abs((flat['process_start_time_seconds'] ?? 0) - performance.timeOrigin / 1000) < 5);
  const { user, system } = process.cpuUsage();
  const cpuSeconds = flat['process_cpu_seconds_total'] ?? 0;
  assert.ok(cpuSeconds > 0 && cpuSeconds <= (user + system) / 1e6);
  assert.ok((flat['process_resident_memory_bytes'] ?? 0) > process.memoryUsage().heapUsed);
  const delays = delayNames.map((name) => flat[name] ?? Number.NaN);
  assert.deepEqual(
    delays,
    delays.toSorted((a, b) => a - b),
  );
}

const ofFeatures = [gauge('orderly_things_running', 'Things of a feature under way.', 84)];

/** All numbers differ, so that no value can be mistaken for another. */
function distinctSources(): Parameters<ReturnType<typeof createMetrics>['text']>[0] {
  const stats = newStats();
  for (const seconds of [0, 0, 7, 7, 7, 7, 7, 8.5, 10]) stats.syncSeconds.add(seconds);
  return {
    connections: { open: 11, rejected: { full: 12, address: 13 } },
    caches: [
      { hits: 21, misses: 31, weight: 41 },
      { hits: 22, misses: 32, weight: 42 },
    ],
    storage: {
      ...stats,
      commits: 51,
      writes: 52,
      walBytes: 54,
      waitingWrites: 55,
      checkpoints: 56,
      rejections: 57,
    },
    buckets: 61,
    passwordsWaiting: 62,
    exports: { running: 81, ends: new Map([['complete', 83]]) },
    certificateExpiresAt: 71_500,
    lastBackupAt: 72_500,
  };
}

function bucketsOf(flat: Readonly<Record<string, number>>, name: string): Record<string, number> {
  return Object.fromEntries(
    Object.entries(flat).flatMap(([key, count]) => {
      const bound = key.startsWith(`${name}_bucket`) ? /le="([^"]+)"/.exec(key)?.[1] : undefined;
      return bound === undefined ? [] : [[bound, count]];
    }),
  );
}

test('the metrics count the orders and customers that were found in the cache', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  const { id, customerId } = await newOrder(service, token);
  const counts = async (): Promise<number[]> => {
    const family = 'orderly_cache_lookups_total';
    const found = ['hit', 'miss'].map((result) => sampleOf(service, family, `{result="${result}"}`));
    return (await Promise.all(found)).map((count) => count ?? 0);
  };
  await service.patch(`/orders/${id}`, { token, body: { note: 'changed, so no longer cached' } });
  const [hits = 0, misses = 0] = await counts();
  await service.get(`/orders/${id}`, { token });
  assert.deepEqual(await counts(), [hits, misses + 1]);
  await service.get(`/orders/${id}`, { token });
  await service.get(`/orders/${id}`, { token });
  assert.deepEqual(await counts(), [hits + 2, misses + 1]);
  await service.get(`/customers/${customerId}`, { token });
  const [hitsAfter = 0, missesAfter = 0] = await counts();
  assert.equal(hitsAfter + missesAfter, hits + misses + 4);
  const bytes = await sampleOf(service, 'orderly_cache_bytes');
  assert.ok((bytes ?? 0) > 200, `${bytes} bytes of an order and a customer`);
});

function assertHistogram(name: string, samples: ReadonlyMap<string, number>): void {
  const buckets = [...samples].filter(([key]) => key.startsWith(`${name}_bucket`));
  const limits = buckets.map(([key]) => /le="([^"]+)"/.exec(key)?.[1]);
  assert.equal(limits.at(-1), '+Inf');
  const counts = buckets.map(([, count]) => count);
  for (const numbers of [counts, limits.slice(0, -1).map(Number)])
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
  assert.equal(samples.get(`${name}_count`), counts.at(-1));
  assert.ok(samples.has(`${name}_sum`));
}

test('a blocked event loop shows for how long', async (t) => {
  const loopDelay = new LoopDelay();
  t.after(() => loopDelay.stop());
  loopDelay.sample();
  const end = performance.now() + 100;
  while (performance.now() < end);
  await until(() => loopDelay.seconds(100) > 0);
  assert.ok(loopDelay.seconds(100) >= 0.045, String(loopDelay.seconds(100)));
  assert.ok(loopDelay.seconds(50) <= loopDelay.seconds(100));
  loopDelay.reset();
  assert.equal(loopDelay.seconds(100), 0);
});

test('sampling begins with a request and ends some time after the last', async () => {
  const loopDelay = new LoopDelay();
  assert.equal(loopDelay.isSampling, false);
  loopDelay.sample();
  assert.equal(loopDelay.isSampling, true);
  await until(() => !loopDelay.isSampling);
});

test('each request starts the sampling', async (t) => {
  const service = await serviceFor(t);
  const median = /^orderly_event_loop_delay_seconds\{percentile="50"\} 0$/m;
  for (let { text } = await service.get('/metrics'); median.test(text);)
    ({ text } = await service.get('/metrics'));
});

test('a scrape shows the delays since the one before it', insideOnly, async (t) => {
  const { metrics, metricsText } =
    (await serviceFor(t)).inside?.app ?? assert.fail('it is skipped otherwise');
  metrics.loopDelay.sample();
  await until(() => metrics.loopDelay.seconds(100) > 0);
  metricsText();
  assert.equal(metrics.loopDelay.seconds(100), 0);
});
