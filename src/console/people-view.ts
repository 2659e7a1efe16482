// People: who may sign in, what they may do, and what an administrator can do for them.
import { keyList, sessionList } from './access-lists.ts';
import { query, undefinedIfMissing } from './api-client.ts';
import type { Key, List, Role, ServiceEvent, Session, Totp, User } from './api-types.ts';
import { card, factList } from './cards.ts';
import { reloadable, emptyState, heading, type Page, type Reload, skeleton } from './view.ts';
import { ask, notify, secret, show } from './dialogs.ts';
import { type Child, fill, h } from './elements.ts';
import { dateOnly, dateTime } from './formats.ts';
import { action, choice, field, textOf } from './forms.ts';
import { eventList, PeopleNames } from './event-list.ts';
import { searchField } from './list-tools.ts';
import { type Column, pager, rowLink, table } from './tables.ts';

const roles: readonly (readonly [Role, string])[] = [
  ['user', 'user: their own orders'],
  ['staff', 'staff: all orders and customers'],
  ['admin', 'admin: everything'],
];

export function peopleView(page: Page): void {
  const { main, signal, parameters, client, live } = page;
  const list = h('div', { class: 'list' }, skeleton(8));
  const reload = reloadable(list, signal, {
    load: () => client.get<List<User>>(`/api/users?${listQuery(parameters)}`, signal),
    draw: ({ data, next }) => [
      data.length === 0
        ? emptyState('Nobody found', 'People are found by the beginning of their name.')
        : table('People', columns, data),
      pager(next, { label: 'Pages of people', parameters, name: 'people' }),
    ],
  });
  fill(
    main,
    heading(
      'People',
      action('Add a person', () => addPerson(page, reload), { class: 'primary' }),
    ),
    h(
      'div',
      { class: 'toolbar' },
      searchField(page, 'people', { label: 'Search by the beginning of a name', reload }),
    ),
    list,
  );
  live.watch(signal, (events) => {
    if (events.length === 0) void reload();
  });
  void reload();
}

function listQuery(parameters: URLSearchParams): string {
  const name = parameters.get('q') ?? undefined;
  return query({ name, cursor: parameters.get('cursor') ?? undefined, sort: 'name', limit: 50 });
}

const columns: readonly Column<User>[] = [
  { label: 'Name', cell: ({ id, name }) => rowLink(`#/people/${id}`, h('span', { class: 'clip' }, name)) },
  { label: 'E-mail', kind: 'wide', cell: ({ email }) => h('span', { class: 'clip soft' }, email) },
  { label: 'Role', cell: ({ role }) => role },
  {
    label: 'Since',
    kind: 'wide',
    cell: ({ createdAt }) => h('span', { class: 'soft' }, dateOnly(createdAt)),
  },
];

async function addPerson({ client }: Page, reload: Reload): Promise<void> {
  const name = field({ label: 'Name', pointer: '/name' });
  const email = field({ label: 'E-mail', pointer: '/email', attributes: { type: 'email' } });
  const role = field({ label: 'Role', pointer: '/role', control: choice(roles, 'staff') });
  const password = newPassword();
  const done = await ask({
    title: 'Add a person',
    content: [
      name.row,
      email.row,
      role.row,
      h('p', { class: 'soft' }, 'The password is made here and shown once.'),
    ],
    submit: 'Add',
    async run() {
      const body = {
        name: textOf(name) ?? '',
        email: textOf(email) ?? '',
        role: role.control.value,
        password,
      };
      await client.send('POST', '/api/users', { body });
    },
  });
  if (!done) return;
  await show(
    `${name.control.value} can sign in`,
    secret('Password, shown only now. They should change it under My account.', password),
  );
  await reload();
}

/** 100 bits, in letters and digits that aren't easily confused. */
function newPassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789';
  const random = crypto.getRandomValues(new Uint8Array(20));
  const text = [...random].map((byte) => letters.charAt(byte % letters.length)).join('');
  return text.replaceAll(/(.{5})(?=.)/g, '$1-');
}

type Shown = {
  readonly user: User;
  readonly sessions: readonly Session[];
  readonly keys: readonly Key[];
  readonly events: readonly ServiceEvent[];
  readonly names: ReadonlyMap<number, string>;
  readonly suspendedAt: string | undefined;
  readonly totp: Totp | undefined;
};

export function personView(page: Page): void {
  const { main, signal, id, live } = page;
  const names = new PeopleNames(page);
  const head = h('div', {}, heading(`Person ${id}`));
  const content = h('div', {}, skeleton(8));
  const reload = reloadable(content, signal, {
    load: () => load(page, names),
    draw(shown, reload) {
      fill(head, heading(shown.user.name));
      return personContent(page, shown, reload);
    },
  });
  fill(main, head, content);
  live.watch(signal, (events) => {
    if (events.length === 0 || events.some((event) => isAbout(event, id))) void reload();
  });
  void reload();
}

