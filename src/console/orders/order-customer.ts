// The customer in the form of an order: one that is found while the user types, a new one with the name that was typed,
// who is made with the order, or nobody in particular, for what is sold over the counter.
import { type ApiClient, query } from '../service/api-client.ts';
import { money, phoneText } from '../words/formats.ts';
import type { Customer, Issue, List, Product } from '../words/api-types.ts';
import { card } from '../page/cards.ts';
import { combobox, type Found, type FoundGroup } from '../forms/combobox.ts';
import { h, setText } from '../browser/elements.ts';
import { fieldsOf } from '../forms/fields.ts';
import { dispatchChange, type Entered, field, showIssue } from '../forms/forms.ts';
import { Rejection } from '../service/request-errors.ts';
import { sayUnhandled, scanEvent, type Scanned } from '../page/scans.ts';
import { isLikeCode } from '../words/codes.ts';
import { isLongGtin } from '../words/gtin.ts';
import { t } from '../words/texts.ts';
import type { Page } from '../page/view.ts';
import { contactMembers } from '../customers/customer-members.ts';
import { productNamed } from '../products/articles.ts';
import { customerSearch } from '../customers/customer-search.ts';
import { walkInName, walkInNames } from '../customers/customer-words.ts';
import type { orderDelivery } from './order-delivery.ts';

/** A new one has no id. */
type Chosen = Customer | { readonly id?: undefined; readonly name: string; readonly address: null };

const foundMax = 8;

/** What a draft keeps for a new customer in place of an id. */
export const newCustomer = 'new';

type Options = {
  /** A customer is made with a key that is derived from it. */
  readonly idempotencyKey: string;
  /** Whether it may be sold over the counter. */
  readonly isSale: boolean;
  readonly delivery: ReturnType<typeof orderDelivery>;
  /** Called when the customer is entered. */
  readonly goOn: () => void;
};

export type OrderCustomer = ReturnType<typeof orderCustomer>;

