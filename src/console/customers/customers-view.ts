// Customers: the list with its search, and one customer with their orders.
import { query } from '../parts/api-client.ts';
import type { Customer, List, Order } from '../parts/api-types.ts';
import { addressBlock, card, factList } from '../parts/cards.ts';
import { mailLinkOf, phoneText } from '../parts/contact-links.ts';
import { emptyState, goTo, setPageTitle, type Page, type Reload, printButton } from '../parts/view.ts';
import { customerCard } from './customer-card.ts';
import { customerMembers } from './customer-members.ts';
import { isOfPhone, shownName } from './customer-words.ts';
import { boughtFacts, readBought } from './customer-orders.ts';
import { privacyCard } from './customer-privacy.ts';
import { notify } from '../parts/dialogs.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { addressLines, dateOnly } from '../parts/formats.ts';
import { form } from '../parts/forms.ts';
import { orderColumns } from '../orders/order-columns.ts';
import { listPage } from '../parts/list-page.ts';
import { objectForm } from '../parts/object-form.ts';
import { type More, resourceView } from '../parts/resource-pages.ts';
import { type Column, nameCell, pager, tableCard } from '../parts/tables.ts';
import { t } from '../parts/texts.ts';

export function customersView(page: Page): void {
  listPage<Customer>(page, {
    name: 'customers',
    title: t('Customers'),
    path: '/customers',
    searchLabel: t('Search customers'),
    filter: (parameters) => ({ sort: parameters.get('sort') ?? '-id' }),
    tabs: {
      label: t('Sorted by'),
      name: 'sort',
      values: [
        ['', t('Newest first')],
        ['name', t('By name')],
      ],
    },
    columns: ({ q }) => columns(q),
    file: 'customers.csv',
    buttons: () => [
      h('a.button.primary', { href: '#/customers/new' }, t('New customer')),
      page.user.role === 'admin' && h('a.button', { href: '#/customers/import' }, t('Import …')),
    ],
    none: noCustomers,
  });
}

const columns = (q: string): readonly Column<Customer>[] => [
  {
    label: t('Name'),
    cell: ({ id, name, email, phone }) => {
      const contact = isOfPhone(phone, q) ? phone : (email ?? phone);
      return nameCell(
        `#/customers/${id}`,
        shownName(name),
        contact === phone ? phoneText(phone) : (contact ?? ''),
      );
    },
  },
  {
    label: t('E-mail'),
    kind: 'wide',
    cell: ({ email }) => h('span.soft', h('span.clip', { dir: 'auto' }, mailText(email))),
  },
  {
    label: t('Phone'),
    kind: 'tight wide',
    cell: ({ phone }) => h('span.soft', phoneText(phone)),
  },
  {
    label: t('Address'),
    cell: ({ address }) => h('span.clip', { dir: 'auto' }, address && `${address.city}, ${address.line1}`),
  },
  {
    label: t('Since'),
    kind: 'tight wide',
    cell: ({ createdAt }) => h('span.soft', dateOnly(createdAt)),
  },
];

/** Where there is little room, a line ends before the `@`. */
function mailText(email: string | null): Child {
  return email?.split(/(?=@)/).map((part) => [h('wbr'), part]);
}

function noCustomers(parameters: URLSearchParams): Child {
  if (parameters.has('q'))
    return emptyState(
      t('Nobody found'),
      t('Each word must be in the name, e-mail address, phone number, street, city or own number.'),
    );
  const add = h('a.button.primary', { href: '#/customers/new' }, t('Enter the first customer'));
  return emptyState(
    t('No customers yet'),
    t('Everybody who orders is a customer: enter one here, or with a new order.'),
    add,
  );
}

export function newCustomerView({ main, client }: Page): void {
  const { element, save } = objectForm<Customer>(client, {
    members: customerMembers(client),
    path: '/customers',
  });
  const body = form(card(t('Customer'), element), {
    submit: t('Add customer'),
    others: h('a.button', { href: '#/customers' }, t('Cancel')),
    async run() {
      const { id, name } = await save();
      notify(t('{name} is a customer now.', { name }));
      goTo(`/customers/${id}`);
    },
  });
  fill(main, setPageTitle(t('New customer')), h('div.narrow', body));
  element.querySelector('input')?.focus();
}

export const customerView = resourceView<Customer>((page) => ({
  name: 'customers',
  title: t('Customer'),
  path: '/customers',
  members: customerMembers(page.client, page.id),
  nameOf: ({ name }) => shownName(name),
  mayChange: true,
  mayDelete: true,
  deletion: t('A customer who is deleted can’t be restored.'),
  more: ({ signal }) => readMore(page, signal),
  concerns: ({ subject }) => subject.startsWith('/orders/'), // it may be one of theirs
}));

type Bought = { readonly orders: List<Order>; readonly facts: readonly (readonly [string, Child])[] };

async function readMore(page: Page, signal: AbortSignal): Promise<More<Customer>> {
  const { client, id, parameters } = page;
  const path = `/customers/${id}`;
  const cursor = parameters.get('cursor');
  const orders = await client.get<List<Order>>(`${path}/orders?${query({ limit: 20, cursor })}`, signal);
  const first = cursor === null ? orders : undefined;
  const facts = boughtFacts(await readBought(client, path, { first, signal }));
  return {
    mayDelete: orders.data.length === 0,
    buttons: () => [
      h('a.button.primary', { href: `#/new?customer=${id}` }, t('New order')),
      printButton(t('Card')),
    ],
    content: (customer, history, reload) =>
      customerContent(page, { customer, bought: { orders, facts }, history }, reload),
  };
}

type Shown = { readonly customer: Customer; readonly bought: Bought; readonly history: Child };

function customerContent(
  page: Page,
  { customer, bought: { orders, facts: ofOrders }, history }: Shown,
  reload: Reload,
): Child {
  const { parameters } = page;
  const { id, name, email, phone, address, note, reference, createdAt } = customer;
  const facts: readonly (readonly [string, Child])[] = [
    [t('E-mail'), email === null ? '—' : h('a', { href: mailLinkOf(email) }, email)],
    [t('Phone'), phone === null ? '—' : h('a', { href: `tel:${phone}` }, phoneText(phone))],
    ...(reference === null ? [] : [[t('Own number'), reference] as const]),
    [t('Created'), dateOnly(createdAt)],
    ...ofOrders,
  ];
  const { number, placed, bought: items, status, total } = orderColumns;
  const columnsShown = [number, placed, items, status, total];
  const isAll = orders.next === null || parameters.has('cursor');
  const title = isAll ? t('Orders') : t('The newest {count} orders', { count: orders.data.length });
  const content = h(
    'div.columns',
    h(
      'div',
      tableCard(title, { none: t('None yet.'), columns: columnsShown, rows: orders.data }),
      orders.data.length > 0 &&
        h('p.hint', h('a', { href: `#/orders?customer=${id}` }, t('Search and filter their orders'))),
      pager(page, orders.next, t('Pages of their orders')),
      history,
    ),
    h(
      'div',
      card(t('Contact'), factList(facts)),
      note !== null && card(t('Note'), h('p.text', { dir: 'auto' }, note)),
      card(
        t('Address'),
        address === null ? h('p.soft', t('None is known.')) : addressBlock(addressLines(address, name)),
      ),
      privacyCard(page, customer, { hasOrders: orders.data.length > 0, reload }),
    ),
  );
  return [content, customerCard(customer)];
}
