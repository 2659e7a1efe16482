// People: the accounts, their roles, and an administrator's actions for them.
import { roles, type Suspension, type User } from '../words/api-types.ts';
import { card, factList, secret } from '../page/cards.ts';
import { roleNames } from '../words/column-names.ts';
import { ask, notify, show } from '../forms/dialogs.ts';
import { type Child, h } from '../browser/elements.ts';
import type { Member } from '../forms/fields.ts';
import { newPassword } from '../service/first-passwords.ts';
import { dateOnly, dateTime } from '../words/formats.ts';
import { action, field, textOf } from '../forms/forms.ts';
import { listPage } from '../lists/list-page.ts';
import { askForObject } from '../page/object-form.ts';
import { isRegistrationOpen } from '../words/page-meta.ts';
import { undefinedIfMissing } from '../service/request-errors.ts';
import { type More, resourceView } from '../lists/resource-pages.ts';
import { type Column, nameCell } from '../lists/tables.ts';
import { rich, t } from '../words/texts.ts';
import { emptyState, type Page, type Reload } from '../page/view.ts';
import { type Access, accessCards, readAccess, remove } from './access.ts';
import { ownMembers } from './account-view.ts';
import { registrationHint } from './alerts.ts';

const roleHint = t(
  'User: their own orders. Staff: all orders, customers and products. Administrator: everything.',
);
const personMembers: readonly Member[] = [
  ...ownMembers,
  {
    name: 'role',
    label: t('Role'),
    kind: 'choice',
    values: roles.map((role) => [role, roleNames[role]]),
    first: 'staff',
    isWide: true,
    hint: roleHint,
  },
];

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
  { label: t('Name'), cell: ({ id, name, email }) => nameCell(`#/people/${id}`, name, email) },
  { label: t('E-mail'), kind: 'wide', cell: ({ email }) => h('span.clip.soft', email) },
  { label: t('Role'), cell: ({ role }) => roleNames[role] },
  { label: t('Since'), kind: 'wide', cell: ({ createdAt }) => h('span.soft', dateOnly(createdAt)) },
];

async function addPerson(page: Page, reload: Reload): Promise<void> {
  const password = newPassword();
  const added = await askForObject<User>(page, {
    title: t('Add a person'),
    path: '/api/users',
    members: personMembers,
    others: { password },
  });
  if (added === undefined) return;
  void reload(); // behind the dialog
  await showPassword(t('{name} can sign in', { name: added.name }), added, password);
}

/** Shows what somebody has to be told: the console's address and the password, which they are then asked to change. */
function showPassword(title: string, { email }: User, password: string): Promise<void> {
  const address = h('code', location.origin + location.pathname);
  const told: Child = rich('They sign in at {address} with {email}.', { address, email: h('bdi', email) });
  return show(title, [h('p', told), secret(t('Password, shown only now.'), password)]);
}

export const personView = resourceView<User>((page) => {
  const isOther = page.id !== page.user.id;
  return {
    name: 'people',
    path: '/api/users',
    members: personMembers,
    nameOf: ({ name }) => name,
    mayChange: isOther,
    mayDelete: isOther,
    deletion: [
      t('The account, its sessions and its API keys go for good.'),
      t('Orders and customers stay, without an owner. Suspend the account instead to keep it.'),
    ].join(' '),
    more: readPerson,
    // events of sign-ins and keys name the user as the actor, not as the subject
    concerns: ({ actor }) => actor?.userId === page.id,
  };
});

type Person = Access & { readonly suspension: Suspension | undefined };

async function readPerson(page: Page): Promise<More<User>> {
  const { client, signal, id, user } = page;
  const read = client.get<Suspension>(`/api/users/${id}/suspension`, signal);
  const [access, suspension] = await Promise.all([readAccess(page, id), read.catch(undefinedIfMissing)]);
  const person = { ...access, suspension };
  return {
    mayDelete: true,
    buttons: (one, reload) => id !== user.id && personButtons(page, one, { ...person, reload }),
    content: (one, history, reload) => [
      suspension !== undefined && suspensionBanner(suspension),
      h('div.columns', h('div', accountCard(one, user), accessCards(page, access, { reload })), history),
    ],
  };
}

/** Signing out everywhere and turning codes off are there if there is something to end. */
function personButtons(page: Page, user: User, person: Person & { readonly reload: Reload }): Child {
  const { client } = page;
  const { sessions, totp, suspension, reload } = person;
  const { id, name } = user;
  const removal = (path: string, said: string) => () => remove(page, path, { said, reload });
  const everywhere = removal(`/api/sessions?userId=${id}`, t('{name} is signed out everywhere.', { name }));
  const codes = removal(`/api/users/${id}/totp`, t('One-time codes are off.'));
  const lift = removal(`/api/users/${id}/suspension`, t('{name} may sign in again.', { name }));
  return [
    suspension !== undefined && action(t('Lift the suspension'), lift, { class: 'primary' }),
    action(t('New password …'), () => resetPassword(client, user, reload)),
    sessions.length > 0 && action(t('Sign out everywhere'), everywhere),
    totp?.isOn === true && action(t('Turn one-time codes off'), codes),
    suspension === undefined && action(t('Suspend …'), () => suspend(client, user, reload)),
  ];
}

function accountCard({ id, email, role, createdAt }: User, own: User): HTMLElement {
  const account = h('a', { href: '#/account' }, t('My account'));
  return card(
    t('Account'),
    factList([
      [t('E-mail'), email],
      [t('Role'), roleNames[role]],
      [t('Since'), dateOnly(createdAt)],
    ]),
    id === own.id && h('p', rich('{account} has your password, codes and keys.', { account })),
  );
}

function suspensionBanner({ createdAt, reason }: Suspension): HTMLElement {
  return h(
    'p.banner',
    t('Suspended since {time}: can’t sign in.', { time: dateTime(createdAt) }),
    reason !== null && [' ', t('Reason'), ': ', h('bdi', reason)],
  );
}

type Client = Page['client'];

async function resetPassword(client: Client, user: User, reload: Reload): Promise<void> {
  const { id, name } = user;
  const text = t('{name} is signed out everywhere, and their API keys end. The new password is shown once.', {
    name,
  });
  const password = newPassword();
  const changed = await ask({
    title: t('Create a new password?'),
    content: h('p', text),
    submit: t('Create it'),
    run: () => client.send('PATCH', `/api/users/${id}`, { body: { password } }),
  });
  if (changed === undefined) return;
  await showPassword(t('{name} has a new password', { name }), user, password);
  await reload();
}

async function suspend(client: Client, { id, name }: User, reload: Reload): Promise<void> {
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
