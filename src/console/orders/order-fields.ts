// The fields of an order except its customer: items in a currency, delivery, and a note.
import type { ApiClient } from '../parts/api-client.ts';
import type { Issue, Order } from '../parts/api-types.ts';
import { card } from '../parts/cards.ts';
import { DeliveryFields } from './delivery-fields.ts';
import { type Child, h } from '../parts/elements.ts';
import { currencies, shopCurrency } from '../parts/formats.ts';
import { currencyChoice, field, noteField, textOf } from '../parts/forms.ts';
import { Articles } from '../products/articles.ts';
import { OrderLines } from './order-lines.ts';
import { rich, t } from '../parts/texts.ts';

export class OrderFields {
  readonly delivery = new DeliveryFields();
  /** The order’s total, for the bar with the form’s buttons. */
  readonly total: HTMLElement;
  readonly #articles: Articles;
  readonly #lines: OrderLines;
  readonly #currency = field({
    label: t('Currency'),
    pointer: '/currency',
    control: currencyChoice(),
  });
  readonly #note = noteField({ rows: 2, hint: t('It is printed on the packing slip.') });
  /** Only of use where something was sold, or has its price, in another currency than the shop’s. */
  readonly #currencyRow: HTMLElement;
  /** Whether the user has chosen the currency. */
  #isChosen = false;

  constructor(client: ApiClient) {
    this.#articles = new Articles(client);
    this.#lines = new OrderLines(this.#articles);
    this.total = h('p', { class: 'sum-up' }, rich('Total {total}', { total: this.#lines.total }));
    const { control, element } = this.#currency;
    control.addEventListener('change', () => {
      this.#isChosen = true;
      this.#lines.currency = control.value;
    });
    this.#currencyRow = h('div', { class: 'short', hidden: true }, element);
    this.#lines.element.addEventListener('input', () => this.#showCurrency());
  }

  /** The cards of all that can be entered, or of what can still be changed. */
  cards(changes: 'all' | 'delivery' | 'note' = 'all'): readonly Child[] {
    const note = this.#note.element;
    if (changes === 'note') return [card(t('Note'), note)];
    const items = changes === 'all' && card(t('Items'), this.#currencyRow, this.#lines.element);
    return [items, card(t('Delivery'), this.delivery.element, note)];
  }

  /** Adds a checkbox to the delivery, which has a key. */
  addBox(box: HTMLElement, key: string): void {
    box.append(h('kbd', {}, key));
    this.delivery.element.append(box);
  }

  /** Fills in an order to repeat or to change. */
  fillItems(order: Pick<Order, 'currency' | 'items'>): void {
    if (!this.#isChosen) this.#choose(order.currency);
    this.#lines.replace(order.items);
  }

  /** The number of lines that are not empty. */
  get itemCount(): string {
    return String(this.#lines.count);
  }

  /** Looks up what was scanned, and had no answer yet. */
  lookUpAgain(): void {
    this.#lines.lookUpAgain();
  }

  /** Adds empty lines until there are this many. */
  addItems(count: number): void {
    for (let lines = 1; lines < count; lines += 1) this.#lines.add();
  }

  /** Suggests what was sold before. */
  async loadSuggestions(): Promise<void> {
    await this.#articles.loadSold();
    this.#showCurrency();
  }

  /** Resolves once all codes that were scanned are items. */
  get settled(): Promise<void> {
    return this.#lines.settled;
  }

  /** Adds the product with this code. */
  scanned(code: string): void {
    this.#lines.scanned(code);
  }

  /** Focuses the first empty item. */
  focus(): void {
    this.#lines.focus();
  }

  set note(text: string | null) {
    this.#note.control.value = text ?? '';
  }

  /** What is sold over the counter needs no address. */
  issues({ isSold }: { readonly isSold: boolean }): Issue[] {
    return [...this.#lines.issues(), ...(isSold ? [] : this.delivery.issues())];
  }

  read(): Readonly<Record<'currency' | 'items' | 'note' | 'shippingAddress', unknown>> {
    return {
      currency: this.#currency.control.value,
      items: this.#lines.read(),
      note: textOf(this.#note),
      shippingAddress: this.delivery.read(),
    };
  }

  /**
   * A currency that the service no longer accepts stays in the list: the service's issue is then shown beside
   * the field.
   */
  #choose(code: string): void {
    const { control } = this.#currency;
    if (!currencies().includes(code)) control.append(h('option', { value: code }, code));
    control.value = code;
    this.#lines.currency = code;
    this.#showCurrency();
  }

  #showCurrency(): void {
    const used = new Set([...this.#articles.currencies, this.#currency.control.value, shopCurrency()]);
    if (used.size > 1) this.#currencyRow.hidden = false;
  }
}
