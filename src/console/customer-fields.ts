// The fields of a customer.
import { AddressFields } from './address-fields.ts';
import type { Customer } from './api-types.ts';
import { h } from './elements.ts';
import { field, type Field, textOf } from './forms.ts';

/** The name, e-mail address and phone number of a customer. */
export class ContactFields {
  readonly rows: readonly HTMLElement[];
  readonly name: Field;
  readonly #email: Field;
  readonly #phone: Field;

  /** `pointer` is the place of the customer in the form: `/customer`. */
  constructor(pointer: string, customer?: Customer) {
    const fieldOf = (label: string, member: 'name' | 'email' | 'phone'): Field =>
      field({ label, pointer: `${pointer}/${member}`, value: customer?.[member] ?? null });
    this.name = fieldOf('Name', 'name');
    this.#email = fieldOf('E-mail', 'email');
    this.#phone = fieldOf('Phone', 'phone');
    this.rows = [this.name, this.#email, this.#phone].map(({ row }) => row);
  }

  read(): object {
    return { name: textOf(this.name) ?? '', email: textOf(this.#email), phone: textOf(this.#phone) };
  }
}

export class CustomerFields {
  readonly element: HTMLElement;
  readonly #contact: ContactFields;
  readonly #address = new AddressFields('/address');

  constructor(customer?: Customer) {
    this.#contact = new ContactFields('', customer);
    if (customer !== undefined) this.#address.fill(customer.address);
    this.element = h('div', { class: 'grid' }, this.#contact.rows, this.#address.rows);
  }

  focus(): void {
    this.#contact.name.control.focus();
  }

  /** The address is null if all its lines are empty. */
  read(): object {
    return { ...this.#contact.read(), address: this.#address.read() };
  }
}
