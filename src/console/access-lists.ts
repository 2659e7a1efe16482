// Lists of a user's sessions and API keys.
import type { Key, Session } from './api-types.ts';
import type { Page, Reload } from './view.ts';
import { ask, notify } from './dialogs.ts';
import { h } from './elements.ts';
import { dateOnly, dateTime } from './formats.ts';
import { action } from './forms.ts';

export function sessionList(page: Page, sessions: readonly Session[], reload: Reload): HTMLElement {
  if (sessions.length === 0) return h('p', { class: 'soft' }, 'Nowhere.');
  const end = (id: number) => async (): Promise<void> => {
    await page.client.send('DELETE', `/api/sessions/${id}`);
    await reload();
  };
  const row = ({ id, userAgent, lastUsedAt }: Session): HTMLElement => {
    const isThis = id === page.session.id;
    const name = h('span', { class: 'clip' }, browserName(userAgent), isThis && ' (this browser)');
    return h(
      'li',
      { 'data-key': id },
      name,
      h('span', { class: 'soft' }, `used ${dateTime(lastUsedAt)}`),
      !isThis && action('End', end(id), { 'aria-label': `End session ${id}` }),
    );
  };
  return h('ul', { class: 'rows' }, sessions.map(row));
}

/** Returns a rough name of the browser and its system. */
function browserName(userAgent: string | null): string {
  if (userAgent === null) return 'An unnamed program';
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
  return system === undefined ? browser : `${browser} on ${system.replace('Mac OS X', 'macOS')}`;
}

export function keyList({ client }: Page, keys: readonly Key[], reload: Reload): HTMLElement {
  if (keys.length === 0) return h('p', { class: 'soft' }, 'None.');
  const remove =
    ({ id, name }: Key) =>
    async (): Promise<void> => {
      const run = async (): Promise<void> => {
        await client.send('DELETE', `/api/keys/${id}`);
        notify(`The key ${name} was deleted.`);
        await reload();
      };
      const content = h('p', {}, 'Programs that use it stop working immediately.');
      await ask({ title: `Delete the key ${name}?`, content, submit: 'Delete', isDangerous: true, run });
    };
  const row = (key: Key): HTMLElement => {
    const expiry = key.expiresAt === null ? 'does not expire' : `until ${dateOnly(key.expiresAt)}`;
    return h(
      'li',
      { 'data-key': key.id },
      h('span', {}, h('strong', {}, h('bdi', {}, key.name)), ' ', h('code', {}, `${key.prefix}…`)),
      h('span', { class: 'soft' }, `${key.scopes.join(', ')} · ${expiry}`),
      action('Delete …', remove(key), { 'aria-label': `Delete the key ${key.name}` }),
    );
  };
  return h('ul', { class: 'rows' }, keys.map(row));
}