export function orderCustomer(page: Page, options: Options) {
  const { client } = page;
  const { idempotencyKey, isSale, delivery, goOn } = options;
  const search = combobox({
    label: t('Customer'),
    placeholder: t('Nobody, or name, phone, number'),
    lookUp: optionsFor,
    onKey: pressed,
  });
  const { control } = search;
  /** Tells the chosen customer from others of the same name. */
  const about = h('bdi');
  const [, ...members] = contactMembers(client); // the name is in the field of the search
  const contact = fieldsOf(members.reverse(), { pointer: '/customer', address: delivery.ofNewCustomer });
  const find = customerSearch(client, foundMax, (customer) => {
    chooseAndSay(customer);
    goOn();
  });
  /** The last choice: it holds while the field has its name, so again once a scan has gone through the field. */
  let last: Chosen | undefined;
  /** The customer of sales without a name, found before the first sale has to wait for it. */
  const walkIn = isSale ? findWalkIn(page).catch(() => undefined) : undefined; // the order says so
  control.addEventListener('input', () => chosen() !== undefined && search.close());

  const text = (): string => control.value.trim();

  /** What was scanned or typed in part names nobody. */
  const hasNoName = (): boolean => chosen() === undefined && isNameless(text());

  const chosen = (): Chosen | undefined => (last?.name === control.value ? last : undefined);

  function choose(customer: Chosen): void {
    last = customer;
    control.value = customer.name;
    showIssue(control);
    search.close();
    delivery.suggest(customer.address);
    delivery.draw();
    draw();
  }

  function chooseAndSay(customer: Chosen): void {
    choose(customer);
    dispatchChange(control);
  }

  function draw(): void {
    const now = chosen();
    const isNew = now !== undefined && now.id === undefined;
    contact.element.hidden = !isNew;
    const newOne = delivery.isSent ? t('A new customer, who gets the address below.') : t('A new customer.');
    setText(about, isNew ? newOne : detailsOf(now));
  }

  /** The customers who are found, and a new one of this name; if nobody is found, first the product that is called so. */
  async function optionsFor(q: string, signal: AbortSignal): Promise<readonly FoundGroup[]> {
    const own = {
      id: newCustomer,
      name: t('New customer “{name}”', { name: q }),
      about: '',
      choose() {
        chooseAndSay(newNamed(q));
        contact.element.querySelector('input')?.focus();
      },
    };
    const [found, product] = await Promise.all([find(q, signal), productNamed(client, q, signal)]);
    const items = { label: t('Items'), found: product === undefined ? [] : [itemOption(product)] };
    const all = hasCode(q, last?.name) ? found : [...found, own];
    const customers = { label: t('Customers'), found: all };
    return found.length > 0 ? [customers, items] : [items, customers];
  }

  /** A name that was typed into the wrong field. */
  function itemOption(product: Product): Found {
    const { name, unitPrice, currency } = product;
    return {
      id: 'item',
      name: t('Item “{name}”', { name }),
      about: money(unitPrice, currency),
      choose() {
        moveToItems(product);
        goOn();
      },
    };
  }

  /** It is no customer, and becomes an item. */
  function moveToItems(scanned: Scanned): void {
    control.value = '';
    search.close();
    control.dispatchEvent(scanEvent(scanned));
  }

  /** Tab chooses like Enter, but waits for no answer. Enter never sends the form. */
  function pressed({ key, shiftKey }: KeyboardEvent, active: Found | undefined): boolean {
    if (key === 'Tab' && !shiftKey) {
      if (active === undefined) leave();
      else active.choose();
      return active !== undefined;
    }
    if (key === 'Enter' && active === undefined && isLongGtin(text())) {
      moveToItems(text());
      return true;
    }
    // a scanner doesn't wait for the answer with its next code
    const isLeft = chosen() !== undefined || text() === '' || isLikeCode(text());
    if (key !== 'Enter' || active !== undefined || !isLeft) return false;
    leave();
    goOn();
    return true;
  }

  /** What is left in the field may be the number, phone or e-mail of one customer. */
  function leave(): void {
    if (isLikeCode(text())) void resolve().catch(() => undefined); // the order says so
  }

  /** Chooses the only customer with this code; a name that nobody and no product has is that of a new customer. */
  async function resolve(): Promise<void> {
    const q = text();
    if (q === '' || chosen() !== undefined) return;
    const named = productNamed(client, q);
    const { data } = await client.get<List<Customer>>(`/customers?${query({ q, limit: 2 })}`);
    const isProduct = (await named) !== undefined;
    if (text() !== q || chosen() !== undefined) return;
    const [found, ...others] = data;
    if (found === undefined && !isProduct && !isNameless(q)) choose(newNamed(q));
    if (found !== undefined && others.length === 0 && isLikeCode(q)) chooseAndSay(found);
  }

  function read(id: number): Promise<Customer | undefined> {
    return client.get<Customer>(`/customers/${id}`).catch(() => undefined);
  }

  /** Chooses the customer, unless another one was entered meanwhile. */
  async function suggest(id: number): Promise<void> {
    const found = await read(id);
    if (found !== undefined && text() === '') choose(found);
  }

  const label = t('Customer');
  return {
    element: card(
      label,
      h('div.titled', field({ label, pointer: '/customerId', control }).element),
      search.list,
      h('p.hint', { role: 'status' }, about),
      contact.element,
      delivery.choices,
    ),
    draw,
    choose,
    suggest,
    focus: () => control.focus(),

    /** Of the chosen customer; undefined while there is none, or a new one. */
    get chosenId(): number | undefined {
      return chosen()?.id;
    },

    /** Nobody is chosen or named. */
    get isNobody(): boolean {
      return hasNoName();
    },

    /** A customer who is chosen is kept by their number alone. */
    entered(): Entered {
      const now = chosen();
      if (now === undefined) return {};
      return now.id === undefined
        ? { customer: newCustomer }
        : { '/customerId': '', customer: String(now.id) };
    },

    /** Chooses again what a draft has kept. */
    restore({ customer, '/customerId': name }: Entered): void {
      if (customer === newCustomer && typeof name === 'string') choose(newNamed(name));
      else if (typeof customer === 'string') void suggest(Number(customer));
    },

    /** Chooses the customer of a card that was scanned. */
    async scanned(id: number): Promise<void> {
      const found = await read(id);
      if (found === undefined) sayUnhandled(`C${id}`, 'unknown');
      else chooseAndSay(found);
    },

    resolve,

    /** Shows who is found where somebody has to be chosen. */
    ask(): void {
      if (hasNoName() || chosen() !== undefined) return;
      control.focus();
      search.find();
    },

    issues(): readonly Issue[] {
      const now = chosen();
      if (now !== undefined) return now.id === undefined ? contact.issues() : [];
      const detail = t('Choose a customer from the list, or enter the name of a new one.');
      return [{ pointer: '/customerId', detail }];
    },

    /** Resolves to the id of the chosen customer, or creates the new one, with the address of the delivery. */
    async id(): Promise<number> {
      const now = chosen();
      if (now?.id !== undefined) return now.id;
      if (now === undefined) {
        const known = (await walkIn) ?? (await findWalkIn(page));
        return (known ?? (await addCustomer(client, { name: walkInName }, `${idempotencyKey}-walk-in`))).id;
      }
      const body = { name: now.name, ...contact.read(), address: delivery.ofNewCustomer() };
      const added = await addCustomer(client, body, `${idempotencyKey}-customer`);
      choose(added);
      return added.id;
    },
  };
}

