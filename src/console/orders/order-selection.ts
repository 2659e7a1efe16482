// Orders that are selected in their list, to be marked or printed together. A bar below the list has the buttons.
import type { Order } from '../parts/api-types.ts';
import { customerName } from '../customers/customer-words.ts';
import { notify } from '../parts/dialogs.ts';
import { Drawing } from '../parts/drawing.ts';
import { button, type Child, h, icon, icons } from '../parts/elements.ts';
import { count } from '../parts/formats.ts';
import { action } from '../parts/forms.ts';
import { payButtons } from './order-payment.ts';
import { orderConfirmation, packingSlip, printSheets } from './packing-slip.ts';
import { isFinal, nameOf, usualStep, usualWay } from '../parts/statuses.ts';
import { isSingleKey, unlessKeysFollow } from '../parts/single-keys.ts';
import type { Column } from '../parts/tables.ts';
import type { Page } from '../parts/view.ts';
import { numbered, t } from '../parts/texts.ts';

export class OrderSelection {
  readonly element = h('div', {
    class: 'selection',
    role: 'toolbar',
    'aria-label': t('Selected orders'),
    hidden: true,
  });
  readonly #drawing = new Drawing(this.element);
  readonly #page: Page;
  readonly #ids = new Set<number>();
  #shown: readonly Order[] = [];
  /** Where a range of rows begins. */
  #last: number | undefined;

  constructor(page: Page) {
    this.#page = page;
    document.addEventListener('keydown', (event) => this.#pressed(event), { signal: page.signal });
  }

  /** The column of the boxes. */
  get column(): Column<Order> {
    const all = h('input', {
      type: 'checkbox',
      'aria-label': t('Select all orders of this page'),
      'data-key': 'select-all',
      onchange: ({ currentTarget: box }: Event) =>
        box instanceof HTMLInputElement && this.#selectAll(box.checked),
    });
    return {
      label: t('Selected'),
      head: h('label', all),
      kind: 'select',
      cell: ({ id }) => this.#box(id),
    };
  }

  /** Receives what the list shows: only that can be selected. */
  show(orders: readonly Order[]): void {
    this.#shown = orders;
    const shown = new Set(orders.map(({ id }) => id));
    for (const id of this.#ids) if (!shown.has(id)) this.#ids.delete(id);
    this.#drawBar();
  }

  #box(id: number): HTMLElement {
    const box = h('input', {
      type: 'checkbox',
      'aria-label': t('Select order {id}', { id }),
      'data-key': `select-${id}`,
      onclick: (event: Event) => this.#clicked(id, event),
    });
    box.checked = this.#ids.has(id);
    return h('label', box);
  }

  #clicked(id: number, event: Event): void {
    const { currentTarget: box } = event;
    if (!(box instanceof HTMLInputElement)) return;
    const isRange = event instanceof MouseEvent && event.shiftKey && this.#last !== undefined;
    this.#set(isRange ? this.#rangeTo(id) : [id], box.checked);
    this.#last = id;
  }

  #rangeTo(id: number): number[] {
    const ids = this.#shown.map((order) => order.id);
    const ends = [ids.indexOf(this.#last ?? id), ids.indexOf(id)];
    return ids.slice(Math.min(...ends), Math.max(...ends) + 1);
  }

  #selectAll(isSelected: boolean): void {
    this.#set(
      this.#shown.map(({ id }) => id),
      isSelected,
    );
  }

  #set(ids: readonly number[], isSelected: boolean): void {
    for (const id of ids) {
      if (isSelected) this.#ids.add(id);
      else this.#ids.delete(id);
      const box = this.#page.main.querySelector<HTMLInputElement>(`[data-key="select-${id}"]`);
      if (box !== null) box.checked = isSelected;
    }
    this.#drawBar();
  }

  /** The key selects the row with the focus, or the one under the pointer. */
  #pressed(event: KeyboardEvent): void {
    if (event.key !== 'x' || !isSingleKey(event)) return;
    const { main } = this.#page;
    const focused = document.activeElement?.closest('main tbody tr');
    const box = (focused ?? main.querySelector('tbody tr:hover'))?.querySelector<HTMLInputElement>(
      '.select input',
    );
    if (box !== null && box !== undefined) unlessKeysFollow(() => box.click());
  }

  #drawBar(): void {
    const { main, steps } = this.#page;
    const orders = this.#shown.filter(({ id }) => this.#ids.has(id));
    const all = main.querySelector<HTMLInputElement>('[data-key="select-all"]');
    if (all !== null) {
      all.checked = orders.length > 0 && orders.length === this.#shown.length;
      all.indeterminate = orders.length > 0 && !all.checked;
    }
    if (this.element.hidden !== (orders.length === 0)) this.element.hidden = orders.length === 0;
    const made = steps.offered(orders.map(({ id }) => id));
    this.#drawing.show(
      h('strong', { role: 'status' }, t('{count} selected', { count: count(orders.length) })),
      this.#stepButtons(orders),
      made.length > 0 && steps.takeBackButton(made),
      this.#printButton(t('Packing slips'), orders, packingSlip),
      this.#printButton(t('Order confirmations'), orders, orderConfirmation),
      button(t('Clear'), () => this.#selectAll(false), { class: 'quiet' }),
    );
  }

  /** The usual next step of those orders that have it: to be paid, a button for each way of payment. */
  #stepButtons(orders: readonly Order[]): readonly Child[] {
    const { steps } = this.#page;
    return usualWay.map((to) => {
      const able = orders.filter(({ status }) => usualStep(status) === to);
      if (able.length === 0) return undefined;
      const text = t('Mark {count} as {to}', { count: count(able.length), to: nameOf(to) });
      if (to === 'paid') {
        const pay = payButtons(
          (by) => `paid-${by}`,
          (by) => steps.make(able, to, by),
        );
        return h('div.next', { role: 'group', 'aria-label': text }, h('span', `${text}:`), pay);
      }
      return action(text, () => steps.make(able, to), { class: 'primary' });
    });
  }

  /** Those that have ended are no longer packed. */
  #printButton(
    label: string,
    orders: readonly Order[],
    sheetOf: (order: Order, name: string) => HTMLElement,
  ): HTMLElement | undefined {
    const printed = orders.filter(({ status }) => !isFinal(status));
    if (printed.length === 0) return undefined;
    const left = orders.length - printed.length;
    const text = numbered(
      left,
      '1 order is left out: it is cancelled or refunded.',
      '{count} orders are left out: they are cancelled or refunded.',
    );
    return action([icon(icons.print), label], async () => {
      if (left > 0) notify(t(text, { count: count(left) }));
      printSheets(
        this.#page.main,
        printed.map((order) => sheetOf(order, customerName(order))),
      );
    });
  }
}
