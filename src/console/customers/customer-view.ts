// One customer: their orders, how they are reached, a card to be scanned, and privacy requests.
import { orderColumns } from '../orders/order-columns.ts';
import { query } from '../service/api-client.ts';
import type { Customer, List, Order } from '../words/api-types.ts';
import { barcodePicture } from '../browser/barcode-picture.ts';
import { addressBlock, card, factList } from '../page/cards.ts';
import { mailLinkOf } from '../words/contact-links.ts';
import { ask, notify } from '../forms/dialogs.ts';
import { type Child, h } from '../browser/elements.ts';
import { addressLines, count, dateOnly, money, phoneText } from '../words/formats.ts';
import { action } from '../forms/forms.ts';
import { shopOfPage } from '../words/page-meta.ts';
import { type More, resourceView } from '../lists/resource-pages.ts';
import { saveFile } from '../lists/list-file.ts';
import { isFinal, isUnpaid } from '../words/statuses.ts';
import { tableCard } from '../lists/tables.ts';
import { t } from '../words/texts.ts';
import { type Page, printButton, type Reload } from '../page/view.ts';
import { customerMembers } from './customer-members.ts';
import { shownName } from './customer-words.ts';

export const customerView = resourceView<Customer>((page) => ({
  name: 'customers',
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
  const parameters = query({ include: 'customer', limit: ordersRead, total: true });
  const orders = await client.get<List<Order>>(`/customers/${id}/orders?${parameters}`, signal);
  return {
    mayDelete: orders.data.length === 0,
    buttons: () => [
      h('a.button.primary', { href: `#/new?customer=${id}` }, t('New order')),
      printButton(t('Print card')),
    ],
    content: (customer, history, reload) => [
      h(
        'div.columns.customer',
        h('div', ordersTable(id, orders), history),
        h('div', contactCards(customer, orders), privacyCard(page, orders, reload)),
      ),
      printedCard(customer),
    ],
  };
}

function ordersTable(id: number, orders: List<Order>): Child {
  const { number, placed, bought, status, total } = orderColumns;
  const rows = orders.data.slice(0, ordersShown);
  const isAll = rows.length === orders.total;
  const title = isAll ? t('Orders') : t('The newest {count} orders', { count: rows.length });
  const all = h('a', { href: `#/orders?customer=${id}` }, t('Search and filter their orders'));
  return [
    tableCard(title, { none: t('None yet.'), columns: [number, placed, bought, status, total], rows }),
    rows.length > 0 && h('p.hint', all),
  ];
}

function contactCards(customer: Customer, orders: List<Order>): Child {
  const { name, email, phone, address, note, reference, createdAt } = customer;
  const facts: readonly (readonly [string, Child])[] = [
    [t('E-mail'), email === null ? '—' : h('a', { href: mailLinkOf(email) }, email)],
    [t('Phone'), phone === null ? '—' : h('a', { href: `tel:${phone}` }, phoneText(phone))],
    ...(reference === null ? [] : [[t('Own number'), reference] as const]),
    [t('Created'), dateOnly(createdAt)],
    ...boughtFacts(orders),
  ];
  const lines =
    address === null ? h('p.soft', t('None is known.')) : addressBlock(addressLines(address, name));
  return [
    card(t('Contact'), factList(facts)),
    note !== null && card(t('Note'), h('p.text', { dir: 'auto' }, note)),
    card(t('Address'), lines),
  ];
}

/** The number of the customer's orders, and their sums by currency, without cancelled and refunded ones. */
function boughtFacts({ data, total = 0 }: List<Order>): readonly (readonly [string, Child])[] {
  if (total === 0) return [];
  const kept = data.filter(({ status }) => !isFinal(status));
  const isWhole = data.length === total;
  const newest = { count: count(data.length) };
  const label = isWhole ? t('Sum') : t('Sum of the newest {count}', newest);
  const open = isWhole ? t('Still to pay') : t('Still to pay of the newest {count}', newest);
  const left = { total: count(total), count: count(data.length - kept.length) };
  const number =
    kept.length < data.length && isWhole
      ? t('{total}, {count} of them cancelled or refunded', left)
      : count(total);
  const sums = [
    [label, sumsOf(kept)],
    [open, sumsOf(kept.filter(isUnpaid))],
  ] as const;
  return [[t('Orders'), number], ...sums.filter(([, texts]) => texts.length > 0)];
}

/** A line for each currency. */
function sumsOf(orders: readonly Order[]): readonly HTMLElement[] {
  const sums = new Map<string, number>();
  for (const { currency, total } of orders) sums.set(currency, (sums.get(currency) ?? 0) + total);
  return [...sums].map(([currency, sum]) => h('div', money(sum, currency)));
}

/** Scanned at the desk, the card chooses the customer. */
function printedCard({ id, name }: Customer): HTMLElement {
  const { name: shop } = shopOfPage();
  return h(
    'section.sheet',
    { 'aria-hidden': 'true' },
    shop !== null && h('p', { dir: 'auto' }, shop),
    h('header', h('strong', { dir: 'auto' }, name), barcodePicture(`C${id}`)),
  );
}

function privacyCard(page: Page, { data }: List<Order>, reload: Reload): HTMLElement {
  const hasOrders = data.length > 0;
  const isAdmin = page.user.role === 'admin';
  const erasure = !isAdmin && [' ', t('An administrator can erase what is personal.')];
  const staying = t('A customer with orders can’t be deleted: the orders stay for the books.');
  const erase = (): Promise<void> => askToErase(page, reload);
  return card(
    t('Personal data'),
    hasOrders && h('p.soft', staying, erasure),
    h(
      'div.buttons',
      action(t('Save all as a file'), () => saveCustomer(page)),
      hasOrders && isAdmin && action(t('Erase personal data …'), erase, { class: 'danger' }),
    ),
  );
}

/** The customer and all orders, as the API has them. */
async function saveCustomer({ client, signal, id }: Page): Promise<void> {
  const customer = await client.request('GET', `/customers/${id}`, { signal });
  const path = `/orders?${query({ customerId: id, sort: 'id' })}`;
  const orders = await client.request('GET', path, { accept: 'application/x-ndjson', signal });
  const lines = (await orders.text()).trimEnd().replaceAll('\n', ',\n');
  const name = `customer-${id}.json`;
  saveFile(name, [`{"customer": ${await customer.text()},\n"orders": [\n${lines}\n]}\n`]);
  notify(t('{name} was saved.', { name }));
}

async function askToErase({ client, id }: Page, reload: Reload): Promise<void> {
  const erased = t(
    'Name, e-mail address, phone number, address, note, own number and metadata; and of all their orders the addresses, notes and metadata.',
  );
  const kept = t('The orders with their items, sums and statuses, and the history.');
  const files = t(
    'In backups and saved files it stays until you delete them: an import of such a file brings it back.',
  );
  await ask({
    title: t('Erase the personal data of customer {id}?', { id }),
    content: [
      h('p', h('strong', t('Erased:')), ' ', erased),
      h('p', h('strong', t('Kept:')), ' ', kept),
      h('p', files),
      h('p', t('This can’t be taken back.')),
    ],
    submit: t('Erase'),
    isDangerous: true,
    async run() {
      await client.send('PUT', `/customers/${id}/erasure`);
      notify(t('Customer {id} has no personal data any more.', { id }));
      await reload();
    },
  });
}
