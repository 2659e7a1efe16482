// How an account is used: its sessions and API keys, and its one-time codes.
import type { Key, List, Session, Totp } from '../words/api-types.ts';
import { headedCard } from '../page/cards.ts';
import { askToDelete, notify } from '../forms/dialogs.ts';
import { type Child, h } from '../browser/elements.ts';
import { dateOnly, dateTime } from '../words/formats.ts';
import { action } from '../forms/forms.ts';
import { undefinedIfMissing } from '../service/request-errors.ts';
import { t } from '../words/texts.ts';
import type { Page, Reload } from '../page/view.ts';

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
  const sessionRow = ({ id, userAgent, lastUsedAt }: Session): Row => {
    const browser = browserName(userAgent);
    const isThis = id === page.session.id;
    const end = () => remove(page, `/api/sessions/${id}`, { said: t('The session has ended.'), reload });
    return {
      id,
      title: isThis ? t('{browser} (this browser)', { browser }) : browser,
      about: t('used {time}', { time: dateTime(lastUsedAt) }),
      button: !isThis && action(t('End'), end, { 'aria-label': t('End session {id}', { id }) }),
    };
  };
  const keyRow = ({ id, name, prefix, scopes, expiresAt }: Key): Row => {
    const end = expiresAt === null ? t('does not expire') : t('until {date}', { date: dateOnly(expiresAt) });
    const removal = { said: t('The key {name} was deleted.', { name }), reload };
    const title = t('Delete the key {name}?', { name });
    const text = t('Programs that use it stop working immediately.');
    const ask = () => askToDelete(title, text, () => remove(page, `/api/keys/${id}`, removal));
    return {
      id,
      title: [h('strong', h('bdi', name)), ' ', h('code', `${prefix}…`)],
      about: `${scopes.join(', ')} · ${end}`,
      button: action(t('Delete …'), ask, { 'aria-label': t('Delete the key {name}', { name }) }),
    };
  };
  return [
    rowsCard({ title: t('Signed in'), tool: sessionTool, none: t('Nowhere.') }, sessions.map(sessionRow)),
    rowsCard({ title: t('API keys'), tool: keyTool, none: t('None.') }, keys.map(keyRow)),
  ];
}

type Row = { readonly id: number; readonly title: Child; readonly about: string; readonly button: Child };
type Frame = { readonly title: string; readonly tool: Child; readonly none: string };

function rowsCard({ title, tool, none }: Frame, rows: readonly Row[]): HTMLElement {
  const items = rows.map((row) =>
    h('li', { 'data-key': row.id }, h('span', row.title), row.button, h('span.soft', row.about)),
  );
  const content = rows.length === 0 ? h('p.soft', none) : h('ul.rows', items);
  return headedCard([h('h2', title), tool], content);
}

const browsers = { 'Edg/': 'Edge', 'Firefox/': 'Firefox', 'Chrome/': 'Chrome', 'Safari/': 'Safari' };
const systems = {
  Android: 'Android',
  iPhone: 'iPhone',
  iPad: 'iPad',
  Windows: 'Windows',
  'Mac OS X': 'macOS',
  Linux: 'Linux',
};

/** Returns a rough name of the browser and its system. */
function browserName(userAgent: string | null): string {
  if (userAgent === null) return t('An unnamed program');
  const firstOf = (names: Readonly<Record<string, string>>): string | undefined =>
    Object.entries(names).find(([mark]) => userAgent.includes(mark))?.[1];
  const [browser, system] = [firstOf(browsers), firstOf(systems)];
  if (browser === undefined) return userAgent.slice(0, 40);
  return system === undefined ? browser : t('{browser} on {system}', { browser, system });
}
