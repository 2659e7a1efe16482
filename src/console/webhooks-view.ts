// Webhooks: which programs are sent what, and how that goes.
import { pause } from './api-client.ts';
import type { List, Webhook } from './api-types.ts';
import { factList } from './cards.ts';
import { reloadable, emptyState, heading, type Page, type Reload, skeleton } from './view.ts';
import { ask, notify, secret, show } from './dialogs.ts';
import { type Child, fill, h } from './elements.ts';
import { count, dateTime } from './formats.ts';
import { action, checkRow, field } from './forms.ts';

const types = [
  ...['created', 'changed', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded'].map(
    (each) => `order.${each}`,
  ),
  ...['created', 'changed', 'deleted'].map((each) => `customer.${each}`),
];

export function webhooksView(page: Page): void {
  const { main, signal, client, live } = page;
  const content = h('div', {}, skeleton(4));
  const reload = reloadable(content, signal, {
    load: () => client.get<List<Webhook>>('/webhooks', signal),
    draw: ({ data }, reload) =>
      data.length === 0
        ? emptyState(
            'No webhooks',
            'A webhook sends each event to another program, such as the one that writes your mails.',
          )
        : data.map((webhook) => webhookCard(page, webhook, reload)),
  });
  fill(
    main,
    heading(
      'Webhooks',
      action('Add a webhook', () => addWebhook(page, reload), { class: 'primary' }),
    ),
    content,
  );
  live.watch(signal, () => void reload());
  void reload();
}

function webhookCard(page: Page, webhook: Webhook, reload: Reload): HTMLElement {
  const { client } = page;
  const { id, url, types: sent, status, position, lastStatus, lastAt, failingSince } = webhook;
  const set = (to: Webhook['status']) => async (): Promise<void> => {
    await client.send('PATCH', `/webhooks/${id}`, { body: { status: to } });
    await reload();
  };
  const rotate = async (): Promise<void> => {
    const { value } = await client.send<{ secret: string }>('POST', `/webhooks/${id}/secrets`);
    await show(
      'New secret',
      secret('Secret, shown only now. The old one signs, too, for 24 hours.', value.secret),
    );
  };
  const remove = async (): Promise<void> => {
    const run = async (): Promise<void> => {
      await client.send('DELETE', `/webhooks/${id}`);
      await reload();
    };
    await ask({
      title: 'Delete this webhook?',
      content: h('p', {}, url),
      submit: 'Delete',
      isDangerous: true,
      run,
    });
  };
  const facts: readonly (readonly [string, Child])[] = [
    [
      'Last response',
      lastStatus === null ? (lastAt === null ? 'nothing sent yet' : 'none came') : `${lastStatus}`,
    ],
    ['Last sent', dateTime(lastAt)],
    ['Failing since', dateTime(failingSince)],
    ['Delivered up to', `event ${count(position)}`],
  ];
  return h(
    'section',
    { class: 'card' },
    h(
      'header',
      { class: 'card-head' },
      h('h2', {}, url),
      h(
        'span',
        { class: `pill ${failingSince === null ? status : 'failing'}` },
        failingSince === null ? status : `${status}, failing`,
      ),
    ),
    factList(facts),
    h('p', { class: 'soft' }, sent.join(', ')),
    h(
      'div',
      { class: 'buttons' },
      status === 'enabled' &&
        failingSince !== null &&
        action('Try again now', () => tryAgain(page, webhook, reload)),
      status === 'enabled' ? action('Pause', set('paused')) : action('Go on', set('enabled')),
      action('New secret', rotate),
      action('Delete …', remove),
    ),
  );
}

const attemptSeconds = 20;

/** Waits for what comes of it: a receiver has 15 s to respond, and was perhaps tried a few seconds ago. */
async function tryAgain(page: Page, { id, lastAt }: Webhook, reload: Reload): Promise<void> {
  const { client, signal } = page;
  const path = `/webhooks/${id}`;
  let { value: now } = await client.send<Webhook>('PATCH', path, { body: { status: 'enabled' } });
  for (let seconds = 0; seconds <= attemptSeconds && now.lastAt === lastAt; seconds += 1) {
    await pause(1_000, signal);
    now = await client.get<Webhook>(path, signal);
  }
  notify(now.failingSince === null ? 'It works again.' : 'It has failed again.');
  await reload();
}

async function addWebhook({ client }: Page, reload: Reload): Promise<void> {
  const url = field({
    label: 'Address',
    pointer: '/url',
    hint: 'https:// … of a program that takes Standard Webhooks.',
    attributes: { type: 'url', inputmode: 'url' },
  });
  const boxes = types.map((type) =>
    h('input', { type: 'checkbox', id: `type-${type}`, value: type, checked: type.startsWith('order.') }),
  );
  const made: { secret?: string } = {};
  const done = await ask({
    title: 'Add a webhook',
    content: [
      url.row,
      h(
        'fieldset',
        {},
        h('legend', {}, 'Events'),
        h(
          'div',
          { class: 'grid' },
          boxes.map((box) => checkRow(box, box.value)),
        ),
      ),
    ],
    submit: 'Add',
    async run() {
      const body = {
        url: url.control.value.trim(),
        types: boxes.filter(({ checked }) => checked).map(({ value }) => value),
      };
      made.secret = (await client.send<{ secret: string }>('POST', '/webhooks', { body })).value.secret;
    },
  });
  if (!done || made.secret === undefined) return;
  notify('The webhook was added.');
  await show(
    'The webhook is added',
    secret('Secret to check its signatures with, shown only now.', made.secret),
  );
  await reload();
}
