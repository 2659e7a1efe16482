// The fields of a customer. They say at once if another customer has the same name, e-mail address or phone number.
import { shopOfPage } from '../words/page-meta.ts';
import { type ApiClient, query, type QueryParameters } from '../service/api-client.ts';
import type { Customer, List } from '../words/api-types.ts';
import { type Child, h } from '../browser/elements.ts';
import type { Member } from '../forms/fields.ts';
import { rich, t } from '../words/texts.ts';
import { aboutCustomer, isOfPhone } from './customer-words.ts';

/** The members by which a customer is known and reached. `id` is the changed customer’s, if it is known. */
export function contactMembers(client: ApiClient, id?: number): readonly Member[] {
  return [
    {
      name: 'name',
      label: t('Name'),
      isRequired: true,
      check: (text) =>
        twin(client, { name: text }, (each) => each.id !== id && isAlike(each.name, text), sameName),
    },
    {
      name: 'email',
      label: t('E-mail'),
      check: async (text) =>
        /.@./.test(text) && twin(client, { email: text }, (each) => each.id !== id, sameEmail),
    },
    {
      name: 'phone',
      label: t('Phone'),
      kind: 'phone',
      check: (text) => twin(client, { q: text }, (each) => each.id !== id && hasPhone(each, text), samePhone),
    },
  ];
}

function hasPhone({ phone }: Customer, text: string): boolean {
  return phone !== null && isOfPhone(phone, text, shopOfPage().country);
}

export function customerMembers(client: ApiClient, id?: number): readonly Member[] {
  return [
    ...contactMembers(client, id),
    {
      name: 'reference',
      label: t('Own number'),
      hint: t('Of the customer in your own records, if there is one.'),
    },
    { name: 'address', label: t('Address'), kind: 'address' },
    {
      name: 'note',
      label: t('Note'),
      kind: 'note',
      hint: t('For the shop: it is on no packing slip.'),
    },
  ];
}

function isAlike(name: string, text: string): boolean {
  return name.localeCompare(text, undefined, { sensitivity: 'base' }) === 0;
}

type Say = (customer: HTMLElement) => Child;
const sameName: Say = (customer) =>
  rich('There is a customer of this name already: {customer}', { customer });
const sameEmail: Say = (customer) => rich('{customer} has this e-mail address, too.', { customer });
const samePhone: Say = (customer) => rich('{customer} has this phone number, too.', { customer });

async function twin(
  client: ApiClient,
  search: QueryParameters,
  isTwin: (customer: Customer) => boolean,
  say: Say,
): Promise<Child> {
  const { data } = await client.get<List<Customer>>(`/customers?${query({ ...search, limit: 5 })}`);
  const found = data.find(isTwin);
  if (found === undefined) return undefined;
  const text = [found.name, aboutCustomer(found, '', shopOfPage().country)].filter(Boolean).join(', ');
  return say(h('a', { href: `#/customers/${found.id}` }, h('bdi', text)));
}
