// Webhooks, a part of System: the programs that receive events, and the state of their deliveries.
import { eventTypes, type Webhook } from '../parts/api-types.ts';
import { factList, headedCard, secret } from '../parts/cards.ts';
import type { Page, Reload } from '../parts/view.ts';
import { askToDelete, notify, show } from '../parts/dialogs.ts';
import { type Child, h } from '../parts/elements.ts';
import { count, dateTime } from '../parts/formats.ts';
import { action } from '../parts/forms.ts';
import type { Member } from '../parts/fields.ts';
import { askForObject } from '../parts/object-form.ts';
import { typeText } from '../parts/event-words.ts';
import { failureWords } from './webhook-words.ts';
import { t } from '../parts/texts.ts';

/** Webhooks made here are about the shop; the API also sends what happens to accounts, keys and webhooks. */
const types = eventTypes.filter((type) => /^(order|customer|product)\./.test(type));

export function webhooksCard(page: Page, webhooks: readonly Webhook[], reload: Reload): HTMLElement {
  const none = t('A webhook sends each event to another program, such as the one that writes your mails.');
  return headedCard(
    [h('h2', {}, t('Webhooks')), action(t('Add a webhook'), () => addWebhook(page, reload))],
    webhooks.length === 0 && h('p', { class: 'soft' }, none),
    webhooks.map((webhook) => webhookPart(page, webhook, reload)),
  );
}

function webhookPart(page: Page, webhook: Webhook, reload: Reload): HTMLElement {
  const { id, url, types: sent, status, failingSince } = webhook;
  const isFailing = failingSince !== null;
  const state = isFailing ? t('{status}, failing', { status: t(status) }) : t(status);
  return h(
    'article',
    { 'data-key': id },
    h('h3', {}, url, ' ', h('span', { class: `pill ${isFailing ? 'failing' : status}` }, state)),
    factList(webhookFacts(webhook)),
    h('p', { class: 'soft' }, sent.map(typeText).join(', ')),
    webhookButtons(page, webhook, reload),
  );
}

function webhookFacts(webhook: Webhook): readonly (readonly [string, Child])[] {
  const { position, lastAt, failingSince, status } = webhook;
  const failing: readonly (readonly [string, Child])[] = [
    [t('Failing since'), dateTime(failingSince)],
    [t('Cause'), causeText(webhook)],
    [t('Next attempt'), nextText(webhook)],
  ];
  return [
    [t('Last response'), responseText(webhook)],
    [t('Last sent'), dateTime(lastAt)],
    ...(failingSince === null && status !== 'disabled' ? [] : failing),
    [t('Delivered up to'), t('event {position}', { position: count(position) })],
  ];
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

function responseText({ lastStatus, lastAt }: Webhook): string {
  if (lastStatus !== null) return String(lastStatus);
  return lastAt === null ? t('nothing sent yet') : t('none came');
}

function webhookButtons(page: Page, webhook: Webhook, reload: Reload): HTMLElement {
  const { status, failingSince, lastErrorCode } = webhook;
  const isEnabled = status === 'enabled';
  const mayTryAgain = isEnabled && failingSince !== null && lastErrorCode !== 'no-secret';
  const set = (to: Webhook['status']) => () => setStatus(page, webhook, { to, reload });
  return h(
    'div',
    { class: 'buttons' },
    mayTryAgain && action(t('Try again now'), set('enabled')),
    isEnabled ? action(t('Pause'), set('paused')) : action(t('Resume'), set('enabled')),
    action(t('New secret'), () => rotateSecret(page, webhook)),
    action(t('Delete …'), () => deleteWebhook(page, webhook, reload)),
  );
}

type StatusChange = { readonly to: Webhook['status']; readonly reload: Reload };

async function setStatus({ client }: Page, { id }: Webhook, { to, reload }: StatusChange): Promise<void> {
  await client.send('PATCH', `/webhooks/${id}`, { body: { status: to } });
  await reload();
}

async function rotateSecret({ client }: Page, { id }: Webhook): Promise<void> {
  const { value } = await client.send<{ secret: string }>('POST', `/webhooks/${id}/secrets`);
  const text = t('Secret, shown only now. The old one also signs for another 24 hours.');
  await show(t('New secret'), secret(text, value.secret));
}

async function deleteWebhook({ client }: Page, { id, url }: Webhook, reload: Reload): Promise<void> {
  const run = async (): Promise<void> => {
    await client.send('DELETE', `/webhooks/${id}`);
    await reload();
  };
  await askToDelete(t('Delete this webhook?'), url, run);
}

const newMembers: readonly Member[] = [
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
    values: types.map((type) => [type, `${typeText(type)} (${type})`]),
    first: types.filter((type) => type.startsWith('order.')),
  },
];

async function addWebhook({ client }: Page, reload: Reload): Promise<void> {
  const created = await askForObject<{ secret: string }>(client, {
    title: t('Add a webhook'),
    path: '/webhooks',
    members: newMembers,
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