/** Nobody is called by digits alone. */
function isNameless(text: string): boolean {
  return /^\d*$/.test(text);
}

/** A code, also one that goes through the field of the customer of this name, is no name of a new one. */
function hasCode(q: string, name = ''): boolean {
  const rest = q.replace(name, '').trim();
  return isNameless(q) || (rest !== q && isLikeCode(rest));
}

/** Each seller has a walk-in customer: another's may be of somebody who isn't staff, and who may rename it. */
async function findWalkIn({ client, user }: Page): Promise<Customer | undefined> {
  const paths = walkInNames.map((name) => `/customers?${query({ name, userId: user.id, sort: 'name' })}`);
  const found = await Promise.all(paths.map((path) => client.get<List<Customer>>(path)));
  const named = found.flatMap(({ data }) => data).filter(({ name }) => walkInNames.includes(name));
  return named.sort((a, b) => a.id - b.id)[0]; // of two that were made at once, all tills find the older one
}

/** A key that has made a customer with other details is left for the next one. */
async function addCustomer(client: ApiClient, body: object, idempotencyKey: string): Promise<Customer> {
  try {
    return (await client.send<Customer>('POST', '/customers', { idempotencyKey, body })).value;
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    if (error.code === 'idempotency-key-reused') return addCustomer(client, body, `${idempotencyKey}-next`);
    throw inForm(error);
  }
}

function newNamed(name: string): Chosen {
  return { name, address: null };
}

function detailsOf(chosen: Chosen | undefined): string {
  if (chosen?.id === undefined) return '';
  const { id, phone, email, address } = chosen;
  const details = [t('Customer {id}', { id }), phone && phoneText(phone), email, address?.city];
  return details.filter(Boolean).join(' · ');
}

/** Points the issues at the form's fields, where the customer's address is that of the delivery. */
function inForm({ code, status, message: detail, issues }: Rejection): Rejection {
  const errors = issues.map((issue) => {
    const path = (issue.pointer ?? '').replace('#', '');
    const isAddress = path.startsWith('/address/');
    const own = path === '/name' ? '/customerId' : `/customer${path}`;
    return { ...issue, pointer: `#${isAddress ? path.replace('/address', '/shippingAddress') : own}` };
  });
  return new Rejection({ code, status, detail, errors });
}
