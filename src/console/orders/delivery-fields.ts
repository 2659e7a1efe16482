// The delivery of an order: an address, or pickup. What is sold to nobody in particular is taken along.
import { AddressFields } from '../parts/address-fields.ts';
import type { Address, Issue } from '../parts/api-types.ts';
import { button, fill, h } from '../parts/elements.ts';
import { addressLines } from '../parts/formats.ts';
import { checkbox } from '../parts/forms.ts';
import { rich, t } from '../parts/texts.ts';

export class DeliveryFields {
  readonly element: HTMLElement;
  readonly #address = new AddressFields('/shippingAddress');
  readonly #isPickup = h('input', { type: 'checkbox', id: 'is-pickup' });
  readonly #rows = h('div', { class: 'grid' }, this.#address.elements);
  readonly #offer = h('p', { class: 'hint', role: 'status' });
  /** Whether the user has typed an address that no other one may replace. */
  #isTyped = false;
  /** Whether the user has chosen between an address and pickup. */
  #isChosen = false;
  #isToNobody = false;

  constructor() {
    this.#rows.addEventListener('input', () => (this.#isTyped = true));
    this.#isPickup.addEventListener('change', () => {
      this.#isChosen = true;
      this.#show();
    });
    this.element = h('div', {}, checkbox(this.#isPickup, t('Picked up')), this.#rows, this.#offer);
  }

  /** Without a customer there is nothing to choose. */
  set isToNobody(isToNobody: boolean) {
    this.#isToNobody = isToNobody;
    this.#show();
  }

  get isTakenAlong(): boolean {
    return this.read() === null;
  }

  /** Fills in the address of the chosen customer; null if none is known. One that was typed stays. */
  suggest(address: Address | null): void {
    if (!this.#isChosen) this.#isPickup.checked = false;
    this.#show();
    const isKept = this.#isTyped && this.#address.read() !== null && !this.#address.isSame(address);
    if (isKept) this.#offerInstead(address);
    else this.#fill(address);
  }

  #fill(address: Address | null): void {
    this.#address.fill(address);
    this.#isTyped = false;
    fill(this.#offer);
  }

  #offerInstead(address: Address | null): void {
    if (address === null) return fill(this.#offer);
    const use = button(t('Use theirs'), () => this.#use(address));
    const lines = h('bdi', {}, addressLines(address).join(', '));
    fill(
      this.#offer,
      rich('The customer’s own address is another one: {address} {use}', { address: lines, use }),
    );
  }

  #use(address: Address): void {
    this.#fill(address);
    this.element.dispatchEvent(new Event('change', { bubbles: true }));
  }

  /** Copies the delivery of another order; null means that it was picked up. */
  repeat(address: Address | null): void {
    this.#isChosen = true;
    this.#isPickup.checked = address === null;
    if (address !== null) this.#fill(address);
    this.#show();
  }

  /** Fills in the delivery of an order that is changed: no other address replaces it unasked. */
  keep(address: Address | null): void {
    this.repeat(address);
    this.#isTyped = true;
  }

  issues(): Issue[] {
    if (this.#isToNobody || this.#isPickup.checked || this.#address.read() !== null) return [];
    const detail = t('Enter the address that it is sent to, or tick “Picked up”.');
    return [{ pointer: '/shippingAddress/line1', detail }];
  }

  /** Returns null if the order is picked up. */
  read(): object | null {
    return this.#isToNobody || this.#isPickup.checked ? null : this.#address.read();
  }

  #show(): void {
    this.#rows.hidden = this.#isToNobody || this.#isPickup.checked;
    this.#offer.hidden = this.#rows.hidden;
    const box = this.#isPickup.parentElement;
    if (box !== null) box.hidden = this.#isToNobody;
  }
}
