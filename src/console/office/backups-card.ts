// The backups that the service keeps, a button that makes one, and the command for a timer.
import type { KeptBackups } from '../parts/api-types.ts';
import { card, secret } from '../parts/cards.ts';
import { notify } from '../parts/dialogs.ts';
import { h } from '../parts/elements.ts';
import { count, dateTime } from '../parts/formats.ts';
import { action } from '../parts/forms.ts';
import { t } from '../parts/texts.ts';
import type { Page, Reload } from '../parts/view.ts';

export function backupsCard({ client }: Page, { command, data }: KeptBackups, reload: Reload): HTMLElement {
  const make = async (): Promise<void> => {
    await client.send('POST', '/backups');
    notify(t('The backup is made.'));
    await reload();
  };
  const rows = data.map(({ name, createdAt, bytes }) =>
    h(
      'li',
      { 'data-key': name },
      h('span', dateTime(createdAt)),
      h('code.clip.soft', name),
      h('span.soft', t('{size} MB', { size: count(Math.max(1, Math.round(bytes / 1e6))) })),
    ),
  );
  return card(
    t('Backups'),
    data.length > 0 && h('ul.rows', rows),
    h('p', action(t('Make a backup now'), make, { class: data.length === 0 ? 'primary' : undefined })),
    h(
      'p.hint',
      t(
        'The newest seven, three of a day, are in “backups” of the data folder: copy them to another disk, too.',
      ),
    ),
    secret(t('As a command, for a timer that makes one each night:'), command),
  );
}
