// The user's own account: name, password, one-time codes, sessions, and API keys; and how other devices come to trust the
// service's certificate.
import { type Scope, scopes, type User } from '../words/api-types.ts';
import { card, factList, secret } from '../page/cards.ts';
import { roleNames } from '../words/column-names.ts';
import { notify, show } from '../forms/dialogs.ts';
import { type Child, fill, h } from '../browser/elements.ts';
import { fieldsOf, type Member } from '../forms/fields.ts';
import { action, choice, form } from '../forms/forms.ts';
import { chooseLanguage, language, languages } from '../words/language.ts';
import { askForObject } from '../page/object-form.ts';
import { isShopAsked, metaText } from '../words/page-meta.ts';
import { signOut } from '../page/sign-out.ts';
import { rich, t } from '../words/texts.ts';
import { goTo, type Page, type Reload, reloadable, setPageTitle, skeleton } from '../page/view.ts';
import { type Access, accessCards, readAccess } from './access.ts';
import { qrPicture } from './qr-picture.ts';
import { totpPart } from './totp-setup.ts';

export function accountView(page: Page): void {
  if (page.parameters.has('first')) return ownPasswordView(page);
  const content = h('div', skeleton(6));
  reloadable<Access>(page, content, {
    load: (loading) => readAccess(loading, page.user.id),
    draw: (access, reload) => accountContent(page, access, reload),
  });
  fill(page.main, setPageTitle(t('My account')), content);
}

function accountContent(page: Page, access: Access, reload: Reload): Child {
  const { user, client } = page;
  const everywhere = (): Promise<void> => signOut(page, () => client.send('DELETE', '/api/sessions'));
  return h(
    'div.columns.even',
    h(
      'div',
      card(
        t('You'),
        factList([
          [t('Name'), user.name],
          [t('E-mail'), user.email],
          [t('Role'), roleNames[user.role]],
        ]),
        action(t('Change …'), () => changeName(page)),
      ),
      card(t('Password'), passwordForm(page, { done: reload })),
      languageCard(),
    ),
    h(
      'div',
      card(t('One-time codes'), totpPart(page, access.totp, reload)),
      accessCards(page, access, {
        reload,
        sessionTool: action(t('Sign out everywhere'), everywhere),
        keyTool: action(t('New key …'), () => addKey(page, reload)),
      }),
      otherDevicesCard(),
    ),
  );
}

/** The one question at the first sign-in: others know a password that was made for somebody. */
function ownPasswordView(page: Page): void {
  const { main, user } = page;
  const next = user.role === 'admin' && isShopAsked() ? '/shop?first' : '/';
  const lead = h('p', t('Your password was made for you. Choose one that nobody else knows.'));
  const later = h('a.button', { href: `#${next}` }, t('Later'));
  const done = async (): Promise<void> => goTo(next);
  const content = h('section.card', lead, passwordForm(page, { done, others: later }));
  fill(main, setPageTitle(t('Choose your own password')), h('div.narrow', content));
  queueMicrotask(() => content.querySelector<HTMLElement>('[type="password"]')?.focus());
}

/** The choice is this device’s, as a till has one for all who work at it. */
function languageCard(): HTMLElement {
  const control = choice(Object.entries(languages), language);
  control.ariaLabel = t('Language');
  control.addEventListener('change', () => {
    chooseLanguage(control.value);
    location.reload();
  });
  return card(t('Language'), control, h('p.hint', t('On this device. The page is loaded again.')));
}

/** What people change of themselves. */
export const ownMembers: readonly Member[] = [
  { name: 'name', label: t('Name'), isRequired: true },
  { name: 'email', label: t('E-mail'), isRequired: true, attributes: { type: 'email' } },
];

async function changeName(page: Page): Promise<void> {
  const { client, user, session } = page;
  const path = `/api/users/${user.id}`;
  const known = await client.read<User>(path);
  const title = t('Change your account');
  if ((await askForObject<User>(page, { title, path, members: ownMembers, known })) === undefined) return;
  notify(t('Saved.'));
  session.dispatchEvent(new Event('user')); // the frame shows the name
}

