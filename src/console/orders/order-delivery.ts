// The delivery in the form of an order: an address, or pickup, and for a sale whether it is handed over. What is sold
// to nobody in particular is taken along.
import type { Address, Issue } from '../words/api-types.ts';
import { hasValues } from '../page/concurrent-edit.ts';
import { button, fill, h } from '../browser/elements.ts';
import { addressInput } from '../forms/fields.ts';
import { addressLines } from '../words/formats.ts';
import { checkbox } from '../forms/forms.ts';
import { rich, t } from '../words/texts.ts';
import { changed } from './order-lines.ts';

type Options = {
  /** Whether the order has no customer to be sent to. */
  readonly isToNobody: () => boolean;
  /** Whether it may be sold over the counter. */
  readonly isSale: boolean;
};

export function orderDelivery({ isToNobody, isSale }: Options) {
  const address = addressInput('/shippingAddress');
  const rows = h('div.grid', address.elements);
  const isPickup = h('input', { type: 'checkbox', id: 'is-pickup' });
  const pickup = checkbox(isPickup, t('Picked up'));
  const about = { 'aria-keyshortcuts': 'F9', 'aria-describedby': 'handed-over-hint' };
  const isHandedOver = h('input', { type: 'checkbox', id: 'is-handed-over', ...about });
  const handedOver = checkbox(isHandedOver, t('Handed over'));
  handedOver.append(h('kbd', 'F9'));
  /** No order is delivered and still to be paid. */
  const handedOverHint = h(
    'p.hint',
    { id: 'handed-over-hint' },
    t('Kept only with a payment. With “Place order”, write it in the note.'),
  );
  /** Has the customer’s own address, where another one was typed. */
  const offer = h('p.hint', { role: 'status' });
  /** Whether the user has typed an address that no other one may replace. */
  let isTyped = false;
  /** Whether the user has chosen between an address and pickup, and whether it is handed over. */
  const isSaid = { delivery: false, handing: false };
  rows.addEventListener('input', () => (isTyped = true));
  isPickup.addEventListener('change', () => (isSaid.delivery = true));
  isHandedOver.addEventListener('input', () => (isSaid.handing = true)); // which comes before `change`

  const hasAddress = (): boolean => !isToNobody() && !isPickup.checked;

  function write(value: Address | null): void {
    address.write(value);
    isTyped = false;
    fill(offer);
  }

  /** What has no address is handed over, unless somebody has said otherwise. */
  function draw(): void {
    pickup.hidden = isToNobody();
    for (const element of [rows, offer]) element.hidden = !hasAddress();
    if (!isSaid.handing) isHandedOver.checked = !hasAddress() || address.read() === null;
    handedOverHint.hidden = isToNobody() || !isHandedOver.checked;
  }

  return {
    element: h('div', pickup, rows, offer, isSale && [handedOver, handedOverHint]),
    draw,

    get isHandedOver(): boolean {
      return isHandedOver.checked;
    },

    /** Fills in the address of the chosen customer; null if none is known. One that was typed stays. */
    suggest(own: Address | null): void {
      if (!isSaid.delivery) isPickup.checked = false;
      const typed = isTyped ? address.read() : null;
      if (typed === null || (own !== null && hasValues(own, typed))) return write(own);
      const use = button(t('Use theirs'), () => {
        write(own);
        changed(rows);
      });
      const lines = own !== null && h('bdi', addressLines(own).join(', '));
      const about = { address: lines, use };
      fill(offer, own !== null && rich('The customer’s own address is another one: {address} {use}', about));
    },

    /** Copies the delivery of another order; null means that it was picked up. */
    repeat(other: Address | null): void {
      isSaid.delivery = true;
      isPickup.checked = other === null;
      if (other !== null) write(other);
      draw();
    },

    /** No other address replaces what is there unasked. */
    keep(): void {
      isTyped = true;
    },

    issues(): Issue[] {
      if (!hasAddress() || address.read() !== null) return [];
      const detail = t('Enter the address that it is sent to, or tick “Picked up”.');
      return [{ pointer: '/shippingAddress/line1', detail }];
    },

    /** Returns null if the order is picked up. */
    read: (): object | null => (hasAddress() ? address.read() : null),
  };
}
