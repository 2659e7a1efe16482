// The customer of an order: one that is found while the user types, a new one with the name that was typed, who is
// made with the order, or nobody in particular, for what is sold over the counter.
import { type ApiClient, query } from '../parts/api-client.ts';
import type { Customer, Issue, List } from '../parts/api-types.ts';
import { card } from '../parts/cards.ts';
import { type Combobox, combobox, type Found } from '../parts/combobox.ts';
import { customerSearch } from '../customers/customer-search.ts';
import { contactMembers } from '../customers/customer-members.ts';
import { walkInName, walkInNames } from '../customers/customer-words.ts';
import { phoneText } from '../parts/contact-links.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { type Fields, fieldsOf } from '../parts/fields.ts';
import { clearIssue, type Entered, field } from '../parts/forms.ts';
import type { OrderFields } from './order-fields.ts';
import { Rejection } from '../parts/request-errors.ts';
import { isBarcode, isLikeCode, sayUnknown } from '../parts/scans.ts';
import { t } from '../parts/texts.ts';
import type { Page } from '../parts/view.ts';

const foundMax = 8;

const noCustomer: Issue = {
  pointer: '/customerId',
  detail: t('Choose a customer from the list, or enter the name of a new one.'),
};

type NewOrder = {
  /** A customer is made with a key that is derived from it. */
  readonly idempotencyKey: string;
  /** The rest of the order. */
  readonly fields: OrderFields;
};
type Choice = { readonly name: string; readonly again: () => void };
/** What a draft keeps for a new customer in place of an id. */
const newCustomer = 'new';

export class CustomerChoice {
  readonly element: HTMLElement;
  readonly #client: ApiClient;
  /** The signed-in user, who owns the customers that are made here. */
  readonly #userId: number;
  readonly #order: NewOrder;
  readonly #search: Combobox;
  readonly #customers: ReturnType<typeof customerSearch>;
  /** Tells the chosen customer from others of the same name. */
  readonly #about = h('p', { class: 'hint', role: 'status' });
  /** Of a new one. */
  readonly #contact: Fields;
  #customer: Customer | undefined;
  #isNew = false;
  /** Looked for while the items are entered; one that fails is looked for again. */
  #walkIn: Promise<Customer | undefined> | undefined;
  /** What was left in the field without a choice, while it is looked up. */
  #left: Promise<void> = Promise.resolve();
  /** The last choice: it holds again as soon as the field has its name, as after a scan into the field. */
  #last: Choice | undefined;

