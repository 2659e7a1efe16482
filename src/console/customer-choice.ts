// The customer of a new order: one that is found, or a new one that is created with the order.
import type { Address, Customer, Issue } from './api-types.ts';
import { card } from './cards.ts';
import { ContactFields } from './customer-fields.ts';
import { CustomerPicker, nobodyIsChosen } from './customer-picker.ts';
import { h } from './elements.ts';
import { checkRow } from './forms.ts';
import { Rejection } from './request-errors.ts';
import type { Page } from './view.ts';

type Uses = {
  /** Receives the address of the chosen customer; null if none is known. */
  readonly suggest: (address: Address | null) => void;
  /** Moves the focus to what is entered after the customer. */
  readonly next: () => void;
};

export class CustomerChoice {
  readonly element: HTMLElement;
  readonly #page: Page;
  readonly #picker: CustomerPicker;
  readonly #contact: ContactFields;
  readonly #isNew = h('input', { type: 'checkbox', id: 'is-new-customer' });
  readonly #newRows: HTMLElement;
  /** Creates one customer, however often the form is sent. */
  readonly #idempotencyKey = crypto.randomUUID();
  #customer: Customer | undefined;

  constructor(page: Page, { suggest, next }: Uses) {
    this.#page = page;
    this.#contact = new ContactFields(page.client, '/customer');
    this.#picker = new CustomerPicker(page, {
      onChoice: (customer) => {
        this.#customer = customer;
        if (customer !== undefined) suggest(customer.address);
      },
      onNew: (name) => this.#enterNew(name),
      onNext: next,
    });
    const hint = h('p', { class: 'hint' }, 'The delivery address below becomes theirs.');
    this.#newRows = h('div', { hidden: true }, h('div', { class: 'grid' }, this.#contact.rows), hint);
    this.#isNew.addEventListener('change', () => {
      this.#show();
      suggest(this.#isNew.checked ? null : (this.#customer?.address ?? null));
    });
    const newRow = checkRow(this.#isNew, 'A new customer');
    this.element = card('Customer', this.#picker.element, newRow, this.#newRows);
  }

  focus(): void {
    this.#picker.control.focus();
  }

  /** Chooses the customer whom the URL names, unless another one was entered meanwhile. */
  suggest(customer: Customer): void {
    if (this.#picker.isEmpty && !this.#isNew.checked) this.#picker.choose(customer);
  }

  issues(): Issue[] {
    return this.#isNew.checked || this.#customer !== undefined ? [] : [noCustomer];
  }

  /** Returns the id of the chosen customer, or creates the new one, with this address. */
  async createOrGetId(address: object | null): Promise<number | undefined> {
    if (this.#isNew.checked) {
      this.#picker.choose(await this.#addCustomer({ ...this.#contact.read(), address }));
      this.#isNew.click(); // from now on the customer is one of those that can be found
    }
    return this.#customer?.id;
  }

  #enterNew(name: string): void {
    const { control } = this.#contact.name;
    this.#isNew.click();
    control.value = name;
    control.focus();
  }

  async #addCustomer(body: object): Promise<Customer> {
    const options = { idempotencyKey: this.#idempotencyKey, body };
    const sent = this.#page.client.send<Customer>('POST', '/customers', options);
    const { value } = await sent.catch((error: unknown) => {
      throw error instanceof Rejection ? inForm(error) : error;
    });
    return value;
  }

  #show(): void {
    this.#newRows.hidden = !this.#isNew.checked;
    this.#picker.element.hidden = this.#isNew.checked;
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
