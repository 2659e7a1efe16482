// Customers: the list with its search, and one customer with their orders.
import { orderColumns } from '../orders/order-columns.ts';
import { query } from '../parts/api-client.ts';
import type { Customer, List, Order } from '../parts/api-types.ts';
import { barcodePicture } from '../parts/barcode-picture.ts';
import { addressBlock, card, factList } from '../parts/cards.ts';
import { mailLinkOf, phoneText } from '../parts/contact-links.ts';
import { notify } from '../parts/dialogs.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { addressLines, count, dateOnly, money } from '../parts/formats.ts';
import { form } from '../parts/forms.ts';
import { listPage } from '../parts/list-page.ts';
import { objectForm } from '../parts/object-form.ts';
import { shopOfPage } from '../parts/page-text.ts';
import { type More, resourceView } from '../parts/resource-pages.ts';
import { isFinal } from '../parts/statuses.ts';
import { type Column, nameCell, tableCard } from '../parts/tables.ts';
import { t } from '../parts/texts.ts';
import { emptyState, goTo, type Page, printButton, type Reload, setPageTitle } from '../parts/view.ts';
import { customerMembers } from './customer-members.ts';
import { privacyCard } from './customer-privacy.ts';
import { contactText, shownName } from './customer-words.ts';

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
    cell: (one) => nameCell(`#/customers/${one.id}`, shownName(one.name), contactText(one, q)),
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
  more: readOrders,
  concerns: ({ subject }) => subject.startsWith('/orders/'), // it may be one of theirs
}));

/** The newest orders, which are summed. */
const ordersRead = 200;
const ordersShown = 20;

async function readOrders(page: Page): Promise<More<Customer>> {
  const { client, signal, id } = page;
  const parameters = query({ limit: ordersRead, total: true });
  const orders = await client.get<List<Order>>(`/customers/${id}/orders?${parameters}`, signal);
  return {
    mayDelete: orders.data.length === 0,
    buttons: () => [
      h('a.button.primary', { href: `#/new?customer=${id}` }, t('New order')),
      printButton(t('Card')),
    ],
    content: (customer, history, reload) => customerContent(page, { customer, orders, history }, reload),
  };
}

type Shown = { readonly customer: Customer; readonly orders: List<Order>; readonly history: Child };

function customerContent(page: Page, { customer, orders, history }: Shown, reload: Reload): Child {
  const { id, name, email, phone, address, note, reference, createdAt } = customer;
  const { number, placed, bought, status, total } = orderColumns;
  const rows = orders.data.slice(0, ordersShown);
  const isAll = rows.length === orders.total;
  const title = isAll ? t('Orders') : t('The newest {count} orders', { count: rows.length });
  return [
    h(
      'div.columns.customer',
      h(
        'div',
        tableCard(title, { none: t('None yet.'), columns: [number, placed, bought, status, total], rows }),
        rows.length > 0 &&
          h('p.hint', h('a', { href: `#/orders?customer=${id}` }, t('Search and filter their orders'))),
        history,
      ),
      h(
        'div',
        card(
          t('Contact'),
          factList([
            [t('E-mail'), email === null ? '—' : h('a', { href: mailLinkOf(email) }, email)],
            [t('Phone'), phone === null ? '—' : h('a', { href: `tel:${phone}` }, phoneText(phone))],
            ...(reference === null ? [] : [[t('Own number'), reference] as const]),
            [t('Created'), dateOnly(createdAt)],
            ...boughtFacts(orders),
          ]),
        ),
        note !== null && card(t('Note'), h('p.text', { dir: 'auto' }, note)),
        card(
          t('Address'),
          address === null ? h('p.soft', t('None is known.')) : addressBlock(addressLines(address, name)),
        ),
        privacyCard(page, customer, { hasOrders: rows.length > 0, reload }),
      ),
    ),
    customerCard(customer),
  ];
}

/** The number of their orders, and the sums of those that hold by currency. */
function boughtFacts({ data, total = 0 }: List<Order>): readonly (readonly [string, Child])[] {
  if (total === 0) return [];
  const kept = data.filter(({ status }) => !isFinal(status));
  const sums = new Map<string, number>();
  for (const order of kept) sums.set(order.currency, (sums.get(order.currency) ?? 0) + order.total);
  const isWhole = data.length === total;
  const label = isWhole ? t('Sum') : t('Sum of the newest {count}', { count: count(data.length) });
  const left = { total: count(total), count: count(data.length - kept.length) };
  const number =
    kept.length < data.length && isWhole
      ? t('{total}, {count} of them cancelled or refunded', left)
      : count(total);
  const texts = [...sums].map(([currency, sum]) => h('div', money(sum, currency)));
  return [[t('Orders'), number], ...(texts.length === 0 ? [] : [[label, texts] as const])];
}

/** To be printed: scanned at the desk, the card chooses the customer. */
function customerCard({ id, name }: Customer): HTMLElement {
  const { name: shop } = shopOfPage();
  return h(
    'section.sheet',
    { 'aria-hidden': 'true' },
    shop !== null && h('p', { dir: 'auto' }, shop),
    h('header', h('strong', { dir: 'auto' }, name), barcodePicture(`C${id}`)),
  );
}
