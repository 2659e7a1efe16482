// Lists of a user's sessions and API keys.
import type { Key, Session } from '../parts/api-types.ts';
import { askToDelete, notify } from '../parts/dialogs.ts';
import { type Child, h } from '../parts/elements.ts';
import { dateOnly, dateTime } from '../parts/formats.ts';
import { action } from '../parts/forms.ts';
import { tableCard } from '../parts/tables.ts';
import { t } from '../parts/texts.ts';
import type { Page, Reload } from '../parts/view.ts';

type Removal = { readonly said: string; readonly reload: Reload };

/** Deletes what is at the path, says so, and loads the page again. */
export async function remove({ client }: Page, path: string, { said, reload }: Removal): Promise<void> {
  await client.send('DELETE', path);
  notify(said);
  await reload();
}

type List<T> = { readonly rows: readonly T[]; readonly tool?: Child; readonly reload: Reload };

export function sessionsCard(page: Page, { reload, ...list }: List<Session>): HTMLElement {
  const { session } = page;
  const end = (id: number): Promise<void> =>
    remove(page, `/api/sessions/${id}`, { said: t('The session has ended.'), reload });
  const nameOf = ({ id, userAgent }: Session): string => {
    const browser = browserName(userAgent);
    return id === session.id ? t('{browser} (this browser)', { browser }) : browser;
  };
  return tableCard<Session>(t('Signed in'), {
    ...list,
    none: t('Nowhere.'),
    columns: [
      {
        label: t('Browser'),
        cell: (one) => [nameOf(one), h('div.soft', t('used {time}', { time: dateTime(one.lastUsedAt) }))],
      },
      {
        label: t('End'),
        kind: 'action',
        cell: ({ id }) =>
          id !== session.id &&
          action(t('End'), () => end(id), { 'aria-label': t('End session {id}', { id }) }),
      },
    ],
  });
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

export function keysCard(page: Page, { reload, ...list }: List<Key>): HTMLElement {
  const askToRemove = ({ id, name }: Key): Promise<void> =>
    askToDelete(
      t('Delete the key {name}?', { name }),
      t('Programs that use it stop working immediately.'),
      () => remove(page, `/api/keys/${id}`, { said: t('The key {name} was deleted.', { name }), reload }),
    );
  const reachOf = ({ scopes, expiresAt }: Key): string => {
    const end = expiresAt === null ? t('does not expire') : t('until {date}', { date: dateOnly(expiresAt) });
    return `${scopes.join(', ')} · ${end}`;
  };
  return tableCard<Key>(t('API keys'), {
    ...list,
    none: t('None.'),
    columns: [
      {
        label: t('Name'),
        cell: (key) => [
          h('span', h('strong', h('bdi', key.name)), ' ', h('code', `${key.prefix}…`)),
          h('div.soft', reachOf(key)),
        ],
      },
      {
        label: t('Delete'),
        kind: 'action',
        cell: (key) =>
          action(t('Delete …'), () => askToRemove(key), {
            'aria-label': t('Delete the key {name}', { name: key.name }),
          }),
      },
    ],
  });
}
