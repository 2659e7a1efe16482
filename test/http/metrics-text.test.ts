// The text of /metrics, read by a small parser of the Prometheus exposition format.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newOrder } from '../resources/resource-support.ts';
import { serviceFor } from '../service.ts';

type Family = { readonly type: string; readonly samples: Map<string, number> };

/** Throws on what Prometheus would not read, or would blame. */
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

test('the metrics count the requests refused for their rate', async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-default': '2/60' } });
  const { token } = await service.person();
  for (let index = 0; index < 5; index += 1) await service.get('/orders', { token });
  const refusals = parse((await service.get('/metrics')).text).get('orderly_refusals_total')?.samples;
  assert.equal(refusals?.get('orderly_refusals_total{reason="rate"}'), 3);
  assert.equal(refusals.get('orderly_refusals_total{reason="unavailable"}'), 0);
});

test('the metrics are well formed, counters say so in their names, and histograms add up', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person();
  await newOrder(service, token);
  await service.get('/orders/999', { token });
  await service.get('/nowhere');
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
  const syncs =
    families
      .get('orderly_storage_sync_duration_seconds')
      ?.samples.get('orderly_storage_sync_duration_seconds_count') ?? 0;
  assert.ok(
    writes >= commits && commits >= syncs && syncs >= 4,
    `${writes} ≥ ${commits} ≥ ${syncs} ≥ 4: an administrator, a user, a session, a customer and an order`,
  );
  assert.equal(value('orderly_storage_writes_waiting'), 0);
  assert.ok((value('orderly_storage_log_bytes') ?? 0) > 0);
  assert.ok((value('process_resident_memory_bytes') ?? 0) > 2 ** 24);
});

function assertHistogram(name: string, samples: ReadonlyMap<string, number>): void {
  const buckets = [...samples].filter(([key]) => key.startsWith(`${name}_bucket`));
  const limits = buckets.map(([key]) => /le="([^"]+)"/.exec(key)?.[1]);
  assert.equal(limits.at(-1), '+Inf');
  const counts = buckets.map(([, count]) => count);
  assert.deepEqual(
    counts,
    counts.toSorted((a, b) => a - b),
  );
  assert.deepEqual(
    limits.slice(0, -1).map(Number),
    limits
      .slice(0, -1)
      .map(Number)
      .sort((a, b) => a - b),
  );
  assert.equal(samples.get(`${name}_count`), counts.at(-1));
  assert.ok(samples.has(`${name}_sum`));
}
