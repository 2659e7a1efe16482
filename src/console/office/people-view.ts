// People: the accounts, their roles, and an administrator's actions for them.
import { keysCard, sessionsCard } from './access-lists.ts';
import {
  type Key,
  type List,
  roles,
  type ServiceEvent,
  type Session,
  type Suspension,
  type Totp,
  type User,
} from '../parts/api-types.ts';
import { card, factList, secret } from '../parts/cards.ts';
import { undefinedIfMissing } from '../parts/request-errors.ts';
import {
  reloadable,
  emptyState,
  goTo,
  setPageTitle,
  type Page,
  type Reload,
  skeleton,
} from '../parts/view.ts';
import { ask, askToDelete, notify, show } from '../parts/dialogs.ts';
import { Drawing } from '../parts/drawing.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { dateOnly, dateTime } from '../parts/formats.ts';
import { action, choice, field, form, textOf } from '../parts/forms.ts';
import { eventList } from '../parts/event-list.ts';
import { type NamedEvent, readHistory } from '../parts/named-events.ts';
import { listPage } from '../parts/list-page.ts';
import type { Member } from '../parts/fields.ts';
import { askForObject } from '../parts/object-form.ts';
import { roleNames } from './role-names.ts';
import { registrationHint } from './registration-hint.ts';
import { isRegistrationOpen } from '../parts/page-text.ts';
import { type Column, nameCell } from '../parts/tables.ts';
import { rich, t } from '../parts/texts.ts';

const roleChoices = roles.map((role) => [role, roleNames[role]] as const);
const roleHint = t(
  'User: their own orders. Staff: all orders, customers and products. Administrator: everything.',
);

export function peopleView(page: Page): void {
  listPage<User>(
    page,
    {
      name: 'people',
      title: t('People'),
      path: '/api/users',
      searchBy: 'name',
      searchLabel: t('Search by the beginning of a name'),
      filter: () => ({ sort: 'name' }),
      columns: () => personColumns,
      buttons: (reload) => action(t('Add a person'), () => addPerson(page, reload), { class: 'primary' }),
      none: () => emptyState(t('Nobody found'), t('People are found by the beginning of their name.')),
    },
    isRegistrationOpen() && h('p.banner', registrationHint()),
  );
}

const personColumns: readonly Column<User>[] = [
  {
    label: t('Name'),
    cell: ({ id, name, email }) => nameCell(`#/people/${id}`, name, email),
  },
  { label: t('E-mail'), kind: 'wide', cell: ({ email }) => h('span.clip.soft', email) },
  { label: t('Role'), cell: ({ role }) => roleNames[role] },
  {
    label: t('Since'),
    kind: 'wide',
    cell: ({ createdAt }) => h('span.soft', dateOnly(createdAt)),
  },
];

const newMembers: readonly Member[] = [
  { name: 'name', label: t('Name'), isRequired: true },
  { name: 'email', label: t('E-mail'), isRequired: true, attributes: { type: 'email' } },
  {
    name: 'role',
    label: t('Role'),
    kind: 'choice',
    values: roleChoices,
    first: 'staff',
    isWide: true,
    hint: `${roleHint} ${t('The password is generated here and shown once.')}`,
  },
];

async function addPerson({ client }: Page, reload: Reload): Promise<void> {
  const password = newPassword();
  const added = await askForObject<User>(client, {
    title: t('Add a person'),
    path: '/api/users',
    members: newMembers,
    others: { password },
  });
  if (added === undefined) return;
  await show(
    t('{name} can sign in', { name: added.name }),
    secret(t('Password, shown only now. They should change it under My account.'), password),
  );
  await reload();
}

/** Returns 100 random bits, in letters and digits that aren't easily confused. */
function newPassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789';
  const random = crypto.getRandomValues(new Uint8Array(20));
  const text = [...random].map((byte) => letters.charAt(byte % letters.length)).join('');
  return text.replaceAll(/(.{5})(?=.)/g, '$1-');
}

type Person = {
  readonly user: User;
  readonly sessions: readonly Session[];
  readonly keys: readonly Key[];
  readonly events: readonly NamedEvent[];
  readonly suspension: Suspension | undefined;
  readonly totp: Totp | undefined;
};

export function personView(page: Page): void {
  const { main, id } = page;
  const head = new Drawing(h('div', setPageTitle(t('Person {id}', { id }))));
  const content = h('div', skeleton(8));
  reloadable(page, content, {
    load: loadPerson,
    draw(person, reload) {
      head.show(setPageTitle(person.user.name));
      return personContent(page, person, reload);
    },
    concerns: (event) => isAbout(event, id),
  });
  fill(main, head.element, content);
}

/** Events of sign-ins and keys name the user as the actor, not as the subject. */
function isAbout({ subject, actor }: ServiceEvent, id: number): boolean {
  return subject === `/api/users/${id}` || actor?.userId === id;
}

