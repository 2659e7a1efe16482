// The customer of a new order: one that is found, or a new one that is created with the order.
import { type ApiClient, query } from './api-client.ts';
import type { Address, Customer, Issue, List } from './api-types.ts';
import { card } from './cards.ts';
import { ContactFields } from './customer-fields.ts';
import { CustomerPicker, nobodyIsChosen, walkInName, walkInNames } from './customer-picker.ts';
import type { Entered } from './drafts.ts';
import { h } from './elements.ts';
import { checkRow } from './forms.ts';
import { Rejection } from './request-errors.ts';
import { t } from './texts.ts';

type Uses = {
  /** The signed-in user, who owns the customers that are made here. */
  readonly userId: number;
  /** Of the order. A customer is made with one that is derived from it. */
  readonly idempotencyKey: string;
  /** The customer is in the shop, and takes the goods along. */
  readonly walkIn: () => void;
  /** Receives the address of the chosen customer; null if none is known. */
  readonly suggest: (address: Address | null) => void;
  /** Takes a code that was scanned into the customer’s field; resolves to whether it is a product’s. */
  readonly scanned: (code: string) => Promise<boolean>;
  /** Moves the focus to what is entered after the customer. */
  readonly next: () => void;
};

export class CustomerChoice {
  readonly element: HTMLElement;
  readonly #client: ApiClient;
  readonly #userId: number;
  readonly #picker: CustomerPicker;
  readonly #contact: ContactFields;
  readonly #isNew = h('input', { type: 'checkbox', id: 'is-new-customer' });
  readonly #newRows: HTMLElement;
  readonly #walkInButton = h('button', { type: 'button' }, walkInName);
  /** Creates one customer, however often the form is sent. */
  readonly #idempotencyKey: string;
  #customer: Customer | undefined;
  #isWalkIn = false;

  constructor(client: ApiClient, { userId, idempotencyKey, walkIn, suggest, scanned, next }: Uses) {
    this.#client = client;
    this.#userId = userId;
    this.#idempotencyKey = idempotencyKey;
    this.#contact = new ContactFields(client, '/customer');
    this.#picker = new CustomerPicker(client, {
      onChoice: (customer) => {
        this.#customer = customer;
        this.#isWalkIn = false;
        if (customer !== undefined) suggest(customer.address);
        if (customer !== undefined && walkInNames.includes(customer.name)) walkIn();
      },
      onWalkIn: () => {
        this.#customer = undefined;
        this.#isWalkIn = true;
        walkIn();
      },
      onNew: (name) => this.#enterNew(name),
      onScan: scanned,
      onNext: next,
    });
    const hint = h('p', { class: 'hint' }, t('The delivery address below becomes theirs.'));
    this.#newRows = h('div', { hidden: true }, h('div', { class: 'grid' }, this.#contact.rows), hint);
    this.#isNew.addEventListener('change', () => {
      this.#show();
      suggest(this.#isNew.checked ? null : (this.#customer?.address ?? null));
    });
    this.#walkInButton.addEventListener('click', () => {
      this.#picker.chooseWalkIn();
      this.#picker.announce();
      next();
    });
    const others = h(
      'div',
      { class: 'others' },
      checkRow(this.#isNew, t('A new customer')),
      this.#walkInButton,
    );
    this.element = card(t('Customer'), this.#picker.element, others, this.#newRows);
  }

  focus(): void {
    this.#picker.control.focus();
  }

  /** Chooses the customer whom the URL names, unless another one was entered meanwhile. */
  suggest(customer: Customer): void {
    if (this.#picker.isEmpty && !this.#isNew.checked) this.#picker.choose(customer);
  }

  /** A customer who is chosen is kept by their number alone. */
  get entered(): Entered {
    if (this.#customer !== undefined) return { '/customerId': '', customer: String(this.#customer.id) };
    return this.#isWalkIn ? { customer: walkInName } : {};
  }

  restore(entered: Entered): void {
    const { customer } = entered;
    if (walkInNames.includes(String(customer))) this.#picker.chooseWalkIn();
    else if (typeof customer === 'string')
      void this.#client.get<Customer>(`/customers/${customer}`).then(
        (found) => this.suggest(found),
        () => undefined,
      );
  }

  issues(): Issue[] {
    const isChosen = this.#isWalkIn || this.#customer !== undefined;
    return this.#isNew.checked || isChosen ? [] : [noCustomer];
  }

  /** Returns the id of the chosen customer, or creates the new one, with this address. */
  async createOrGetId(address: object | null): Promise<number | undefined> {
    if (this.#isNew.checked) {
      this.#picker.choose(await this.#addCustomer({ ...this.#contact.read(), address }, 'customer'));
      this.#isNew.click(); // from now on the customer is one of those that can be found
    } else if (this.#isWalkIn) this.#customer ??= await this.#findOrAddWalkIn();
    return this.#customer?.id;
  }

  #enterNew(name: string): void {
    const { control } = this.#contact.name;
    this.#isNew.click();
    control.value = name;
    control.focus();
  }

  /**
   * Each seller has one; of two that were made at once, all tills find the older one. One of another owner, who
   * may rename it, is not taken.
   */
  async #findOrAddWalkIn(): Promise<Customer> {
    const userId = this.#userId;
    const paths = walkInNames.map((name) => `/customers?${query({ name, userId, sort: 'name' })}`);
    const found = await Promise.all(paths.map((path) => this.#client.get<List<Customer>>(path)));
    const named = found.flatMap(({ data }) => data).filter(({ name }) => walkInNames.includes(name));
    const known = named.sort((a, b) => a.id - b.id);
    return known[0] ?? (await this.#addCustomer({ name: walkInName }, 'walk-in'));
  }

  async #addCustomer(body: object, kind: 'customer' | 'walk-in'): Promise<Customer> {
    const options = { idempotencyKey: `${this.#idempotencyKey}-${kind}`, body };
    const sent = this.#client.send<Customer>('POST', '/customers', options);
    const { value } = await sent.catch((error: unknown) => {
      throw error instanceof Rejection ? inForm(error) : error;
    });
    return value;
  }

  #show(): void {
    this.#newRows.hidden = !this.#isNew.checked;
    this.#picker.element.hidden = this.#isNew.checked;
    this.#walkInButton.hidden = this.#isNew.checked;
  }
}

const noCustomer: Issue = { pointer: '/customerId', detail: nobodyIsChosen };

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
