// Webhooks: their list, a part of System, and the page of one: the program that receives events, and the state of its
// deliveries.
import { eventTypes, type Webhook } from '../words/api-types.ts';
import { card, factList, secret } from '../page/cards.ts';
import { notify, show } from '../forms/dialogs.ts';
import { type Child, h } from '../browser/elements.ts';
import { eventText } from '../words/event-words.ts';
import type { Member } from '../forms/fields.ts';
import { dateTime } from '../words/formats.ts';
import { action } from '../forms/forms.ts';
import { askForObject } from '../page/object-form.ts';
import { resourceView } from '../lists/resource-pages.ts';
import { nameCell, tableCard } from '../lists/tables.ts';
import { t } from '../words/texts.ts';
import type { Page, Reload } from '../page/view.ts';
import { failureWords } from './webhook-words.ts';

/** Webhooks made here are about the shop; the API also sends what happens to accounts, keys and webhooks. */
const types = eventTypes.filter((type) => /^(order|customer|product)\./.test(type));

const webhookMembers: readonly Member[] = [
  {
    name: 'url',
    label: t('Address'),
    isRequired: true,
    isWide: true,
    hint: t('https:// … of a program that accepts Standard Webhooks.'),
    attributes: { type: 'url', inputmode: 'url' },
  },
  {
    name: 'types',
    label: t('Events'),
    kind: 'choices',
    values: types.map((type) => [type, `${eventText(type)} (${type})`]),
    first: types.filter((type) => type.startsWith('order.')),
  },
];

export function webhooksCard(page: Page, rows: readonly Webhook[], reload: Reload): HTMLElement {
  return tableCard<Webhook>(t('Webhooks'), {
    tool: action(t('Add a webhook'), () => addWebhook(page, reload)),
    none: t('A webhook sends each event to another program, such as the one that writes your mails.'),
    columns: [
      {
        label: t('Address'),
        cell: ({ id, url, types: sent }) =>
          nameCell(`#/webhooks/${id}`, url.replace('https://', ''), eventTexts(sent)),
      },
      { label: t('Status'), kind: 'tight', cell: statusPill },
    ],
    rows,
  });
}

async function addWebhook(page: Page, reload: Reload): Promise<void> {
  const created = await askForObject<{ secret: string }>(page, {
    title: t('Add a webhook'),
    path: '/webhooks',
    members: webhookMembers,
    hasSecret: true,
  });
  if (created === undefined) return;
  notify(t('The webhook was added.'));
  await show(
    t('The webhook is added'),
    secret(t('Secret for checking its signatures, shown only now.'), created.secret),
  );
  await reload();
}

function statusPill({ status, failingSince }: Webhook): HTMLElement {
  const isFailing = failingSince !== null;
  const state = isFailing ? t('{status}, failing', { status: t(status) }) : t(status);
  return h('span', { class: `pill ${isFailing ? 'failing' : status}` }, state);
}

export const webhookView = resourceView<Webhook>((page) => ({
  name: 'system',
  path: '/webhooks',
  members: webhookMembers,
  nameOf: ({ url }) => url,
  mayChange: true,
  mayDelete: true,
  deletion: t('No more events are sent to it.'),
  everyMilliseconds: 5_000,
  more: async () => ({
    mayDelete: true,
    buttons: (webhook, reload) => webhookButtons(page, webhook, reload),
    content: (webhook) => h('div.columns', card(t('Deliveries'), factList(webhookFacts(webhook)))),
  }),
}));

function webhookFacts(webhook: Webhook): readonly (readonly [string, Child])[] {
  const { lastAt, failingSince, status, types } = webhook;
  const failing = [
    [t('Failing since'), dateTime(failingSince)],
    [t('Cause'), causeText(webhook)],
    [t('Next attempt'), nextText(webhook)],
  ] as const;
  return [
    [t('Status'), statusPill(webhook)],
    [t('Last sent'), dateTime(lastAt)],
    ...(failingSince === null && status !== 'disabled' ? [] : failing),
    [t('Events'), eventTexts(types)],
  ];
}

function eventTexts(types: readonly string[]): string {
  return types.map((type) => eventText(type)).join(', ');
}

function causeText(webhook: Webhook): string {
  const words = failureWords(webhook);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function nextText({ status, lastErrorCode, retryAt }: Webhook): string {
  if (status !== 'enabled') return t('none, as it is {status}', { status: t(status) });
  if (lastErrorCode === 'no-secret') return t('with a new secret');
  return retryAt === null ? t('now') : dateTime(retryAt);
}

function webhookButtons({ client }: Page, webhook: Webhook, reload: Reload): Child {
  const { id, status, failingSince, lastErrorCode } = webhook;
  const isEnabled = status === 'enabled';
  const mayTryAgain = isEnabled && failingSince !== null && lastErrorCode !== 'no-secret';
  const set = (to: Webhook['status']) => async (): Promise<void> => {
    await client.send('PATCH', `/webhooks/${id}`, { body: { status: to } });
    await reload();
  };
  const renew = async (): Promise<void> => {
    const { value } = await client.send<{ secret: string }>('POST', `/webhooks/${id}/secrets`);
    const text = t('Secret, shown only now. The old one also signs for another 24 hours.');
    await show(t('New secret'), secret(text, value.secret));
  };
  return [
    mayTryAgain && action(t('Try again now'), set('enabled'), { class: 'primary' }),
    isEnabled ? action(t('Pause'), set('paused')) : action(t('Resume'), set('enabled')),
    action(t('New secret'), renew),
  ];
}
