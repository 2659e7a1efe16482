// Customers: the list with its search, and one customer with their orders.
import { query } from '../parts/api-client.ts';
import type { Customer, List, Order } from '../parts/api-types.ts';
import { addressBlock, card, factList } from '../parts/cards.ts';
import { mailLinkOf, phoneText } from '../parts/contact-links.ts';
import {
  reloadable,
  emptyState,
  goTo,
  setPageTitle,
  type Page,
  type Reload,
  skeleton,
  printButton,
} from '../parts/view.ts';
import { customerCard } from './customer-card.ts';
import { customerMembers } from './customer-members.ts';
import { isOfPhone, shownName } from './customer-words.ts';
import { boughtFacts, readBought } from './customer-orders.ts';
import { privacyCard } from './customer-privacy.ts';
import { askToDelete, notify } from '../parts/dialogs.ts';
import { Drawing } from '../parts/drawing.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { addressLines, dateOnly } from '../parts/formats.ts';
import { action, form } from '../parts/forms.ts';
import { orderColumns } from '../orders/order-columns.ts';
import { eventList } from '../parts/event-list.ts';
import { listPage } from '../parts/list-page.ts';
import { type NamedEvent, readHistory } from '../parts/named-events.ts';
import { askForObject, objectForm } from '../parts/object-form.ts';
import { nameCell } from '../parts/resource-pages.ts';
import { type Column, pager, table } from '../parts/tables.ts';
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
      h('a', { class: 'button primary', href: '#/customers/new' }, t('New customer')),
      page.user.role === 'admin' && h('a', { class: 'button', href: '#/customers/import' }, t('Import …')),
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
    cell: ({ email }) =>
      h('span', { class: 'soft' }, h('span', { class: 'clip', dir: 'auto' }, mailText(email))),
  },
  {
    label: t('Phone'),
    kind: 'tight wide',
    cell: ({ phone }) => h('span', { class: 'soft' }, phoneText(phone)),
  },
  {
    label: t('Address'),
    cell: ({ address }) =>
      h('span', { class: 'clip', dir: 'auto' }, address && `${address.city}, ${address.line1}`),
  },
  {
    label: t('Since'),
    kind: 'tight wide',
    cell: ({ createdAt }) => h('span', { class: 'soft' }, dateOnly(createdAt)),
  },
];

/** Where there is little room, a line ends before the `@`. */
function mailText(email: string | null): Child {
  return email?.split(/(?=@)/).map((part) => [h('wbr', {}), part]);
}

function noCustomers(parameters: URLSearchParams): Child {
  if (parameters.has('q'))
    return emptyState(
      t('Nobody found'),
      t('Each word must be in the name, e-mail address, phone number, street, city or own number.'),
    );
  const add = h('a', { class: 'button primary', href: '#/customers/new' }, t('Enter the first customer'));
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
    others: h('a', { class: 'button', href: '#/customers' }, t('Cancel')),
    async run() {
      const { id, name } = await save();
      notify(t('{name} is a customer now.', { name }));
      goTo(`/customers/${id}`);
    },
  });
  fill(main, setPageTitle(t('New customer')), h('div', { class: 'narrow' }, body));
  element.querySelector('input')?.focus();
}

type CustomerDetails = {
  readonly customer: Customer;
  readonly etag: string | undefined;
  readonly orders: List<Order>;
  /** What they have bought. */
  readonly bought: readonly (readonly [string, Child])[];
  readonly events: readonly NamedEvent[];
};

export function customerView(page: Page): void {
  const { main, id } = page;
  const head = new Drawing(h('div', {}, setPageTitle(t('Customer {id}', { id }))));
  const content = h('div', {}, skeleton(8));
  reloadable(page, content, {
    load: loadCustomer,
    draw(shown, reload) {
      head.show(customerHeading(page, shown, reload));
      return customerContent(page, shown, reload);
    },
    // an order may be one of theirs
    concerns: ({ subject }) => subject === `/customers/${id}` || subject.startsWith('/orders/'),
  });
  fill(main, head.element, content);
}

