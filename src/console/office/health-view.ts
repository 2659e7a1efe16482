// Health: what has to be looked after, and the service's metrics as lines over the last minutes.
import { type Alert, loadWebhookAlerts, metricsOf, serviceAlerts, timesOf } from './alerts.ts';
import { backupsCard } from './backups-card.ts';
import { pause } from '../parts/api-client.ts';
import { card, factList } from '../parts/cards.ts';
import { sparkline } from '../parts/charts.ts';
import { Drawing } from '../parts/drawing.ts';
import { setPageTitle, type Page } from '../parts/view.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { count, dateOnly, dateTime } from '../parts/formats.ts';
import { messageOf } from '../parts/forms.ts';
import { t } from '../parts/texts.ts';

/** The metrics at one time, by name and labels. */
type Sample = {
  readonly at: number;
  readonly values: ReadonlyMap<string, number>;
  readonly text: string;
  readonly ofWebhooks: readonly Alert[];
};

const intervalMilliseconds = 3_000;
const samplesMax = 60;
/** A line needs several values, so the first samples are taken sooner. */
const firstMilliseconds = 600;
const lineSamples = 4;

export function healthView(page: Page): void {
  const { main, signal } = page;
  const alerts = new Drawing(h('div', {}));
  const content = new Drawing(h('div', { 'aria-live': 'off' }));
  fill(
    main,
    setPageTitle(
      t('Health'),
      h('span', { class: 'soft' }, t('Measured every 3 seconds while this page is shown')),
    ),
    alerts.element,
    backupsCard(page),
    content.element,
  );
  const show = (samples: readonly Sample[]): void => {
    alerts.show(verdict(samples));
    content.show(plots(samples), facts(samples));
  };
  void follow(page, show).catch((error: unknown) => {
    if (!signal.aborted) content.show(h('p', { role: 'alert' }, messageOf(error)));
  });
}

async function follow({ client, signal }: Page, show: (samples: readonly Sample[]) => void): Promise<void> {
  const samples: Sample[] = [];
  for (;;) {
    if (!document.hidden) {
      const [response, ofWebhooks] = await Promise.all([
        client.request('GET', '/metrics', { accept: 'text/plain', signal }),
        loadWebhookAlerts(client, signal),
      ]);
      const text = await response.text();
      samples.push({ at: performance.now(), values: metricsOf(text), text, ofWebhooks });
      if (samples.length > samplesMax) samples.shift();
      show(samples);
    }
    await pause(samples.length < lineSamples ? firstMilliseconds : intervalMilliseconds, signal);
  }
}

function verdict(samples: readonly Sample[]): Child {
  const { values = new Map<string, number>(), ofWebhooks = [] } = samples.at(-1) ?? {};
  const ofService = serviceAlerts(values).map(({ text }) => h('p', { class: 'banner' }, text));
  const others = ofWebhooks.map(({ text, href }) => h('p', { class: 'banner' }, h('a', { href }, text)));
  const alerts = [...ofService, ...others];
  return alerts.length > 0 ? alerts : h('p', { class: 'well' }, t('Nothing has to be done.'));
}

function plots(samples: readonly Sample[]): Child {
  const requests = rates(samples, (sample) => sumOf(sample, 'orderly_http_requests_total'));
  const commits = rates(samples, (sample) => sumOf(sample, 'orderly_storage_commits_total'));
  const delays = gauge(samples, 'orderly_event_loop_delay_seconds{percentile="99"}', 1000);
  const syncs = ratios(samples, 'orderly_storage_sync_duration_seconds', 1000);
  const responses = ratios(samples, 'orderly_http_request_duration_seconds', 1000);
  const waiting = gauge(samples, 'orderly_storage_writes_waiting');
  const log = gauge(samples, 'orderly_storage_wal_bytes', 1 / 1_048_576);
  const connections = gauge(samples, 'orderly_connections');
  const streams = gauge(samples, 'orderly_streams');
  const line = (label: string, values: readonly number[], unit: string): HTMLElement =>
    sparkline(label, values, `${count(values.at(-1) ?? 0)}${unit}`);
  return h(
    'div',
    { class: 'sparks' },
    line(t('Requests'), requests, t(' a second')),
    line(t('Time to answer'), responses, ' ms'),
    line(t('Longest wait for the processor'), delays, ' ms'),
    line(t('Changes saved'), commits, t(' a second')),
    line(t('Time to save on disk'), syncs, ' ms'),
    line(t('Changes waiting'), waiting, ''),
    line(t('Log of changes'), log, ' MiB'),
    line(t('Connections'), connections, ''),
    line(t('Screens kept up to date'), streams, ''),
  );
}

function sumOf({ values }: Sample, name: string): number {
  let sum = 0;
  for (const [key, value] of values) if (key.startsWith(`${name}{`) || key === name) sum += value;
  return sum;
}

function gauge(samples: readonly Sample[], name: string, factor = 1): number[] {
  return samples.map(({ values }) => (values.get(name) ?? 0) * factor);
}

function rates(samples: readonly Sample[], valueOf: (sample: Sample) => number): number[] {
  return pairs(samples).map(
    ([before, now]) => ((valueOf(now) - valueOf(before)) * 1000) / (now.at - before.at),
  );
}

/** Returns the mean of a histogram between each two samples; 0 if nothing was measured. */
function ratios(samples: readonly Sample[], name: string, factor: number): number[] {
  return pairs(samples).map(([before, now]) => {
    const measured = sumOf(now, `${name}_count`) - sumOf(before, `${name}_count`);
    const sum = sumOf(now, `${name}_sum`) - sumOf(before, `${name}_sum`);
    return measured === 0 ? 0 : (sum / measured) * factor;
  });
}

function pairs(samples: readonly Sample[]): (readonly [Sample, Sample])[] {
  return samples.slice(1).flatMap((now, index) => {
    const before = samples[index];
    return before === undefined ? [] : [[before, now] as const];
  });
}

function facts(samples: readonly Sample[]): Child {
  const sample = samples.at(-1);
  if (sample === undefined) return undefined;
  const { values, text } = sample;
  const [, version = '', node = ''] = /build_info\{version="([^"]+)",node="([^"]+)"\}/.exec(text) ?? [];
  const { lastBackup, certificateEnd } = timesOf(values);
  const hits = values.get('orderly_cache_lookups_total{result="hit"}') ?? 0;
  const misses = values.get('orderly_cache_lookups_total{result="miss"}') ?? 0;
  return card(
    t('Service'),
    factList([
      [t('Version'), t('{version}, on Node {node}', { version, node })],
      [t('Certificate expires'), dateOnly(certificateEnd)],
      [t('Last backup'), lastBackup === null ? t('none that the service knows of') : dateTime(lastBackup)],
      [t('Answered from memory'), hits + misses === 0 ? '—' : `${count((hits / (hits + misses)) * 100)} %`],
      [t('Refused as too many'), count(values.get('orderly_rejections_total{reason="rate"}') ?? 0)],
      [
        t('Failed sign-ins'),
        count(values.get('orderly_security_events_total{event="authn_login_fail"}') ?? 0),
      ],
    ]),
  );
}
