// The navigation bar: its views, and the roles that may open them.
import { type Role, roles } from '../parts/api-types.ts';
import { type App, isStaff, setPageTitle } from '../parts/view.ts';
import { roleNames } from '../parts/column-names.ts';
import { ask, notify } from '../parts/dialogs.ts';
import { button, fill, h, icon, icons } from '../parts/elements.ts';
import { documentationLink } from './documentation-link.ts';
import { findAll } from './shortcuts.ts';
import { t } from '../parts/texts.ts';

type NavigationItem = {
  readonly title: string;
  readonly icon: keyof typeof icons;
  readonly roles: readonly Role[];
  readonly isPrimary: boolean;
};
const staff = roles.filter((role) => isStaff({ user: { role } }));
const navigationItems: Readonly<Record<string, NavigationItem>> = {
  today: { title: t('Today'), icon: 'today', roles: staff, isPrimary: true },
  orders: { title: t('Orders'), icon: 'orders', roles, isPrimary: true },
  new: { title: t('New order'), icon: 'add', roles, isPrimary: true },
  customers: { title: t('Customers'), icon: 'customers', roles, isPrimary: true },
  products: { title: t('Products'), icon: 'products', roles: staff, isPrimary: false },
  figures: { title: t('Figures'), icon: 'figures', roles: staff, isPrimary: false },
  people: { title: t('People'), icon: 'people', roles: ['admin'], isPrimary: false },
  shop: { title: t('Shop'), icon: 'shop', roles: ['admin'], isPrimary: false },
  system: { title: t('System'), icon: 'system', roles: ['admin'], isPrimary: false },
  account: { title: t('My account'), icon: 'account', roles, isPrimary: false },
};

/** A view without an item is open to all roles. */
export function isAllowed(name: string, role: Role): boolean {
  const item = Object.hasOwn(navigationItems, name) ? navigationItems[name] : undefined;
  return item === undefined || item.roles.includes(role);
}

/** What the console knows from the service’s document stands after what it knows itself. */
function allowedItems({ user, own }: App): (readonly [name: string, item: NavigationItem])[] {
  const known = Object.entries(navigationItems).filter(([, { roles }]) => roles.includes(user.role));
  const others = own.map(
    ({ name, title }) => [name, { title, icon: 'products', roles, isPrimary: false }] as const,
  );
  return [...known, ...others];
}

export function navigationBar(app: App, current: string): HTMLElement[] {
  const { user } = app;
  const link = ([name, { title, icon: drawing, isPrimary }]: readonly [
    string,
    NavigationItem,
  ]): HTMLElement =>
    h(
      'a',
      {
        href: `#/${name}`,
        'aria-current': name === current && 'page',
        class: !isPrimary && 'other-item',
      },
      icon(icons[drawing]),
      h('span', title),
    );
  const allowed = allowedItems(app);
  const more = h(
    'a',
    {
      href: '#/more',
      class: 'more-item',
      'aria-current': navigationItems[current]?.isPrimary !== true && 'page',
    },
    icon(icons.more),
    h('span', t('More')),
  );
  const searches = [icon(icons.search), h('span', t('Search')), h('kbd', t('Ctrl+K'))];
  const find = button(searches, () => findAll(app), {
    class: 'find',
    title: t('Search orders, customers and products'),
  });
  const out = button(t('Sign out'), () => void signOut(app), { class: 'quiet' });
  return [
    h('a.brand', { href: '#/' }, h('span.mark', { 'aria-hidden': 'true' }), 'orderly'),
    find,
    ...allowed.map(link),
    more,
    h('div.account', h('span.clip', { dir: 'auto' }, user.name), h('span.soft', roleNames[user.role]), out),
  ];
}

async function signOut({ session, drafts }: App): Promise<void> {
  const leave = async (): Promise<void> => {
    await session.signOut();
    drafts.discardAll();
  };
  if (drafts.isEmpty) return leave().catch(() => notify(stillSignedIn));
  const content = h('p', t('A new order that is not placed yet will be lost.'));
  await ask({ title: t('Sign out?'), content, submit: t('Sign out'), dismiss: t('Stay'), run: leave });
}

const stillSignedIn = t('You are still signed in: the service can’t be reached. Try again in a moment.');

/** Lists the views that have no room in the navigation bar of a phone. */
export function moreView(page: App & { readonly main: HTMLElement }): void {
  const others = allowedItems(page).filter(([, { isPrimary }]) => !isPrimary);
  const links = others.map(([name, { title, icon: drawing }]) =>
    h('a', { href: `#/${name}` }, icon(icons[drawing]), title),
  );
  const out = button(t('Sign out {name}', { name: page.user.name }), () => void signOut(page));
  const docs = documentationLink(icon(icons.orders), t('API documentation'));
  const find = button([icon(icons.search), t('Search')], () => findAll(page));
  fill(page.main, setPageTitle(t('More'), find), h('div.more', links, docs), out);
}
