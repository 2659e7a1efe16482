// What the form of an order knows beside the texts in its fields, and its parts.
import type { ApiClient } from '../parts/api-client.ts';
import type { Customer, Item } from '../parts/api-types.ts';
import type { Combobox } from '../parts/combobox.ts';
import { contactMembers } from '../customers/customer-members.ts';
import { h } from '../parts/elements.ts';
import { addressInput, fieldsOf } from '../parts/fields.ts';
import { type Control, currencyChoice, field } from '../parts/forms.ts';
import { t } from '../parts/texts.ts';
import { articlesOf } from '../products/articles.ts';

export type OrderForm = ReturnType<typeof partsOf> & {
  readonly client: ApiClient;
  /** The signed-in user, who owns the customers that are made here. */
  readonly userId: number;
  /** A customer is made with a key that is derived from it. */
  readonly idempotencyKey: string;
  /** What can be entered, beside the note. */
  readonly has: readonly ('customer' | 'items' | 'delivery' | false)[];
  readonly search: Combobox;
  readonly draw: () => void;
  lines: readonly Line[];
  /** Texts are looked up one after the other, so that the second scan of a code finds the line of the first. */
  lookUps: Promise<void>;
  /** The last choice: it holds while the field has its name, so again once a scan has gone through the field. */
  chosen: Chosen | undefined;
  /** That of sales to nobody in particular, if it was found early. */
  walkIn: Promise<Customer | undefined>;
  /** What was left in the field without a choice, while it is looked up. */
  left: Promise<void>;
  /** Whether the user has typed an address that no other one may replace. */
  isAddressTyped: boolean;
  /** Whether the user has chosen between an address and pickup. */
  isDeliverySaid: boolean;
};

/** A new one has no id. */
export type Chosen = Customer | { readonly id?: undefined; readonly name: string; readonly address: null };

export type NewItem = Omit<Item, 'total'>;
export type Line = {
  readonly element: HTMLElement;
  readonly name: Control;
  readonly search: Combobox;
  readonly sku: HTMLInputElement;
  readonly about: HTMLElement;
  readonly quantity: Control;
  readonly price: Control;
  readonly sum: HTMLElement;
  readonly remove: HTMLElement;
  /** What it was completed from: its SKU holds while the line has its name. */
  of: { readonly name: string; readonly sku: string };
  /** Whether a code that was scanned waits for its answer. */
  isWaiting: boolean;
  /** Why that code had no answer. */
  failure: unknown;
};

export function partsOf(client: ApiClient, note: string | null) {
  const address = addressInput('/shippingAddress');
  const [, ...contacts] = contactMembers(client); // the name is in the field of the search
  return {
    articles: articlesOf(client),
    /** Tells the chosen customer from others of the same name. */
    about: h('bdi'),
    /** Of a new customer. */
    contact: fieldsOf(contacts.reverse(), { pointer: '/customer' }),
    currency: field({ label: t('Currency'), pointer: '/currency', control: currencyChoice() }),
    list: h('ol'),
    total: h('output.total'),
    address,
    addressRows: h('div.grid', address.elements),
    isPickup: h('input', { type: 'checkbox', id: 'is-pickup' }),
    /** Has the customer’s own address, where another one was typed. */
    offer: h('p.hint', { role: 'status' }),
    note: field({
      label: t('Note'),
      pointer: '/note',
      hint: t('It is printed on the packing slip.'),
      value: note,
      isWide: true,
      control: h('textarea', { rows: 2 }),
    }),
  };
}
