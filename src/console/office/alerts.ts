// What an administrator has to know: a backup that is missing or old, a certificate that ends soon, and webhooks
// that fail. Each is a sentence with its cause, and a link to where something can be done about it.
import type { ApiClient } from '../parts/api-client.ts';
import type { List, Webhook } from '../parts/api-types.ts';
import { type Child, h } from '../parts/elements.ts';
import { age, dateOnly, dateTime, shortTime } from '../parts/formats.ts';
import { now } from '../parts/service-clock.ts';
import { hasWebhooks, textOfPage } from '../parts/page-text.ts';
import { failureWords } from './webhook-words.ts';
import { t } from '../parts/texts.ts';

export type Alert = { readonly text: string; readonly href: string };

const dayMilliseconds = 86_400_000;
/** A backup that is made each night is at most a day old. */
const backupDaysMax = 2;
const certificateDaysMin = 7;

/** What can’t be loaded has no alerts: it must not keep the page from being shown. */
export async function loadAlerts(client: ApiClient, signal: AbortSignal): Promise<readonly Alert[]> {
  const metrics = client
    .request('GET', '/metrics', { accept: 'text/plain', signal })
    .then((response) => response.text())
    .then((text) => serviceAlerts(metricsOf(text)));
  const loaded = await Promise.allSettled([metrics, loadWebhookAlerts(client, signal)]);
  return loaded.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}

/** Returns the metrics by name and labels: `orderly_connections`, `…_total{reason="rate"}`. */
export function metricsOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

export function serviceAlerts(metrics: ReadonlyMap<string, number>): readonly Alert[] {
  const { lastBackup, certificateEnd } = timesOf(metrics);
  const end = certificateEnd === null ? Infinity : Date.parse(certificateEnd);
  const texts = [
    metrics.get('orderly_storage_writable') === 0 &&
      t(
        'Nothing can be saved: the disk is full, or fails. Make space on it; then the service goes on by itself.',
      ),
    textOfPage('replica') === '' && backupText(lastBackup),
    end - now().getTime() < certificateDaysMin * dayMilliseconds &&
      t('The service’s certificate ends on {day}: renew it before.', { day: dateOnly(certificateEnd) }),
  ];
  return texts.flatMap((text) => (text === false ? [] : { text, href: '#/system' }));
}

type ServiceTimes = { readonly lastBackup: string | null; readonly certificateEnd: string | null };

export function timesOf(metrics: ReadonlyMap<string, number>): ServiceTimes {
  const timeOf = (name: string): string | null => {
    const seconds = metrics.get(name);
    return seconds === undefined ? null : new Date(seconds * 1_000).toISOString();
  };
  return {
    lastBackup: timeOf('orderly_last_backup_timestamp_seconds'),
    certificateEnd: timeOf('orderly_certificate_end_timestamp_seconds'),
  };
}

function backupText(last: string | null): string | false {
  if (last === null)
    return t('There is no backup: if this machine fails, all orders and customers are lost.');
  if (now().getTime() - Date.parse(last) < backupDaysMax * dayMilliseconds) return false;
  return t('The last backup is {age} old, of {time}: what came after it could be lost.', {
    age: age(last),
    time: dateTime(last),
  });
}

async function loadWebhookAlerts(client: ApiClient, signal: AbortSignal): Promise<readonly Alert[]> {
  if (!hasWebhooks) return [];
  const { data } = await client.get<List<Webhook>>('/webhooks', signal);
  return data.flatMap(webhookAlerts);
}

export function webhookAlerts(webhook: Webhook): readonly Alert[] {
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
