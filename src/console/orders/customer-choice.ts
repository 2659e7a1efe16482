// The customer of a new order: one that is found while the user types, or a new one that is created with the order.
import { type ApiClient, query } from '../parts/api-client.ts';
import type { Customer, Issue, List } from '../parts/api-types.ts';
import { card } from '../parts/cards.ts';
import { type Combobox, combobox, type Found, type FoundGroup } from '../parts/combobox.ts';
import { contactMembers } from '../customers/customer-members.ts';
import { type Fields, fieldsOf } from '../parts/fields.ts';
import { customerSearch } from '../customers/customer-search.ts';
import { walkInName, walkInNames } from '../customers/customer-words.ts';
import { type Child, fill, h } from '../parts/elements.ts';
import { checkbox, clearIssue, type Entered, field, showIssue } from '../parts/forms.ts';
import type { OrderFields } from './order-fields.ts';
import { Rejection } from '../parts/request-errors.ts';
import { productWithCode } from '../products/articles.ts';
import { isBarcode, sayUnknown } from '../parts/scans.ts';
import { t } from '../parts/texts.ts';
import type { Page } from '../parts/view.ts';

const foundMax = 8;

const walkInText = t('A sale without a name');

const noCustomer: Issue = {
  pointer: '/customerId',
  detail: t('Choose a customer from the list, enter a new one, or press “{walkIn}”.', { walkIn: walkInName }),
};

type NewOrder = {
  /** A customer is made with a key that is derived from it. */
  readonly idempotencyKey: string;
  /** The rest of the order. */
  readonly fields: OrderFields;
};
type Choice = { readonly name: string; readonly again: () => void };

export class CustomerChoice {
  readonly element: HTMLElement;
  readonly #client: ApiClient;
  /** The signed-in user, who owns the customers that are made here. */
  readonly #userId: number;
  readonly #order: NewOrder;
  readonly #search: Combobox;
  readonly #searchRows: HTMLElement;
  /** Tells the chosen customer from others of the same name. */
  readonly #about = h('p', { class: 'hint', role: 'status' });
  readonly #contact: Fields;
  readonly #isNew = h('input', { type: 'checkbox', id: 'is-new-customer' });
  readonly #newRows: HTMLElement;
  readonly #walkInButton = h('button', { type: 'button' }, walkInName);
  #customer: Customer | undefined;
  #isWalkIn = false;
  /** Looked for while the items are entered; one that fails is looked for again. */
  #walkIn: Promise<Customer | undefined> = Promise.resolve(undefined);
  /** The last choice: it holds again as soon as the field has its name, as after a scan into the field. */
  #last: Choice | undefined;

