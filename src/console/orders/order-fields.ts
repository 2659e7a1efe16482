// The fields of an order except its customer: items in a currency, delivery, and a note.
import type { ApiClient } from '../parts/api-client.ts';
import type { Issue } from '../parts/api-types.ts';
import { card } from '../parts/cards.ts';
import type { Child } from '../parts/elements.ts';
import { noteField, textOf } from '../parts/forms.ts';
import { t } from '../parts/texts.ts';
import { DeliveryFields } from './delivery-fields.ts';
import { OrderLines } from './order-lines.ts';

export class OrderFields {
  readonly lines: OrderLines;
  readonly delivery = new DeliveryFields();
  readonly #note: ReturnType<typeof noteField>;

  constructor(client: ApiClient, note: string | null = null) {
    this.lines = new OrderLines(client);
    this.#note = noteField({ rows: 2, value: note, hint: t('It is printed on the packing slip.') });
  }

  /** The cards of all that can be entered, or of what can still be changed. */
  cards(changes: 'all' | 'delivery' | 'note' = 'all'): readonly Child[] {
    const note = this.#note.element;
    if (changes === 'note') return [card(t('Note'), note)];
    const items = changes === 'all' && card(t('Items'), this.lines.element);
    return [items, card(t('Delivery'), this.delivery.element, note)];
  }

  /** What is sold over the counter needs no address. */
  issues({ isSold }: { readonly isSold: boolean }): Issue[] {
    return [...this.lines.issues(), ...(isSold ? [] : this.delivery.issues())];
  }

  read(): Readonly<Record<'currency' | 'items' | 'note' | 'shippingAddress', unknown>> {
    const { currency } = this.lines;
    const [items, note] = [this.lines.read(), textOf(this.#note)];
    return { currency, items, note, shippingAddress: this.delivery.read() };
  }
}
