// The delay of the event loop: sampled while requests come, and not by an idle process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoopDelay } from '../../../src/http/telemetry/loop-delay.ts';
import { serviceFor } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';

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

test('a scrape shows the delays since the one before it', async (t) => {
  const { inside } = await serviceFor(t);
  if (inside === undefined) return t.skip('needs the inside');
  const { metrics, metricsText } = inside.app;
  metrics.loopDelay.sample();
  await until(() => metrics.loopDelay.seconds(100) > 0);
  metricsText();
  assert.equal(metrics.loopDelay.seconds(100), 0);
});
