// Customers: the list with its search, and one customer with their orders.
import { query } from '../parts/api-client.ts';
import type { Customer, CustomerContent, List, Order } from '../parts/api-types.ts';
import { addressBlock, card, factList } from '../parts/cards.ts';
import { changedIn, saverOf } from '../parts/conflicts.ts';
import { mailLinkOf } from '../parts/contact-links.ts';
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
import { CustomerFields } from './customer-fields.ts';
import { isOfPhone, shownName } from './customer-words.ts';
import { boughtFacts, readBought } from './customer-orders.ts';
import { privacyCard } from './customer-privacy.ts';
import { ask, askToDelete, notify } from '../parts/dialogs.ts';
import { Drawing } from '../parts/drawing.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { addressLines, dateOnly } from '../parts/formats.ts';
import { action, form } from '../parts/forms.ts';
import { orderColumns } from '../orders/order-columns.ts';
import { eventList } from '../parts/event-list.ts';
import { type NamedEvent, readHistory } from '../parts/named-events.ts';
import { csvButton } from '../parts/list-file.ts';
import { type FoundRows, searchField, tabLinks } from '../parts/list-tools.ts';
import { type Column, inPlace, pager, rowLink, table } from '../parts/tables.ts';
import { t } from '../parts/texts.ts';

export function customersView(page: Page): void {
  const { main, parameters } = page;
  const list = h('div', { class: 'list' }, skeleton(10));
  let found: FoundRows | undefined;
  const reload = reloadable(page, list, {
    async load({ client, signal }) {
      const q = parameters.get('q');
      const customers = await client.get<List<Customer>>(`/customers?${listQuery(parameters)}`, signal);
      found = { q, rows: customers.data };
      return customers;
    },
    draw: (customers) => customersList(customers, parameters),
    hold: (shown, loaded) => ({ ...loaded, data: inPlace(shown.data, loaded.data) }),
    concerns: ({ subject }) => subject.startsWith('/customers/'),
  });
  const sorts = sortTabs(parameters);
  const onWords = (): void => {
    sorts.hidden = parameters.has('q'); // a search has its own order
  };
  onWords();
  fill(
    main,
    setPageTitle(
      t('Customers'),
      page.user.role === 'admin' && h('a', { class: 'button', href: '#/customers/import' }, t('Import …')),
      csvButton(page, () => `/customers?${listQuery(parameters)}`, 'customers.csv'),
      h('a', { class: 'button primary', href: '#/customers/new' }, t('New customer')),
    ),
    h(
      'div',
      { class: 'toolbar' },
      searchField(page, 'customers', { label: t('Search customers'), reload, onWords, found: () => found }),
      sorts,
    ),
    list,
  );
}

function listQuery(parameters: URLSearchParams): string {
  const q = parameters.get('q');
  if (q !== null) return query({ q, limit: 50 });
  return query({ cursor: parameters.get('cursor'), sort: parameters.get('sort') ?? '-id', limit: 50 });
}

function sortTabs(parameters: URLSearchParams): HTMLElement {
  const sorts = [
    ['', t('Newest first')],
    ['name', t('By name')],
  ] as const;
  return tabLinks(t('Sorted by'), sorts, {
    current: parameters.get('sort') ?? '',
    href: (sort) => `#/customers?${query({ sort })}`,
  });
}

const columns = (q: string): readonly Column<Customer>[] => [
  {
    label: t('Name'),
    cell: ({ id, name, phone }) => [
      rowLink(`#/customers/${id}`, h('span', { class: 'clip', dir: 'auto' }, shownName(name))),
      isOfPhone(phone, q) && h('span', { class: 'phone soft' }, phone),
    ],
  },
  { label: t('E-mail'), kind: 'wide', cell: ({ email }) => h('span', { class: 'clip soft' }, email ?? '') },
  { label: t('Phone'), kind: 'tight wide', cell: ({ phone }) => h('span', { class: 'soft' }, phone ?? '') },
  {
    label: t('City'),
    cell: ({ address }) =>
      h(
        'span',
        { class: 'clip', dir: 'auto' },
        address === null ? '' : `${address.city}, ${address.country}`,
      ),
  },
  {
    label: t('Since'),
    kind: 'tight wide',
    cell: ({ createdAt }) => h('span', { class: 'soft' }, dateOnly(createdAt)),
  },
];

function customersList({ data, next }: List<Customer>, parameters: URLSearchParams): Child {
  const add = h('a', { class: 'button primary', href: '#/customers/new' }, t('Enter the first customer'));
  if (data.length === 0 && !parameters.has('q'))
    return emptyState(
      t('No customers yet'),
      t('Everybody who orders is a customer: enter one here, or with a new order.'),
      add,
    );
  if (data.length === 0)
    return emptyState(
      t('Nobody found'),
      t('Each word must be in the name, the e-mail address, the phone number, the city or the own number.'),
    );
  return [
    table(t('Customers'), columns(parameters.get('q') ?? ''), data),
    pager(next, { label: t('Pages of customers'), parameters, name: 'customers' }),
  ];
}

export function newCustomerView({ main, client }: Page): void {
  const fields = new CustomerFields(client);
  const idempotencyKey = crypto.randomUUID();
  const body = form(card(t('Customer'), fields.element), {
    submit: t('Add customer'),
    others: h('a', { class: 'button', href: '#/customers' }, t('Cancel')),
    async run() {
      const { value } = await client.send<Customer>('POST', '/customers', {
        idempotencyKey,
        body: fields.read(),
      });
      notify(t('{name} is a customer now.', { name: value.name }));
      goTo(`/customers/${value.id}`);
    },
  });
  fill(main, setPageTitle(t('New customer')), h('div', { class: 'narrow' }, body));
  fields.focus();
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
    const fields = new CustomerFields(client, customer);
    const before = fields.read();
    const save = saverOf({
      changed: 'Somebody has changed {members} of this customer meanwhile. Nothing was saved yet.',
      client,
      path,
      before: { value: customer, etag },
      body: () => changedIn(fields.read(), before),
      inWords,
    });
    const run = async (): Promise<void> => {
      await save();
      notify(t('Saved.'));
      await reload();
    };
    await ask({ title: t('Change {name}', { name }), content: fields.element, submit: t('Save'), run });
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
    printButton(t('Card')),
    orders.data.length === 0 && action(t('Delete …'), remove, { 'data-key': 'delete' }), // refused with orders
    action(t('Change'), edit, { 'data-key': 'change' }),
    h('a', { class: 'button primary', href: `#/new?customer=${id}` }, t('New order')),
  );
}

function inWords({ name, email, phone, address, note, reference }: Customer): [string, string][] {
  const words: Record<keyof CustomerContent, [string, string]> = {
    name: [t('name'), name],
    email: [t('e-mail'), email ?? t('none')],
    phone: [t('phone'), phone ?? t('none')],
    address: [t('address'), address === null ? t('none') : addressLines(address).join(', ')],
    note: [t('note'), note ?? t('none')],
    reference: [t('own number'), reference ?? t('none')],
  };
  return Object.values(words);
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
    [t('Phone'), phone === null ? '—' : h('a', { href: `tel:${phone}` }, phone)],
    ...(reference === undefined ? [] : [[t('Own number'), reference] as const]),
    [t('Created'), dateOnly(createdAt)],
    ...bought,
  ];
  const { number, placed, items, status, total } = orderColumns;
  const columnsShown = [number, placed, items, { ...status, kind: 'tight' as const }, total];
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
      note !== undefined && card(t('Note'), h('p', { class: 'text', dir: 'auto' }, note)),
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
