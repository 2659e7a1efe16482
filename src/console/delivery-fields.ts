// The delivery of an order: an address, or pickup. The user has to choose one of them.
import { AddressFields } from './address-fields.ts';
import type { Address, Issue } from './api-types.ts';
import { h } from './elements.ts';
import { checkRow } from './forms.ts';

export class DeliveryFields {
  readonly element: HTMLElement;
  readonly #address = new AddressFields('/shippingAddress');
  readonly #isPickup = h('input', { type: 'checkbox', id: 'is-pickup' });
  readonly #rows = h('div', { class: 'grid' }, this.#address.rows);

  constructor() {
    this.#isPickup.addEventListener('change', () => this.#show());
    this.element = h('div', {}, checkRow(this.#isPickup, 'Picked up'), this.#rows);
  }

  /** Fills in the address of the chosen customer; null if none is known. */
  suggest(address: Address | null): void {
    this.#address.fill(address);
  }

  /** Copies the delivery of another order; null means that it was picked up. */
  repeat(address: Address | null): void {
    this.#isPickup.checked = address === null;
    if (address !== null) this.#address.fill(address);
    this.#show();
  }

  issues(): Issue[] {
    if (this.#isPickup.checked || this.#address.read() !== null) return [];
    const detail = 'Enter the address that it is sent to, or tick “Picked up”.';
    return [{ pointer: '/shippingAddress/line1', detail }];
  }

  /** Returns null if the order is picked up. */
  read(): object | null {
    return this.#isPickup.checked ? null : this.#address.read();
  }

  #show(): void {
    this.#rows.hidden = this.#isPickup.checked;
  }
}
