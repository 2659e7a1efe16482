// The text of /metrics, read by a small parser of the Prometheus exposition format; and the delay of the event loop,
// sampled while requests come.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gauge } from '../../../src/base/prometheus.ts';
import { version } from '../../../src/base/version.ts';
import { LoopDelay } from '../../../src/http/telemetry/loop-delay.ts';
import { createMetrics } from '../../../src/http/telemetry/metrics.ts';
import { newStats } from '../../../src/storage/storage-stats.ts';
import { assertProblem } from '../../support/http-support.ts';
import { newOrder } from '../../support/resource-support.ts';
import { insideOnly, serviceFor, type TestService } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';

/** The samples by name and labels. Throws on text that Prometheus would not read, or would warn about. */
function parse(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  const families = new Set<string>();
  assert.ok(text.endsWith('\n'));
  for (const [block] of text.matchAll(/# HELP [^]*?(?=# HELP |$)/g)) {
    const [help = '', type = '', ...lines] = block.trimEnd().split('\n');
    const [, name = ''] = /^# HELP (\w+) \S/.exec(help) ?? [];
    const [, kind = ''] = new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`).exec(type) ?? [];
    assert.ok(name !== '' && kind !== '' && !families.has(name), block);
    families.add(name);
    assert.equal(name.endsWith('_total'), kind === 'counter', name);
    for (const line of lines) {
      const [, own = '', labels = '', value] =
        /^([a-z_]+)((?:\{(?:[a-z]+="[^"\\\n]*",?)+\})?) (-?[\d.e+-]+)$/.exec(line) ?? [];
      assert.equal(kind === 'histogram' ? own.replace(/_(bucket|sum|count)$/, '') : own, name, line);
      assert.ok(!samples.has(own + labels), line);
      samples.set(own + labels, Number(value));
    }
    if (kind === 'histogram') assertHistogram(name, samples);
  }
  return samples;
}

function assertHistogram(name: string, samples: ReadonlyMap<string, number>): void {
  const bounds: (string | undefined)[] = [];
  const counts: number[] = [];
  for (const [key, count] of samples) {
    if (!key.startsWith(`${name}_bucket`)) continue;
    bounds.push(/le="([^"]+)"/.exec(key)?.[1]);
    counts.push(count);
  }
  assert.equal(bounds.at(-1), '+Inf');
  assertAscends(counts);
  assertAscends(bounds.slice(0, -1).map(Number));
  assert.equal(samples.get(`${name}_count`), counts.at(-1));
  assert.ok(samples.has(`${name}_sum`));
}

function assertAscends(numbers: readonly number[]): void {
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => a - b),
  );
}

/** Reads a sample by its name and labels, `orderly_rejections_total{reason="rate"}`. */
async function sampled(service: TestService): Promise<(sample: string) => number> {
  const samples = parse((await service.get('/metrics')).text);
  return (sample) => samples.get(sample) ?? Number.NaN;
}

test('the metrics count the requests rejected for their rate', async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-default': '2/60' } });
  const { token } = await service.person();
  for (let index = 0; index < 5; index += 1) await service.get('/orders', { token });
  const valueOf = await sampled(service);
  assert.equal(valueOf('orderly_rejections_total{reason="rate"}'), 3);
  assert.equal(valueOf('orderly_rejections_total{reason="unavailable"}'), 0);
});

test('the metrics count the requests rejected as unavailable', insideOnly, async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  // as if something kept the WAL from being checkpointed; its real size is read some time after each sync
  const { stats = {} } = service.inside?.database ?? {};
  Object.defineProperty(stats, 'walBytes', { get: () => 1024 ** 3, set: () => {} });
  assertProblem(await service.post('/customers', { token, body: { name: 'Ada' } }), 'unavailable');
  const valueOf = await sampled(service);
  assert.equal(valueOf('orderly_rejections_total{reason="unavailable"}'), 1);
  assert.equal(valueOf('orderly_rejections_total{reason="rate"}'), 0);
});

test('the metrics are well formed, names of counters end in _total, and histograms add up', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  await newOrder(service, token);
  await service.get('/orders/999', { token });
  await service.get('/nowhere');
  // the size of the WAL is read some time after a sync
  await until(async () => (await sampled(service))('orderly_storage_wal_bytes') > 0);
  const { headers } = await service.get('/metrics');
  assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  const valueOf = await sampled(service);
  const requests = (method: string, route: string, status: number): number =>
    valueOf(`orderly_http_requests_total{method="${method}",route="${route}",status="${status}"}`);
  assert.equal(requests('POST', '/orders', 201), 1);
  assert.equal(requests('GET', '/orders/{id}', 404), 1);
  assert.equal(requests('', '', 404), 1);
  const writes = valueOf('orderly_storage_writes_total');
  const commits = valueOf('orderly_storage_commits_total');
  const syncs = valueOf('orderly_storage_sync_duration_seconds_count');
  assert.ok(
    writes >= commits && commits >= syncs && syncs >= 4,
    `${writes} ≥ ${commits} ≥ ${syncs} ≥ 4: an administrator, a user, a session, a customer and an order`,
  );
  assert.equal(valueOf('orderly_storage_writes_waiting'), 0);
});

test('each family shows the value that was counted for it', (t) => {
  const metrics = createMetrics();
  t.after(metrics.close);
  metrics.observe(undefined, 404, 0.4);
  metrics.observe(undefined, 404, 40);
  metrics.observe(undefined, 500, 6_000);
  Object.assign(metrics.rejections, { rate: 2, unavailable: 3 });
  Object.assign(metrics.dropped, { pipelined: 4, unread: 5 });
  for (const name of ['user_created', 'user_created', 'authz_fail'] as const)
    metrics.countSecurityEvent(name);
  const stats = newStats();
  for (const seconds of [0, 0, 7, 7, 7, 7, 7, 8.5, 10]) stats.syncSeconds.add(seconds);
  // all numbers differ, so that no value can be mistaken for another
  const sources = {
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
    certificateExpiresAt: 71_500,
    lastBackupAt: 72_500,
  };
  const samples = parse(metrics.text(sources, [gauge('orderly_things_running', 'Of a feature.', 84)]));
  const isCounted = ([name, value]: readonly [string, number]): boolean =>
    value !== 0 && !/^process_|_bucket\{|^orderly_event_loop/.test(name);
  assert.deepEqual(Object.fromEntries([...samples].filter(isCounted)), {
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
    orderly_things_running: 84,
    orderly_certificate_end_timestamp_seconds: 71,
    orderly_last_backup_timestamp_seconds: 72,
    [`orderly_build_info{version="${version}",node="${process.versions.node}"}`]: 1,
  });
  assert.deepEqual(bucketsOf(samples, 'orderly_http_request_duration_seconds'), {
    ...Object.fromEntries([0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025].map((bound) => [bound, 1])),
    ...Object.fromEntries([0.05, 0.1, 0.25, 0.5, 1, 2.5, 5].map((bound) => [bound, 2])),
    '+Inf': 3,
  });
  assert.deepEqual(bucketsOf(samples, 'orderly_storage_sync_duration_seconds'), {
    ...Object.fromEntries(stats.syncSeconds.bounds.map((bound) => [bound, 2])),
    '+Inf': 9,
  });
  const now = (name: string): number => samples.get(name) ?? Number.NaN;
  assert.ok(Math.abs(now('process_start_time_seconds') - performance.timeOrigin / 1000) < 5);
  const { user, system } = process.cpuUsage();
  const cpuSeconds = now('process_cpu_seconds_total');
  assert.ok(cpuSeconds > 0 && cpuSeconds <= (user + system) / 1e6);
  assert.ok(now('process_resident_memory_bytes') > process.memoryUsage().heapUsed);
  const percentiles = [50, 99, 100].map((each) => `orderly_event_loop_delay_seconds{percentile="${each}"}`);
  assertAscends(percentiles.map(now));
});

function bucketsOf(samples: ReadonlyMap<string, number>, name: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [key, count] of samples) {
    const bound = key.startsWith(`${name}_bucket`) ? /le="([^"]+)"/.exec(key)?.[1] : undefined;
    if (bound !== undefined) found[bound] = count;
  }
  return found;
}

test('the metrics count the orders and customers that were found in the cache', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  const { id, customerId } = await newOrder(service, token);
  const counts = async (): Promise<[hits: number, misses: number]> => {
    const valueOf = await sampled(service);
    const lookups = (result: string): number => valueOf(`orderly_cache_lookups_total{result="${result}"}`);
    return [lookups('hit'), lookups('miss')];
  };
  await service.patch(`/orders/${id}`, { token, body: { note: 'changed, so no longer cached' } });
  const [hits, misses] = await counts();
  for (const more of [0, 2]) {
    for (let times = 0; times < Math.max(1, more); times += 1) await service.get(`/orders/${id}`, { token });
    assert.deepEqual(await counts(), [hits + more, misses + 1]);
  }
  await service.get(`/customers/${customerId}`, { token });
  const [hitsAfter, missesAfter] = await counts();
  assert.equal(hitsAfter + missesAfter, hits + misses + 4);
  const bytes = (await sampled(service))('orderly_cache_bytes');
  assert.ok(bytes > 200, `${bytes} bytes of an order and a customer`);
});

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

test('each request starts the sampling, and a scrape shows the delays since the one before it', async (t) => {
  const service = await serviceFor(t);
  const median = 'orderly_event_loop_delay_seconds{percentile="50"}';
  await until(async () => (await sampled(service))(median) > 0);
  if (service.inside === undefined) return;
  const { metrics } = service.inside;
  await until(() => metrics.loopDelay.seconds(100) > 0);
  service.inside.metricsText();
  assert.equal(metrics.loopDelay.seconds(100), 0);
});

test('the security event of a change that can’t be saved is not reported', insideOnly, async (t) => {
  let failure: Error | null = null;
  const service = await serviceFor(t, {
    fdatasync: (_descriptor, done) => void setImmediate(done, failure),
    onFatal() {},
  });
  const { token } = await service.person();
  failure = new Error('EIO');
  const body = { name: 'till 3', scopes: ['orders:read'] };
  assertProblem(await service.post('/api/keys', { token, body }), 'unavailable');
  assert.doesNotMatch(service.logged.join(), /authn_token_created/);
});