async function loadCustomer(view: Page): Promise<CustomerDetails> {
  const { client, id, parameters, signal } = view;
  const path = `/customers/${id}`;
  const cursor = parameters.get('cursor');
  const page = query({ limit: 20, cursor });
  const [{ value: customer, etag }, orders, events] = await Promise.all([
    client.read<Customer>(path, signal),
    client.get<List<Order>>(`${path}/orders?${page}`, signal),
    readHistory(view, path),
  ]);
  const first = cursor === null ? orders : undefined;
  const bought = boughtFacts(await readBought(client, path, { first, signal }));
  return { customer, etag, orders, bought, events };
}

function customerHeading(
  { client }: Page,
  { customer, etag, orders }: CustomerDetails,
  reload: Reload,
): HTMLElement {
  const { id } = customer;
  const name = shownName(customer.name);
  const path = `/customers/${id}`;
  const edit = async (): Promise<void> => {
    const saved = await askForObject<Customer>(client, {
      title: t('Change {name}', { name }),
      members: customerMembers(client, id),
      path,
      known: { value: customer, etag },
    });
    if (saved === undefined) return;
    notify(t('Saved.'));
    await reload();
  };
  const remove = async (): Promise<void> => {
    const run = async (): Promise<void> => {
      await client.send('DELETE', path);
      notify(t('{name} was deleted.', { name }));
      goTo('/customers');
    };
    const text = t('A customer who is deleted can’t be restored.');
    await askToDelete(t('Delete {name}?', { name }), text, run);
  };
  return setPageTitle(
    name,
    h('a', { class: 'button primary', href: `#/new?customer=${id}` }, t('New order')),
    action(t('Change'), edit, { 'data-key': 'change' }),
    printButton(t('Card')),
    orders.data.length === 0 && action(t('Delete …'), remove, { 'data-key': 'delete' }), // refused with orders
  );
}

function customerContent(
  page: Page,
  { customer, orders, bought, events }: CustomerDetails,
  reload: Reload,
): Child {
  const { parameters } = page;
  const { id, name, email, phone, address, note, reference, createdAt } = customer;
  const facts: readonly (readonly [string, Child])[] = [
    [t('E-mail'), email === null ? '—' : h('a', { href: mailLinkOf(email) }, email)],
    [t('Phone'), phone === null ? '—' : h('a', { href: `tel:${phone}` }, phoneText(phone))],
    ...(reference === null ? [] : [[t('Own number'), reference] as const]),
    [t('Created'), dateOnly(createdAt)],
    ...bought,
  ];
  const { number, placed, bought: items, status, total } = orderColumns;
  const columnsShown = [number, placed, items, status, total];
  const content = h(
    'div',
    { class: 'columns' },
    h(
      'div',
      {},
      orders.data.length === 0
        ? card(t('Orders'), h('p', { class: 'soft' }, t('None yet.')))
        : h(
            'section',
            { class: 'card flush' },
            h(
              'h2',
              {},
              orders.next === null || parameters.has('cursor')
                ? t('Orders')
                : t('The newest {count} orders', { count: orders.data.length }),
            ),
            table(t('Orders'), columnsShown, orders.data),
          ),
      orders.data.length > 0 &&
        h(
          'p',
          { class: 'hint' },
          h('a', { href: `#/orders?customer=${id}` }, t('Search and filter their orders')),
        ),
      pager(orders.next, { label: t('Pages of their orders'), parameters, name: `customers/${id}` }),
      card(t('History'), eventList(events)),
    ),
    h(
      'div',
      {},
      card(t('Contact'), factList(facts)),
      note !== null && card(t('Note'), h('p', { class: 'text', dir: 'auto' }, note)),
      card(
        t('Address'),
        address === null
          ? h('p', { class: 'soft' }, t('None is known.'))
          : addressBlock(addressLines(address, name)),
      ),
      privacyCard(page, customer, { hasOrders: orders.data.length > 0, reload }),
    ),
  );
  return [content, customerCard(customer)];
}
