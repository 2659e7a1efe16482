// What an administrator has to know: a backup that is missing or old, a certificate that ends soon, and webhooks
// that fail, each a sentence with its cause, and a link to where something can be done about it; and that anybody can
// sign up.
import type { ApiClient } from '../service/api-client.ts';
import type { List, Webhook } from '../words/api-types.ts';
import { type Child, h } from '../browser/elements.ts';
import { age, dateOnly, dateTime, shortTime } from '../words/formats.ts';
import { now } from '../words/service-clock.ts';
import { hasWebhooks, metaText } from '../words/page-meta.ts';
import { undefinedIfMissing } from '../service/request-errors.ts';
import { failureWords } from './webhook-words.ts';
import { rich, t } from '../words/texts.ts';

export type Alert = { readonly text: string; readonly href: string };
export type ServiceState = {
  /** The text of `/metrics`; undefined if the service has no metrics. */
  readonly metrics: string | undefined;
  readonly webhooks: readonly Webhook[];
};

const daySeconds = 86_400;
/** A backup that is made each night is at most a day old. */
const backupDaysMax = 2;
const certificateDaysMin = 7;

export async function readState(client: ApiClient, signal: AbortSignal): Promise<ServiceState> {
  const [metrics, webhooks] = await Promise.all([readMetrics(client, signal), readWebhooks(client, signal)]);
  return { metrics, webhooks };
}

async function readMetrics(client: ApiClient, signal: AbortSignal): Promise<string | undefined> {
  const response = await client
    .request('GET', '/metrics', { accept: 'text/plain', signal })
    .catch(undefinedIfMissing);
  return response?.text();
}

async function readWebhooks(client: ApiClient, signal: AbortSignal): Promise<readonly Webhook[]> {
  return hasWebhooks ? (await client.get<List<Webhook>>('/webhooks', signal)).data : [];
}

/** What can’t be loaded has no alerts: it must not keep the page, or the other alerts, from being shown. */
export async function loadAlerts(client: ApiClient, signal: AbortSignal): Promise<readonly Alert[]> {
  const loaded = await Promise.allSettled([
    readMetrics(client, signal).then(serviceAlerts),
    readWebhooks(client, signal).then((webhooks) => webhooks.flatMap(webhookAlert)),
  ]);
  return loaded.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}

export function alertsOf({ metrics, webhooks }: ServiceState): readonly Alert[] {
  return [...serviceAlerts(metrics), ...webhooks.flatMap(webhookAlert)];
}

function serviceAlerts(metrics: string | undefined): readonly Alert[] {
  if (metrics === undefined) return [];
  const texts = [
    metricOf(metrics, 'orderly_storage_writable') === 0 &&
      t(
        'Nothing can be saved: the disk is full, or fails. Make space on it; then the service goes on by itself.',
      ),
    metaText('replica') === '' && backupText(metricOf(metrics, 'orderly_last_backup_timestamp_seconds')),
    certificateText(metricOf(metrics, 'orderly_certificate_end_timestamp_seconds')),
  ];
  return texts.flatMap((text) => (text === false ? [] : { text, href: '#/system' }));
}

/** The value of a metric by its name and labels: `orderly_connections`, `…_total{reason="rate"}`. */
export function metricOf(metrics: string, name: string): number | undefined {
  const line = metrics.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

function backupText(lastSeconds: number | undefined): string | false {
  if (lastSeconds === undefined)
    return t('There is no backup: if this machine fails, all orders and customers are lost.');
  if (nowSeconds() - lastSeconds < backupDaysMax * daySeconds) return false;
  const last = isoOf(lastSeconds);
  const values = { age: age(last), time: dateTime(last) };
  return t('The last backup is {age} old, of {time}: what came after it could be lost.', values);
}

function certificateText(endSeconds = Infinity): string | false {
  if (endSeconds - nowSeconds() >= certificateDaysMin * daySeconds) return false;
  const day = dateOnly(isoOf(endSeconds));
  return t('The service’s certificate ends on {day}: renew it before.', { day });
}

function nowSeconds(): number {
  return now().getTime() / 1_000;
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

function webhookAlert(webhook: Webhook): readonly Alert[] {
  const { id, url, status, failingSince } = webhook;
  const { host } = new URL(url);
  const cause = failureWords(webhook);
  const href = `#/webhooks/${id}`;
  if (status === 'disabled') {
    const text = t('{host} receives no more events, after too many failures: {cause}.', { host, cause });
    return [{ text, href }];
  }
  if (status === 'paused' || failingSince === null) return [];
  const since = { host, time: shortTime(failingSince), cause, next: nextAttempt(webhook) };
  return [{ text: t('{host} has received no events since {time}: {cause}. {next}', since), href }];
}

function nextAttempt({ lastErrorCode, retryAt }: Webhook): string {
  if (lastErrorCode === 'no-secret') return t('Nothing is lost.');
  return retryAt === null
    ? t('It is tried again now.')
    : t('Next attempt: {time}.', { time: shortTime(retryAt) });
}

export function alertList(alerts: readonly Alert[]): Child {
  if (alerts.length === 0) return undefined;
  const lines = alerts.map(({ text, href }) => h('li', h('a', { href }, text)));
  return h('section.banner.alerts', { 'aria-label': t('To look after') }, h('ul', lines));
}

/** What is said while registration is open. */
export function registrationHint(): Child {
  return [
    h('strong', t('Anybody who reaches this service can sign up')),
    ' ',
    rich('and place orders. If only you are to add people, say so under {shop}.', {
      shop: h('a', { href: '#/shop' }, t('Shop')),
    }),
  ];
}
