// How an account is used: its sessions and API keys, and its one-time codes.
import type { Key, List, Session, Totp } from '../parts/api-types.ts';
import { askToDelete, notify } from '../parts/dialogs.ts';
import { type Child, h } from '../parts/elements.ts';
import { dateOnly, dateTime } from '../parts/formats.ts';
import { action } from '../parts/forms.ts';
import { undefinedIfMissing } from '../parts/request-errors.ts';
import { tableCard } from '../parts/tables.ts';
import { t } from '../parts/texts.ts';
import type { Page, Reload } from '../parts/view.ts';

export type Access = {
  readonly sessions: readonly Session[];
  readonly keys: readonly Key[];
  readonly totp: Totp | undefined;
};

export async function readAccess({ client, signal }: Page, userId: number): Promise<Access> {
  const [sessions, keys, totp] = await Promise.all([
    client.get<List<Session>>(`/api/sessions?userId=${userId}`, signal),
    client.get<List<Key>>(`/api/keys?userId=${userId}`, signal),
    client.get<Totp>(`/api/users/${userId}/totp`, signal).catch(undefinedIfMissing),
  ]);
  return { sessions: sessions.data, keys: keys.data, totp };
}

type Removal = { readonly said: string; readonly reload: Reload };

/** Deletes what is at the path, says so, and loads the page again. */
export async function remove({ client }: Page, path: string, { said, reload }: Removal): Promise<void> {
  await client.send('DELETE', path);
  notify(said);
  await reload();
}

type Tools = { readonly reload: Reload; readonly sessionTool?: Child; readonly keyTool?: Child };

export function accessCards(page: Page, { sessions, keys }: Access, tools: Tools): HTMLElement[] {
  const { reload, sessionTool, keyTool } = tools;
  const end = (id: number) => (): Promise<void> =>
    remove(page, `/api/sessions/${id}`, { said: t('The session has ended.'), reload });
  const askToRemove = ({ id, name }: Key): Promise<void> =>
    askToDelete(
      t('Delete the key {name}?', { name }),
      t('Programs that use it stop working immediately.'),
      () => remove(page, `/api/keys/${id}`, { said: t('The key {name} was deleted.', { name }), reload }),
    );
  const isThis = ({ id }: Session): boolean => id === page.session.id;
  return [
    tableCard<Session>(t('Signed in'), {
      tool: sessionTool,
      none: t('Nowhere.'),
      rows: sessions,
      columns: [
        {
          label: t('Browser'),
          cell: (one) => {
            const browser = browserName(one.userAgent);
            const name = isThis(one) ? t('{browser} (this browser)', { browser }) : browser;
            return [name, h('div.soft', t('used {time}', { time: dateTime(one.lastUsedAt) }))];
          },
        },
        {
          label: t('End'),
          kind: 'action',
          cell: (one) =>
            !isThis(one) &&
            action(t('End'), end(one.id), { 'aria-label': t('End session {id}', { id: one.id }) }),
        },
      ],
    }),
    tableCard<Key>(t('API keys'), {
      tool: keyTool,
      none: t('None.'),
      rows: keys,
      columns: [
        {
          label: t('Name'),
          cell: (key) => [
            h('span', h('strong', h('bdi', key.name)), ' ', h('code', `${key.prefix}…`)),
            h('div.soft', `${key.scopes.join(', ')} · ${endOf(key)}`),
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
    }),
  ];
}

function endOf({ expiresAt }: Key): string {
  return expiresAt === null ? t('does not expire') : t('until {date}', { date: dateOnly(expiresAt) });
}

/** Returns a rough name of the browser and its system. */
function browserName(userAgent: string | null): string {
  if (userAgent === null) return t('An unnamed program');
  const firstOf = (names: readonly string[]): string | undefined =>
    names.find((name) => userAgent.includes(name));
  const browser = firstOf(['Edg/', 'Firefox/', 'Chrome/', 'Safari/'])
    ?.replace('Edg/', 'Edge')
    .replace('/', '');
  const system = firstOf(['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux']);
  if (browser === undefined) return userAgent.slice(0, 40);
  return system === undefined
    ? browser
    : t('{browser} on {system}', { browser, system: system.replace('Mac OS X', 'macOS') });
}
