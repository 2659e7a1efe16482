// The navigation bar: its views, and the roles that may open them.
import { type Role, roles } from '../words/api-types.ts';
import { type App, isStaff, setPageTitle } from '../page/view.ts';
import { roleNames } from '../words/column-names.ts';
import { notify } from '../forms/dialogs.ts';
import { type Attributes, button, fill, h, icon, icons } from '../browser/elements.ts';
import { signOut } from '../page/sign-out.ts';
import { documentationLink, shopOfPage } from '../words/page-meta.ts';
import { findAll } from './shortcuts.ts';
import { t } from '../words/texts.ts';

type Item = {
  readonly title: string;
  readonly icon: keyof typeof icons;
  readonly roles: readonly Role[];
  /** Whether a phone has room for it in the bar. */
  readonly isPrimary: boolean;
};
const staff = roles.filter((role) => isStaff({ user: { role } }));
const navigationItems: Readonly<Record<string, Item>> = {
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
function allowedItems({ user, documentPages }: App): readonly (readonly [name: string, item: Item])[] {
  const others = documentPages.map(
    ({ name, title }) => [name, { title, icon: 'products', roles, isPrimary: false }] as const,
  );
  return [...Object.entries(navigationItems), ...others].filter(([, { roles }]) => roles.includes(user.role));
}

function itemLink(name: string, item: Pick<Item, 'title' | 'icon'>, attributes: Attributes): HTMLElement {
  return h('a', { href: `#/${name}`, ...attributes }, icon(icons[item.icon]), h('span', item.title));
}

export function navigationBar(app: App, current: string): HTMLElement[] {
  const { user } = app;
  const links = allowedItems(app).map(([name, item]) => {
    const isCurrent = name === current && 'page';
    return itemLink(name, item, { 'aria-current': isCurrent, class: !item.isPrimary && 'other-item' });
  });
  const isOther = navigationItems[current]?.isPrimary !== true && 'page';
  const more = itemLink(
    'more',
    { title: t('More'), icon: 'more' },
    { class: 'more-item', 'aria-current': isOther },
  );
  const searches = [icon(icons.search), h('span', t('Search')), h('kbd', t('Ctrl+K'))];
  const find = button(searches, () => findAll(app), {
    class: 'find',
    title: t('Search orders, customers and products'),
  });
  const out = button(t('Sign out'), () => signOutOrSay(app), { class: 'quiet' });
  return [
    h(
      'a.brand',
      { href: '#/' },
      h('span.mark', { 'aria-hidden': 'true' }),
      h('span.clip', { dir: 'auto' }, shopOfPage().name ?? 'orderly'),
    ),
    find,
    ...links,
    more,
    h('div.account', h('span.clip', { dir: 'auto' }, user.name), h('span.soft', roleNames[user.role]), out),
  ];
}

function signOutOrSay(app: App): void {
  void signOut(app).catch(() =>
    notify(t('You are still signed in: the service can’t be reached. Try again in a moment.')),
  );
}

/** Lists the views that have no room in the navigation bar of a phone. */
export function moreView(page: App & { readonly main: HTMLElement }): void {
  const others = allowedItems(page).filter(([, { isPrimary }]) => !isPrimary);
  const links = others.map(([name, item]) => itemLink(name, item, {}));
  const out = button(t('Sign out {name}', { name: page.user.name }), () => signOutOrSay(page));
  const docs = documentationLink(icon(icons.orders), t('API documentation'));
  const find = button([icon(icons.search), t('Search')], () => findAll(page));
  fill(page.main, setPageTitle(t('More'), find), h('div.more', links, docs), out);
}