  constructor({ client, user }: Pick<Page, 'client' | 'user'>, order: NewOrder) {
    this.#client = client;
    this.#userId = user.id;
    this.#order = order;
    const [, ...contacts] = contactMembers(client); // the name is in the field of the search
    this.#contact = fieldsOf(contacts.reverse(), { pointer: '/customer' });
    this.#customers = customerSearch(client, foundMax, (customer) => {
      this.#choose(customer);
      this.#goOn();
    });
    this.#search = combobox({
      label: t('Customer'),
      placeholder: t('Nobody, or name, e-mail, phone, number'),
      lookUp: async (q, signal) => {
        const found = await this.#customers(q, signal);
        const options = this.#hasCode(q) ? found : [...found, this.#newOption(q)];
        return [{ label: t('Customers'), found: options }];
      },
      onKey: (event, active) => this.#pressed(event, active),
    });
    const { control, list } = this.#search;
    control.addEventListener('input', () => this.#typed());
    const { element } = field({ label: t('Customer'), pointer: '/customerId', control, isWide: true });
    this.element = card(t('Customer'), element, list, this.#about, this.#contact.element);
    this.#show();
  }

  focus(): void {
    this.#search.control.focus();
  }

  /** Begins to look for the customer of sales to nobody in particular, so that the sale needn’t wait. */
  prepareWalkIn(): void {
    this.#walkIn = this.#findWalkIn();
    this.#walkIn.catch(() => undefined); // the order says so
  }

  /** Chooses the customer whom the URL names, unless another one was entered meanwhile. */
  suggest(customer: Customer): void {
    if (this.isNobody) this.#choose(customer);
  }

  get isNobody(): boolean {
    return this.#search.control.value.trim() === '';
  }

  /** A customer who is chosen is kept by their number alone. */
  get entered(): Entered {
    if (this.#customer !== undefined) return { '/customerId': '', customer: String(this.#customer.id) };
    return this.#isNew ? { customer: newCustomer } : {};
  }

  /** Chooses again what a draft has kept. */
  restore({ customer, '/customerId': name }: Entered): void {
    if (customer === newCustomer && typeof name === 'string') this.#chooseNew(name);
    else if (typeof customer === 'string')
      void this.#client.get<Customer>(`/customers/${customer}`).then(
        (found) => this.suggest(found),
        () => undefined,
      );
  }

  /** A name that nobody has is that of a new customer. */
  async settle(): Promise<void> {
    await this.#left;
    const { control } = this.#search;
    const q = control.value.trim();
    if (this.isNobody || this.#isChosen || isBarcode(q)) return;
    const { data } = await this.#client.get<List<Customer>>(`/customers?${query({ q, limit: 1 })}`);
    if (this.#isChosen || control.value.trim() !== q) return;
    if (data.length === 0) return this.#chooseNew(q);
    control.focus();
    this.#search.find();
  }

  issues(): Issue[] {
    return this.#isChosen ? [] : [noCustomer];
  }

  /** Returns the id of the chosen customer, or creates the new one, with this address. */
  async createOrGetId(address: object | null): Promise<number> {
    if (this.#customer === undefined && this.#isNew) {
      const name = this.#search.control.value.trim();
      const body = { name, ...this.#contact.read(), address };
      this.#choose(await this.#addCustomer(body, 'customer'));
    }
    return (this.#customer ?? (await this.#findOrAddWalkIn())).id;
  }

  /** A code, also one that goes through the field of a customer who was chosen, is no name of a new one. */
  #hasCode(q: string): boolean {
    const { name } = this.#last ?? {};
    return isBarcode(q) || (name !== undefined && q.includes(name) && isLikeCode(q.replace(name, '').trim()));
  }

  get #isChosen(): boolean {
    return this.#isNew || this.#customer !== undefined;
  }

  #typed(): void {
    if (this.#search.control.value === this.#last?.name) return this.#last.again();
    [this.#customer, this.#isNew] = [undefined, false];
    fill(this.#about);
    this.#show();
  }

  #choose(customer: Customer): void {
    const { id, name, phone, email, address } = customer;
    [this.#customer, this.#isNew] = [customer, false];
    const details = [t('Customer {id}', { id }), phone && phoneText(phone), email, address?.city].filter(
      (each) => typeof each === 'string',
    );
    const again = (): void => this.#choose(customer);
    this.#showChoice({ name, again }, h('bdi', {}, details.join(' · ')));
    this.#order.fields.delivery.suggest(address);
  }

  #chooseNew(name: string): void {
    [this.#customer, this.#isNew] = [undefined, true];
    const again = (): void => this.#chooseNew(name);
    this.#showChoice({ name, again }, t('A new customer, who gets the address below.'));
    this.#order.fields.delivery.suggest(null);
  }

  #showChoice(choice: Choice, about: Child): void {
    this.#last = choice;
    this.#search.control.value = choice.name;
    clearIssue(this.#search.control);
    this.#search.close();
    fill(this.#about, about);
    this.#show();
  }

  #show(): void {
    this.#contact.element.hidden = !this.#isNew;
    this.#order.fields.delivery.isToNobody = this.isNobody;
  }

  /** Browsers dispatch no event for what a script has entered. */
  #goOn(): void {
    this.#search.control.dispatchEvent(new Event('change', { bubbles: true }));
    this.#order.fields.lines.focus();
  }

  #newOption(name: string): Found {
    const choose = (): void => {
      this.#chooseNew(name);
      this.#search.control.dispatchEvent(new Event('change', { bubbles: true }));
      this.#contact.element.querySelector('input')?.focus();
    };
    return { id: 'new', name: t('New customer “{name}”', { name }), about: '', choose };
  }

  /** Tab chooses like Enter, but waits for no answer. Enter never sends the form. */
  #pressed({ key, shiftKey }: KeyboardEvent, active: Found | undefined): boolean {
    if (key === 'Tab' && !shiftKey) {
      active?.choose();
      if (active === undefined) this.#leave();
      return active !== undefined;
    }
    if (key !== 'Enter' || active !== undefined) return false;
    // a scanner doesn't wait for the answer with its next code
    const isLeft = this.#isChosen || this.isNobody || isLikeCode(this.#search.control.value.trim());
    if (!isLeft) return false;
    this.#leave();
    this.#order.fields.lines.focus();
    return true;
  }

  /** What is left in the field may be the number, phone or e-mail of one customer. */
  #leave(): void {
    const { control } = this.#search;
    const q = control.value.trim();
    if (this.#isChosen || !isLikeCode(q)) return;
    this.#left = this.#customers(q, new AbortController().signal).then(
      ([customer, ...others]) => {
        if (others.length === 0 && control.value.trim() === q) customer?.choose();
      },
      () => undefined, // the order says so
    );
  }

  /** Chooses the customer of a card that was scanned. */
  async scanned(id: number): Promise<void> {
    const found = await this.#client.get<Customer>(`/customers/${id}`).catch(() => undefined);
    if (found === undefined) return sayUnknown(`C${id}`);
    this.#choose(found);
    this.#search.control.dispatchEvent(new Event('change', { bubbles: true }));
  }

  /**
   * Each seller has one; of two that were made at once, all tills find the older one. One of another owner, who
   * may rename it, is not taken.
   */
  async #findOrAddWalkIn(): Promise<Customer> {
    const found = await this.#walkIn?.catch(() => undefined);
    const known = found ?? (await this.#findWalkIn());
    return known ?? (await this.#addCustomer({ name: walkInName }, 'walk-in'));
  }

  async #findWalkIn(): Promise<Customer | undefined> {
    const userId = this.#userId;
    const paths = walkInNames.map((name) => `/customers?${query({ name, userId, sort: 'name' })}`);
    const found = await Promise.all(paths.map((path) => this.#client.get<List<Customer>>(path)));
    const named = found.flatMap(({ data }) => data).filter(({ name }) => walkInNames.includes(name));
    const known = named.sort((a, b) => a.id - b.id);
    return known[0];
  }

  async #addCustomer(body: object, kind: 'customer' | 'walk-in'): Promise<Customer> {
    const options = { idempotencyKey: `${this.#order.idempotencyKey}-${kind}`, body };
    const sent = this.#client.send<Customer>('POST', '/customers', options);
    const { value } = await sent.catch((error: unknown) => {
      throw error instanceof Rejection ? inForm(error) : error;
    });
    return value;
  }
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