async function loadPerson(page: Page): Promise<Person> {
  const { client, signal, id } = page;
  const [user, sessions, keys, events, suspension, totp] = await Promise.all([
    client.get<User>(`/api/users/${id}`, signal),
    client.get<List<Session>>(`/api/sessions?userId=${id}`, signal),
    client.get<List<Key>>(`/api/keys?userId=${id}`, signal),
    readHistory(page, `/api/users/${id}`),
    client.get<Suspension>(`/api/users/${id}/suspension`, signal).catch(undefinedIfMissing),
    client.get<Totp>(`/api/users/${id}/totp`, signal).catch(undefinedIfMissing),
  ]);
  return {
    user,
    sessions: sessions.data,
    keys: keys.data,
    events,
    suspension,
    totp,
  };
}

function personContent(page: Page, person: Person, reload: Reload): Child {
  const { user, sessions, keys, events, suspension } = person;
  const isOwn = user.id === page.user.id;
  return [
    suspension !== undefined && suspensionBanner(suspension),
    h(
      'div.columns',
      h(
        'div',
        sessionsCard(page, { rows: sessions, reload }),
        keysCard(page, { rows: keys, reload }),
        card(t('History'), eventList(events)),
      ),
      h(
        'div',
        card(
          t('Account'),
          factList([
            [t('E-mail'), user.email],
            [t('Since'), dateOnly(user.createdAt)],
          ]),
          !isOwn && roleForm(page, user, reload),
        ),
        isOwn
          ? card(
              t('This is you'),
              h(
                'p',
                rich('{account} has your password, codes and keys.', {
                  account: h('a', { href: '#/account' }, t('My account')),
                }),
              ),
            )
          : card(t('Actions'), personActions(page, person, reload)),
      ),
    ),
  ];
}

function suspensionBanner({ createdAt, reason }: Suspension): HTMLElement {
  return h(
    'p.banner',
    t('Suspended since {time}: can’t sign in.', { time: dateTime(createdAt) }),
    reason !== null && [' ', t('Reason'), ': ', h('bdi', reason)],
  );
}

function roleForm({ client }: Page, { id, name, role }: User, reload: Reload): HTMLElement {
  const control = choice(roleChoices, role);
  const chosen = field({ label: t('Role'), pointer: '/role', control, hint: roleHint });
  const run = async (): Promise<void> => {
    await client.send('PATCH', `/api/users/${id}`, { body: { role: control.value } });
    notify(t('{name} is {role} now.', { name, role: t(control.value as User['role']) }));
    await reload();
  };
  return form(chosen.element, { submit: t('Save role'), key: `role-${role}`, run });
}

function personActions(page: Page, { user, suspension, totp, sessions }: Person, reload: Reload): Child {
  const { client } = page;
  const { id, name } = user;
  const path = `/api/users/${id}`;
  const end = async (target: string, text: string): Promise<void> => {
    await client.send('DELETE', target);
    notify(text);
    await reload();
  };
  const signOut = (): Promise<void> =>
    end(`/api/sessions?userId=${id}`, t('{name} is signed out everywhere.', { name }));
  const codesOff = (): Promise<void> => end(`${path}/totp`, t('One-time codes are off.'));
  const lift = (): Promise<void> => end(`${path}/suspension`, t('{name} may sign in again.', { name }));
  return h(
    'div.stack',
    action(t('New password …'), () => resetPassword(page, user, reload)),
    sessions.length > 0 && action(t('Sign out everywhere'), signOut),
    totp?.isOn === true && action(t('Turn one-time codes off'), codesOff),
    suspension === undefined
      ? action(t('Suspend …'), () => suspend(page, user, reload), { class: 'danger' })
      : action(t('Lift the suspension'), lift),
    action(t('Delete …'), () => deletePerson(page, user), { class: 'danger' }),
  );
}

async function deletePerson({ client }: Page, { id, name }: User): Promise<void> {
  const run = async (): Promise<void> => {
    await client.send('DELETE', `/api/users/${id}`);
    notify(t('{name} was deleted.', { name }));
    goTo('/people');
  };
  const gone = t('The account, its sessions and its API keys go for good.');
  const kept = t('Orders and customers stay, without an owner. Suspend the account instead to keep it.');
  await askToDelete(t('Delete {name}?', { name }), `${gone} ${kept}`, run);
}

async function resetPassword({ client }: Page, { id, name }: User, reload: Reload): Promise<void> {
  const text = t('{name} is signed out everywhere, and their API keys end. The new password is shown once.', {
    name,
  });
  const password = await ask({
    title: t('Create a new password?'),
    content: h('p', text),
    submit: t('Create it'),
    async run() {
      const generated = newPassword();
      await client.send('PATCH', `/api/users/${id}`, { body: { password: generated } });
      return generated;
    },
  });
  if (password === undefined) return;
  await show(t('{name} has a new password', { name }), secret(t('Password, shown only now.'), password));
  await reload();
}

async function suspend({ client }: Page, { id, name }: User, reload: Reload): Promise<void> {
  const reason = field({
    label: t('Reason'),
    pointer: '/reason',
    hint: t('For other administrators. Optional.'),
  });
  const run = async (): Promise<void> => {
    await client.send('PUT', `/api/users/${id}/suspension`, { body: { reason: textOf(reason) } });
    notify(t('{name} is suspended.', { name }));
    await reload();
  };
  const text = t('Sessions and keys end, and signing in is rejected until you lift the suspension.');
  const content = [h('p', text), reason.element];
  await ask({ title: t('Suspend {name}?', { name }), content, submit: t('Suspend'), isDangerous: true, run });
}
