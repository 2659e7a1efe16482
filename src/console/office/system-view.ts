// System: what has to be looked after, backups, webhooks, and who has signed in, for administrators.
import { eventTypes, type KeptBackups } from '../words/api-types.ts';
import { card, factList, secret } from '../page/cards.ts';
import { notify } from '../forms/dialogs.ts';
import { type Child, fill, h } from '../browser/elements.ts';
import { eventList, latestShown, type NamedEvent, readLatest } from '../page/event-list.ts';
import { count, dateTime } from '../words/formats.ts';
import { action } from '../forms/forms.ts';
import { hasWebhooks } from '../words/page-meta.ts';
import { t } from '../words/texts.ts';
import { type Page, type Reload, reloadable, setPageTitle, skeleton } from '../page/view.ts';
import { alertsOf, metricOf, readState, type ServiceState } from './alerts.ts';
import { webhooksCard } from './webhook-view.ts';

type System = ServiceState & { readonly backups: KeptBackups; readonly accesses: readonly NamedEvent[] };

/** Sign-ins, keys and accounts; sessions and keys are ended on the page of their person. */
const accessTypes = eventTypes.filter((type) => /^(session|key|user)\./.test(type));

export function systemView(page: Page): void {
  const content = h('div', skeleton(8));
  reloadable<System>(page, content, {
    load: loadSystem,
    draw: (system, reload) => systemContent(page, system, reload),
    concerns: ({ type }) => /^(session|key|user|webhook)\./.test(type),
    // a full disk leaves no event, nor does a delivery that fails, or a backup that is made on the command line
    everyMilliseconds: 5_000,
  });
  fill(page.main, setPageTitle(t('System')), content);
}

async function loadSystem(page: Page): Promise<System> {
  const { client, signal } = page;
  const [state, backups, accesses] = await Promise.all([
    readState(client, signal),
    client.get<KeptBackups>('/backups', signal),
    readLatest(page, accessTypes),
  ]);
  return { ...state, backups, accesses };
}

function systemContent(page: Page, system: System, reload: Reload): Child {
  const { metrics, backups, webhooks, accesses } = system;
  const alerts = alertsOf(system);
  const ending = t('Sessions and keys are ended under People, on the page of who has them.');
  return [
    alerts.map(({ text }) => h('p.banner', text)),
    alerts.length === 0 &&
      metrics !== undefined &&
      h('p.well', t('Nothing has to be done, if the newest backup is on another disk, too.')),
    h(
      'div.columns.even',
      h('div', backupsCard(page, backups, reload), metrics !== undefined && serviceCard(metrics)),
      h(
        'div',
        hasWebhooks && webhooksCard(page, webhooks, reload),
        card(
          t('Sign-ins, keys and accounts'),
          eventList(accesses, { linesMax: latestShown }),
          h('p.hint', ending),
        ),
      ),
    ),
  ];
}

function backupsCard({ client }: Page, { command, data }: KeptBackups, reload: Reload): HTMLElement {
  const make = async (): Promise<void> => {
    await client.send('POST', '/backups');
    notify(t('The backup is made.'));
    await reload();
  };
  const rows = data.map(({ name, createdAt, bytes }) => {
    const size = t('{size} MB', { size: count(Math.max(1, Math.round(bytes / 1e6))) });
    return h('li', { 'data-key': name }, dateTime(createdAt), h('span', size), h('code.clip.soft', name));
  });
  const copying = t(
    'The newest seven, three of a day, are in “backups” of the data folder: copy them to another disk, too.',
  );
  return card(
    t('Backups'),
    data.length > 0 && h('ul.rows', rows),
    h('p', action(t('Make a backup now'), make, { class: data.length === 0 ? 'primary' : undefined })),
    h('p.hint', copying),
    secret(t('As a command, for a timer that makes one each night:'), command),
  );
}

function serviceCard(metrics: string): HTMLElement {
  const [, version = '', node = ''] = /build_info\{version="([^"]+)",node="([^"]+)"\}/.exec(metrics) ?? [];
  const failed = metricOf(metrics, 'orderly_security_events_total{event="authn_login_fail"}') ?? 0;
  return card(
    t('Service'),
    factList([
      [t('Version'), t('{version}, on Node {node}', { version, node })],
      [t('Failed sign-ins since the start'), count(failed)],
    ]),
  );
}