/** The subject of sign-ins and keys has another id; their actor is the user. */
function isAbout({ subject, actor }: ServiceEvent, id: number): boolean {
  return subject === `/api/users/${id}` || actor?.userId === id;
}

async function load({ client, signal, id }: Page, names: PeopleNames): Promise<Shown> {
  const [user, sessions, keys, events, suspension, totp] = await Promise.all([
    client.get<User>(`/api/users/${id}`, signal),
    client.get<List<Session>>(`/api/sessions?userId=${id}`, signal),
    client.get<List<Key>>(`/api/keys?userId=${id}`, signal),
    client.get<List<ServiceEvent>>(`/api/users/${id}/events?limit=20`, signal),
    client.get<{ createdAt: string }>(`/api/users/${id}/suspension`, signal).catch(undefinedIfMissing),
    client.get<Totp>(`/api/users/${id}/totp`, signal).catch(undefinedIfMissing),
  ]);
  const suspendedAt = suspension?.createdAt;
  return {
    user,
    sessions: sessions.data,
    keys: keys.data,
    events: events.data,
    names: await names.of(events.data),
    suspendedAt,
    totp,
  };
}

function personContent(page: Page, shown: Shown, reload: Reload): Child {
  const { user, sessions, keys, events, names, suspendedAt } = shown;
  const isOneself = user.id === page.user.id;
  return [
    suspendedAt !== undefined &&
      h('p', { class: 'banner' }, `Suspended since ${dateTime(suspendedAt)}: can’t sign in.`),
    h(
      'div',
      { class: 'columns' },
      h(
        'div',
        {},
        card('Signed in', sessionList(page, sessions, reload)),
        card('API keys', keyList(page, keys, reload)),
        card('History', eventList(events, names)),
      ),
      h(
        'div',
        {},
        card(
          'Account',
          factList([
            ['E-mail', user.email],
            ['Since', dateOnly(user.createdAt)],
          ]),
          !isOneself && roleForm(page, user, reload),
        ),
        isOneself
          ? card(
              'This is you',
              h('p', {}, h('a', { href: '#/account' }, 'My account'), ' has your password, codes and keys.'),
            )
          : card('Actions', personActions(page, shown, reload)),
      ),
    ),
  ];
}

function roleForm({ client }: Page, { id, name, role }: User, reload: Reload): HTMLElement {
  const control = choice(roles, role);
  const chosen = field({ label: 'Role', pointer: '/role', control });
  const save = async (): Promise<void> => {
    await client.send('PATCH', `/api/users/${id}`, { body: { role: control.value } });
    notify(`${name} is ${control.value} now.`);
    await reload();
  };
  return h('div', { class: 'inline' }, chosen.row, action('Save role', save));
}

function personActions(
  { client }: Page,
  { user, suspendedAt, totp, sessions }: Shown,
  reload: Reload,
): Child {
  const { id, name } = user;
  const path = `/api/users/${id}`;
  const then = async (text: string): Promise<void> => {
    notify(text);
    await reload();
  };
  const resetPassword = async (): Promise<void> => {
    const password = newPassword();
    const run = async (): Promise<void> => void (await client.send('PATCH', path, { body: { password } }));
    const content = h(
      'p',
      {},
      `${name} is signed out everywhere, and their API keys end. The new password is shown once.`,
    );
    if (!(await ask({ title: 'Make a new password?', content, submit: 'Make it', run }))) return;
    await show(`${name} has a new password`, secret('Password, shown only now.', password));
    await reload();
  };
  const suspend = async (): Promise<void> => {
    const reason = field({
      label: 'Reason',
      pointer: '/reason',
      hint: 'For other administrators. Optional.',
    });
    const run = async (): Promise<void> => {
      await client.send('PUT', `${path}/suspension`, { body: { reason: textOf(reason) } });
      await then(`${name} is suspended.`);
    };
    const content = [
      h('p', {}, 'Sessions and keys end, and signing in is rejected until you lift it.'),
      reason.row,
    ];
    await ask({ title: `Suspend ${name}?`, content, submit: 'Suspend', isDangerous: true, run });
  };
  const lift = async (): Promise<void> => {
    await client.send('DELETE', `${path}/suspension`);
    await then(`${name} may sign in again.`);
  };
  const signOut = async (): Promise<void> => {
    await client.send('DELETE', `/api/sessions?userId=${id}`);
    await then(`${name} is signed out everywhere.`);
  };
  const codesOff = async (): Promise<void> => {
    await client.send('DELETE', `${path}/totp`);
    await then('One-time codes are off.');
  };
  return h(
    'div',
    { class: 'stack' },
    action('New password …', resetPassword),
    sessions.length > 0 && action('Sign out everywhere', signOut),
    totp !== undefined && action('Turn one-time codes off', codesOff),
    suspendedAt === undefined
      ? action('Suspend …', suspend, { class: 'danger' })
      : action('Lift the suspension', lift),
  );
}
