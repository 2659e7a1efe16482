// The delivery in the form of an order: handed over in a sale, picked up, or sent to an address. Until somebody
// chooses, it is sent to a customer who has an address, and a sale to anybody else is handed over.
import type { Address, Issue } from '../words/api-types.ts';
import { card } from '../page/cards.ts';
import { hasValues } from '../page/concurrent-edit.ts';
import { button, fill, h, setText } from '../browser/elements.ts';
import { addressInput } from '../forms/fields.ts';
import { addressLines } from '../words/formats.ts';
import { checkbox, dispatchChange } from '../forms/forms.ts';
import { rich, t } from '../words/texts.ts';

type Options = {
  /** Whether the order has no customer to be sent to. */
  readonly isToNobody: () => boolean;
  /** Whether it may be sold over the counter. */
  readonly isSale: boolean;
};

export function orderDelivery({ isToNobody, isSale }: Options) {
  const address = addressInput('/shippingAddress');
  const rows = h('div.grid', address.elements);
  const name = `way-${crypto.randomUUID()}`;
  const way = (id: string, attributes = {}): HTMLInputElement =>
    h('input', { type: 'radio', id, name, ...attributes });
  const handedOver = way('is-handed-over', { 'aria-keyshortcuts': 'F9' });
  const pickup = way('is-pickup');
  const sent = way('is-sent');
  const overTheCounter = checkbox(handedOver, t('Handed over'));
  overTheCounter.append(h('kbd', 'F9'));
  /** Whether “Handed over” was pressed, and is not only usual. A draft keeps it like what can be seen. */
  const taken = h('input', { type: 'checkbox', id: 'is-taken', hidden: true });
  const choices = h(
    'div.buttons',
    { role: 'radiogroup', 'aria-label': t('Delivery') },
    isSale && [overTheCounter, taken],
    checkbox(pickup, t('Picked up')),
    checkbox(sent, t('Sent')),
  );
  const hint = h('p.hint', { role: 'status' });
  /** Has the customer’s own address, where another one was typed. */
  const offer = h('p.hint', { role: 'status' });
  const element = card(t('Delivery'), h('div', !isSale && choices, rows, offer));
  /** Whether the user has typed an address that no other one may replace. */
  let isTyped = false;
  /** Whether the user has chosen the way. */
  let isSaid = false;
  rows.addEventListener('input', () => (isTyped = isSaid = true));
  choices.addEventListener('input', () => (isSaid = true));
  handedOver.addEventListener('click', () => {
    isSaid = taken.checked = true;
    dispatchChange(taken);
  });

  function write(value: Address | null): void {
    address.write(value);
    isTyped = false;
    fill(offer);
  }

  function draw(): void {
    const isKnown = !isToNobody() && address.read() !== null;
    if (!isSaid) (isSale && !isKnown ? handedOver : sent).checked = true;
    setText(hint, said());
    element.hidden = isSale && !sent.checked;
    for (const each of [rows, offer]) each.hidden = !sent.checked;
  }

  /** What follows from the way, where it is easily missed. */
  function said(): string {
    if (handedOver.checked && !taken.checked && !isToNobody())
      return t('With “Place order” it is picked up later: if not, press “Handed over”.');
    return sent.checked && !isSaid ? t('It is sent, since the customer has an address.') : '';
  }

  return {
    /** Beside the customer, where it is in sight. */
    choices: isSale && [choices, hint],
    element,
    draw,

    get isHandedOver(): boolean {
      return handedOver.checked;
    },

    /** Whether somebody has said so, for an order that isn't paid. */
    get isTaken(): boolean {
      return handedOver.checked && taken.checked;
    },

    get isSent(): boolean {
      return sent.checked;
    },

    /** Fills in the address of the chosen customer; null if none is known. One that was typed stays. */
    suggest(own: Address | null): void {
      const typed = isTyped ? address.read() : null;
      if (typed === null || (own !== null && hasValues(own, typed))) return write(own);
      const use = button(t('Use theirs'), () => {
        write(own);
        dispatchChange(rows);
      });
      const lines = own !== null && h('bdi', addressLines(own).join(', '));
      const about = { address: lines, use };
      fill(offer, own !== null && rich('The customer’s own address is another one: {address} {use}', about));
    },

    /** Copies the delivery of another order; null means that it was picked up. */
    repeat(other: Address | null): void {
      isSaid = true;
      (other !== null ? sent : isSale ? handedOver : pickup).checked = true;
      if (other !== null) write(other);
      draw();
    },

    /** No other address replaces what is there unasked. */
    keep(): void {
      isTyped = true;
    },

    issues(): Issue[] {
      if (!sent.checked || address.read() !== null) return [];
      const detail = t('Enter the address that it is sent to, or choose another way.');
      return [{ pointer: '/shippingAddress/line1', detail }];
    },

    /** For a new customer: their address was typed also if this sale isn't sent, while another order's is none of theirs. */
    ofNewCustomer: (): object | null => (isSale || sent.checked ? address.read() : null),

    /** Returns null unless the order is sent. */
    read: (): object | null => (sent.checked ? address.read() : null),
  };
}
