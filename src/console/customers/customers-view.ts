// Customers: the list with its search, and the form for a new one.
import { placeLine } from '../words/address-order.ts';
import type { Customer } from '../words/api-types.ts';
import { notify } from '../forms/dialogs.ts';
import { type Child, fill, h } from '../browser/elements.ts';
import { dateOnly, phoneText } from '../words/formats.ts';
import { form } from '../forms/forms.ts';
import { listPage } from '../lists/list-page.ts';
import { objectForm } from '../page/object-form.ts';
import { hasImports, shopOfPage } from '../words/page-meta.ts';
import { type Column, nameCell, mailText } from '../lists/tables.ts';
import { t } from '../words/texts.ts';
import { emptyState, goTo, type Page, setPageTitle } from '../page/view.ts';
import { customerMembers } from './customer-members.ts';
import { contactText, shownName } from './customer-words.ts';

export function customersView(page: Page): void {
  const addLink = (label: string): Child => h('a.button.primary', { href: '#/customers/new' }, label);
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
      addLink(t('New customer')),
      page.user.role === 'admin' &&
        hasImports &&
        h('a.button', { href: '#/customers/import' }, t('Import …')),
    ],
    none: (parameters) =>
      parameters.has('q')
        ? emptyState(
            t('Nobody found'),
            t('Each word must be in the name, e-mail address, phone number, street, city or own number.'),
          )
        : emptyState(
            t('No customers yet'),
            t('Everybody who orders is a customer: enter one here, or with a new order.'),
            addLink(t('Enter the first customer')),
          ),
  });
}

const columns = (q: string): readonly Column<Customer>[] => [
  {
    label: t('Name'),
    cell: (one) =>
      nameCell(`#/customers/${one.id}`, shownName(one.name), contactText(one, q, shopOfPage().country)),
  },
  {
    label: t('E-mail'),
    kind: 'wide',
    cell: ({ email }) => h('span.soft', h('span.clip', { dir: 'auto' }, mailText(email))),
  },
  { label: t('Phone'), kind: 'tight wide', cell: ({ phone }) => h('span.soft', phoneText(phone)) },
  {
    label: t('Address'),
    cell: ({ address }) =>
      h('span.soft', h('span.clip', { dir: 'auto' }, address && `${address.line1}, ${placeLine(address)}`)),
  },
  {
    label: t('Since'),
    kind: 'tight wide',
    cell: ({ createdAt }) => h('span.soft', dateOnly(createdAt)),
  },
];

export function newCustomerView(page: Page): void {
  const members = customerMembers(page.client);
  const { element, save } = objectForm<Customer>(page, { members, path: '/customers' });
  const body = form(h('section.card', element), {
    submit: t('Add customer'),
    others: h('a.button', { href: '#/customers' }, t('Cancel')),
    isLong: true, // what is said of another one of this name is seen before it is sent
    async run() {
      const { id, name } = await save();
      notify(t('{name} is a customer now.', { name }));
      goTo(`/customers/${id}`);
    },
  });
  fill(page.main, setPageTitle(t('New customer')), h('div.narrow', body));
  element.querySelector('input')?.focus();
}