  constructor({ client, user }: Pick<Page, 'client' | 'user'>, order: NewOrder) {
    this.#client = client;
    this.#userId = user.id;
    this.#order = order;
    this.#contact = fieldsOf(contactMembers(client), { pointer: '/customer' });
    const customers = customerSearch(client, foundMax, (customer) => {
      this.#choose(customer);
      this.#goOn();
    });
    this.#search = combobox({
      label: t('Customer'),
      placeholder: t('Name, e-mail, phone or number'),
      lookUp: async (q, signal) => {
        const [products, found] = await Promise.all([this.#productsCalled(q, signal), customers(q, signal)]);
        const isName = products.length === 0 && !isBarcode(q);
        return [
          { label: t('Products'), found: products },
          { label: t('Customers'), found: [...found, ...(isName ? [this.#newOption(q)] : [])] },
        ] satisfies FoundGroup[];
      },
      onKey: (event, active) => this.#pressed(event, active),
    });
    const { control, list } = this.#search;
    control.dataset['scan'] = 'customer';
    control.addEventListener('focus', () => this.#isWalkIn && control.select()); // the next letter replaces it
    control.addEventListener('input', () => this.#typed());
    const { element } = field({ label: t('Customer'), pointer: '/customerId', control, isWide: true });
    this.#searchRows = h('div', {}, element, list, this.#about);
    const hint = h('p', { class: 'hint' }, t('The delivery address below becomes theirs.'));
    this.#newRows = h('div', { hidden: true }, this.#contact.element, hint);
    this.#isNew.addEventListener('change', () => {
      this.#show();
      order.fields.delivery.suggest(this.#isNew.checked ? null : (this.#customer?.address ?? null));
    });
    this.#walkInButton.addEventListener('click', () => {
      this.#chooseWalkIn();
      this.#goOn();
    });
    const others = h(
      'div',
      { class: 'others' },
      checkbox(this.#isNew, t('A new customer')),
      this.#walkInButton,
    );
    this.element = card(t('Customer'), this.#searchRows, others, this.#newRows);
  }

  focus(): void {
    this.#search.control.focus();
  }

  /** As new orders of this device begin: a customer can still be chosen. */
  beginAsWalkIn(): void {
    if (this.#isEmpty && !this.#isNew.checked) this.#chooseWalkIn();
  }

  /** Chooses the customer whom the URL names, unless another one was entered meanwhile. */
  suggest(customer: Customer): void {
    if ((this.#isEmpty || this.#isWalkIn) && !this.#isNew.checked) this.#choose(customer);
  }

  /** A customer who is chosen is kept by their number alone. */
  get entered(): Entered {
    if (this.#customer !== undefined) return { '/customerId': '', customer: String(this.#customer.id) };
    return this.#isWalkIn ? { '/customerId': walkInName, customer: walkInName } : {};
  }

  /** Returns what is to be entered again: the language may have changed since. */
  restore(entered: Entered): Entered {
    const { customer } = entered;
    if (walkInNames.includes(String(customer))) {
      this.#chooseWalkIn();
      return { ...entered, ...this.entered };
    }
    if (typeof customer === 'string')
      void this.#client.get<Customer>(`/customers/${customer}`).then(
        (found) => this.suggest(found),
        () => undefined,
      );
    return entered;
  }

  issues(): Issue[] {
    return this.#isNew.checked || this.#isChosen ? [] : [noCustomer];
  }

  /** Returns the id of the chosen customer, or creates the new one, with this address. */
  async createOrGetId(address: object | null): Promise<number | undefined> {
    if (this.#isNew.checked) {
      this.#choose(await this.#addCustomer({ ...this.#contact.read(), address }, 'customer'));
      this.#isNew.click(); // from now on the customer is one of those that can be found
    } else if (this.#isWalkIn) this.#customer ??= await this.#findOrAddWalkIn();
    return this.#customer?.id;
  }

  /** Whether nothing was typed or chosen yet. */
  get #isEmpty(): boolean {
    return this.#search.control.value.trim() === '';
  }

  get #isChosen(): boolean {
    return this.#isWalkIn || this.#customer !== undefined;
  }

  #typed(): void {
    if (this.#search.control.value === this.#last?.name) this.#last.again();
    else this.#forget();
  }

  #forget(): void {
    this.#customer = undefined;
    this.#isWalkIn = false;
    fill(this.#about);
  }

  #choose(customer: Customer): void {
    const { id, name, phone, email, address } = customer;
    this.#customer = customer;
    this.#isWalkIn = false;
    const details = [t('Customer {id}', { id }), phone, email, address?.city].filter(
      (each) => typeof each === 'string',
    );
    this.#showChoice({ name, again: () => this.#choose(customer) }, h('bdi', {}, details.join(' · ')));
    const { delivery } = this.#order.fields;
    delivery.suggest(address);
    if (walkInNames.includes(name)) delivery.walkIn();
  }

  #chooseWalkIn(): void {
    this.#customer = undefined;
    this.#isWalkIn = true;
    this.#walkIn = this.#findWalkIn();
    this.#walkIn.catch(() => undefined); // the order says so
    this.#showChoice({ name: walkInName, again: () => this.#chooseWalkIn() }, walkInText);
    this.#order.fields.delivery.walkIn();
  }

  #showChoice(choice: Choice, about: Child): void {
    this.#last = choice;
    this.#search.control.value = choice.name;
    clearIssue(this.#search.control);
    this.#search.close();
    fill(this.#about, about);
  }

  /** Browsers dispatch no event for what a script has entered. */
  #goOn(): void {
    this.#search.control.dispatchEvent(new Event('change', { bubbles: true }));
    this.#order.fields.focus();
  }

  #newOption(name: string): Found {
    const choose = (): void => {
      this.#isNew.click();
      this.#contact.write({ name });
      this.#contact.element.querySelector('input')?.focus();
    };
    return { id: 'new', name: t('New customer “{name}”', { name }), about: '', choose };
  }

  #offerWalkIn(): void {
    const choose = (): void => {
      this.#chooseWalkIn();
      this.#goOn();
    };
    const found = [{ id: 'walk-in', name: walkInName, about: walkInText, choose }];
    this.#search.offer([{ label: t('Customers'), found }]);
  }

  /** Tab chooses like Enter, but waits for no answer. Enter never sends the form. */
  #pressed({ key, shiftKey }: KeyboardEvent, active: Found | undefined): boolean {
    if (key === 'Tab' && !shiftKey) {
      active?.choose();
      if (!this.#isChosen && !this.#isEmpty && active === undefined) this.#left();
      return active !== undefined;
    }
    if (key !== 'Enter' || active !== undefined) return false;
    if (this.#isChosen) this.#order.fields.focus();
    else if (this.#isEmpty) this.#offerWalkIn();
    else return false;
    return true;
  }

  /** What was left in the field may be the code of a product, by a scanner that is slow and ends with Tab. */
  #left(): void {
    const { control } = this.#search;
    showIssue(control, noCustomer.detail);
    const text = control.value.trim();
    const products = this.#productsCalled(text, new AbortController().signal);
    void products.then(([product]) => control.value.trim() === text && product?.choose());
  }

  /** Returns the product whose code was typed, also after the name of the customer who is chosen. */
  async #productsCalled(q: string, signal: AbortSignal): Promise<readonly Found[]> {
    const { name = '' } = this.#last ?? {};
    const before = name !== '' && q.startsWith(name) ? name : '';
    const code = q.slice(before.length).trim();
    if (!/^\S{3,}$/.test(code)) return [];
    const product = await productWithCode(this.#client, code, signal).catch(() => undefined);
    if (product === undefined) return [];
    const choose = (): void => {
      this.#search.close();
      this.#search.control.value = before;
      this.#search.control.dispatchEvent(new Event('input', { bubbles: true }));
      this.#order.fields.scanned(code);
    };
    return [{ id: `product-${product.id}`, name: product.name, about: product.sku, choose }];
  }

  /** Chooses the customer of a card that was scanned. */
  async scanned(id: number): Promise<void> {
    const found = await this.#client.get<Customer>(`/customers/${id}`).catch(() => undefined);
    if (found === undefined) return sayUnknown(`C${id}`);
    if (this.#isNew.checked) this.#isNew.click();
    this.#choose(found);
    this.#search.control.dispatchEvent(new Event('change', { bubbles: true }));
  }

  /**
   * Each seller has one; of two that were made at once, all tills find the older one. One of another owner, who
   * may rename it, is not taken.
   */
  async #findOrAddWalkIn(): Promise<Customer> {
    const found = await this.#walkIn.catch(() => this.#findWalkIn());
    return found ?? (await this.#addCustomer({ name: walkInName }, 'walk-in'));
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

  #show(): void {
    this.#newRows.hidden = !this.#isNew.checked;
    this.#searchRows.hidden = this.#isNew.checked;
    this.#walkInButton.hidden = this.#isNew.checked;
  }
}

/** Points the issues at the form's fields, where the customer's address is that of the delivery. */
function inForm({ code, status, message: detail, issues }: Rejection): Rejection {
  const errors = issues.map((issue) => {
    const path = (issue.pointer ?? '').replace('#', '');
    const isAddress = path.startsWith('/address/');
    const pointer = isAddress ? path.replace('/address', '/shippingAddress') : `/customer${path}`;
    return { ...issue, pointer: `#${pointer}` };
  });
  return new Rejection({ code, status, detail, errors });
}