const passwordMembers: readonly Member[] = [
  {
    name: 'currentPassword',
    label: t('Current password'),
    isRequired: true,
    isWide: true,
    attributes: { type: 'password', autocomplete: 'current-password' },
  },
  {
    name: 'password',
    label: t('New password'),
    isRequired: true,
    isWide: true,
    hint: t('Long beats complicated: 15 characters are good.'),
    attributes: { type: 'password', autocomplete: 'new-password' },
  },
];

type PasswordForm = { readonly done: () => Promise<void>; readonly others?: Child };

/** Right after a sign-in with a password that was made for the user, only the new one is asked for. */
function passwordForm(page: Page, { done, others }: PasswordForm): HTMLElement {
  const { client, session, user } = page;
  const { firstPassword: currentPassword } = session;
  const isKnown = currentPassword !== undefined;
  const fields = fieldsOf(passwordMembers.filter(({ name }) => !isKnown || name !== 'currentPassword'));
  const name = h('input', { type: 'email', autocomplete: 'username', value: user.email, hidden: true }); // for password managers
  return form([name, fields.element], {
    submit: t('Change password'),
    key: isKnown ? 'first-password' : 'password',
    others,
    async run() {
      const entered = fields.read();
      await client.send('PATCH', `/api/users/${user.id}`, { body: { currentPassword, ...entered } });
      session.usePassword(String(entered['password']));
      fields.write({ currentPassword: null, password: null });
      notify(
        isKnown
          ? t('The password is changed.')
          : t('The password is changed; your other sessions have ended.'),
      );
      await done();
    },
  });
}

const scopeTexts: Readonly<Record<Scope, string>> = {
  'orders:read': t('Read orders'),
  'orders:write': t('Place and change orders'),
  'customers:read': t('Read customers'),
  'customers:write': t('Enter and change customers'),
  'products:read': t('Read products'),
  'products:write': t('Enter and change products'),
  'events:read': t('Read what has happened'),
  'users:read': t('Read accounts'),
  'users:write': t('Create and change accounts'),
};

const keyMembers: readonly Member[] = [
  {
    name: 'name',
    label: t('What it is for'),
    isRequired: true,
    isWide: true,
    hint: t('Example: till 3'),
  },
  {
    name: 'scopes',
    label: t('What it may do'),
    kind: 'choices',
    values: scopes.map((scope) => [scope, `${scopeTexts[scope]} (${scope})`]),
    first: ['orders:read'],
  },
];

async function addKey(page: Page, reload: Reload): Promise<void> {
  const made = await askForObject<{ key: string }>(page, {
    title: t('New API key'),
    path: '/api/keys',
    members: keyMembers,
    submit: t('Create the key'),
    hasSecret: true,
  });
  if (made === undefined) return;
  await show(t('The key is created'), secret(t('Key, shown only now. It is valid for a year.'), made.key));
  await reload();
}

/** Another device doesn't reach the service by a name that each machine gives to itself. */
const namesOfThisMachine = ['localhost', '127.0.0.1', '[::1]'];

/** The page with the steps for another device, as a QR code; nothing where the certificate is not the service's own. */
function otherDevicesCard(): Child {
  const path = metaText('certificate');
  if (path === '') return undefined;
  const title = t('Phones and other devices');
  if (namesOfThisMachine.includes(location.hostname)) {
    const flag = h('code', '--host 0.0.0.0');
    const text =
      'Started with {flag}, the service says which address other devices use: open the console there for a code.';
    return card(title, h('p.soft', rich(text, { flag })));
  }
  const { href, host } = new URL(path, location.origin);
  return card(
    title,
    h(
      'p',
      t('Scan this code with a phone, or open the address on another computer: the page has the steps.'),
    ),
    qrPicture(href),
    h('p.address', h('a', { href }, `${host}${path}`)),
  );
}
