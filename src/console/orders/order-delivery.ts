// The delivery in the form of an order: an address, or pickup. What is sold to nobody in particular is taken along.
import type { Address, Issue } from '../parts/api-types.ts';
import { hasValues } from '../parts/conflicts.ts';
import { button, fill, h } from '../parts/elements.ts';
import { addressLines } from '../parts/formats.ts';
import { rich, t } from '../parts/texts.ts';
import { changed } from './order-lines.ts';
import type { OrderForm } from './order-state.ts';

/** Nothing is in the field of the customer: then there is nothing to choose. */
export function isToNobody({ search }: OrderForm): boolean {
  return search.control.value.trim() === '';
}

function hasAddress(form: OrderForm): boolean {
  return !isToNobody(form) && !form.isPickup.checked;
}

export function drawDelivery(form: OrderForm): void {
  form.isPickup.parentElement?.toggleAttribute('hidden', isToNobody(form));
  for (const element of [form.addressRows, form.offer]) element.hidden = !hasAddress(form);
}

/** Fills in the address of the chosen customer; null if none is known. One that was typed stays. */
export function suggestAddress(form: OrderForm, address: Address | null): void {
  if (!form.isDeliverySaid) form.isPickup.checked = false;
  const typed = form.isAddressTyped ? form.address.read() : null;
  if (typed === null || (address !== null && hasValues(address, typed))) return fillAddress(form, address);
  const use = button(t('Use theirs'), () => {
    fillAddress(form, address);
    changed(form.addressRows);
  });
  const lines = address !== null && h('bdi', addressLines(address).join(', '));
  const about = { address: lines, use };
  fill(
    form.offer,
    address !== null && rich('The customer’s own address is another one: {address} {use}', about),
  );
}

function fillAddress(form: OrderForm, address: Address | null): void {
  form.address.write(address);
  form.isAddressTyped = false;
  fill(form.offer);
}

/** Copies the delivery of another order; null means that it was picked up. */
export function repeatDelivery(form: OrderForm, address: Address | null): void {
  form.isDeliverySaid = true;
  form.isPickup.checked = address === null;
  if (address !== null) fillAddress(form, address);
  form.draw();
}

export function deliveryIssues(form: OrderForm): Issue[] {
  if (!hasAddress(form) || form.address.read() !== null) return [];
  const detail = t('Enter the address that it is sent to, or tick “Picked up”.');
  return [{ pointer: '/shippingAddress/line1', detail }];
}

/** Returns null if the order is picked up. */
export function readDelivery(form: OrderForm): object | null {
  return hasAddress(form) ? form.address.read() : null;
}
