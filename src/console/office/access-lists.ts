// Lists of a user's sessions and API keys.
import type { Key, Session } from '../parts/api-types.ts';
import type { Page, Reload } from '../parts/view.ts';
import { askToDelete, notify } from '../parts/dialogs.ts';
import { h } from '../parts/elements.ts';
import { dateOnly, dateTime } from '../parts/formats.ts';
import { action } from '../parts/forms.ts';
import { t } from '../parts/texts.ts';

export function sessionList(page: Page, sessions: readonly Session[], reload: Reload): HTMLElement {
  if (sessions.length === 0) return h('p', { class: 'soft' }, t('Nowhere.'));
  const end = (id: number) => async (): Promise<void> => {
    await page.client.send('DELETE', `/api/sessions/${id}`);
    await reload();
  };
  const row = ({ id, userAgent, lastUsedAt }: Session): HTMLElement => {
    const isThis = id === page.session.id;
    const browser = browserName(userAgent);
    const name = h('span', { class: 'clip' }, isThis ? t('{browser} (this browser)', { browser }) : browser);
    return h(
      'li',
      { 'data-key': id },
      name,
      h('span', { class: 'soft' }, t('used {time}', { time: dateTime(lastUsedAt) })),
      !isThis && action(t('End'), end(id), { 'aria-label': t('End session {id}', { id }) }),
    );
  };
  return h('ul', { class: 'rows' }, sessions.map(row));
}

/** Returns a rough name of the browser and its system. */
function browserName(userAgent: string | null): string {
  if (userAgent === null) return t('An unnamed program');
  const browser = [
    ['Edg/', 'Edge'],
    ['Firefox/', 'Firefox'],
    ['Chrome/', 'Chrome'],
    ['Safari/', 'Safari'],
  ].find(([part = '']) => userAgent.includes(part))?.[1];
  const system = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'].find((part) =>
    userAgent.includes(part),
  );
  if (browser === undefined) return userAgent.slice(0, 40);
  return system === undefined
    ? browser
    : t('{browser} on {system}', { browser, system: system.replace('Mac OS X', 'macOS') });
}

export function keyList({ client }: Page, keys: readonly Key[], reload: Reload): HTMLElement {
  if (keys.length === 0) return h('p', { class: 'soft' }, t('None.'));
  const remove =
    ({ id, name }: Key) =>
    async (): Promise<void> => {
      const run = async (): Promise<void> => {
        await client.send('DELETE', `/api/keys/${id}`);
        notify(t('The key {name} was deleted.', { name }));
        await reload();
      };
      const text = t('Programs that use it stop working immediately.');
      await askToDelete(t('Delete the key {name}?', { name }), text, run);
    };
  const row = (key: Key): HTMLElement => {
    const expiry =
      key.expiresAt === null ? t('does not expire') : t('until {date}', { date: dateOnly(key.expiresAt) });
    return h(
      'li',
      { 'data-key': key.id },
      h('span', {}, h('strong', {}, h('bdi', {}, key.name)), ' ', h('code', {}, `${key.prefix}…`)),
      h('span', { class: 'soft' }, `${key.scopes.join(', ')} · ${expiry}`),
      action(t('Delete …'), remove(key), { 'aria-label': t('Delete the key {name}', { name: key.name }) }),
    );
  };
  return h('ul', { class: 'rows' }, keys.map(row));
}
