// Orders that are selected in their list, to be marked or printed together. A bar below the list has the buttons.
import { customerName } from '../customers/customer-words.ts';
import type { Order } from '../words/api-types.ts';
import { notify } from '../forms/dialogs.ts';
import { Drawing } from '../browser/drawing.ts';
import { button, type Child, h, icon, icons } from '../browser/elements.ts';
import { count } from '../words/formats.ts';
import { action } from '../forms/forms.ts';
import { isSingleKey, latinKey, unlessKeysFollow } from '../page/single-keys.ts';
import { isFinal, statusName, usualStep, usualWay } from '../words/statuses.ts';
import type { Column } from '../lists/tables.ts';
import { t } from '../words/texts.ts';
import type { Page } from '../page/view.ts';
import { stepButton } from './order-payment.ts';
import { orderConfirmation, packingSlip, printSheets } from './packing-slip.ts';

export function orderSelection(page: Page) {
  const { main, signal } = page;
  const label = t('Selected orders');
  const element = h('div.selection', { role: 'toolbar', 'aria-label': label, hidden: true });
  const drawing = new Drawing(element);
  const selected = new Set<number>();
  let shown: readonly Order[] = [];
  /** Where a range of rows begins. */
  let last: number | undefined;

  function select(orders: readonly Order[], isSelected: boolean): void {
    for (const { id } of orders) {
      if (isSelected) selected.add(id);
      else selected.delete(id);
    }
    draw();
  }

  /** With Shift, all orders between the box that was clicked before and this box become as this one is. */
  function clicked(id: number, box: HTMLInputElement, hasShift: boolean): void {
    const ids = shown.map((order) => order.id);
    const ends = [ids.indexOf(hasShift && last !== undefined ? last : id), ids.indexOf(id)];
    select(shown.slice(Math.min(...ends), Math.max(...ends) + 1), box.checked);
    last = id;
  }

  function draw(): void {
    const orders = shown.filter(({ id }) => selected.has(id));
    for (const box of main.querySelectorAll<HTMLInputElement>('tbody .select input'))
      box.checked = selected.has(Number(box.value));
    const all = main.querySelector<HTMLInputElement>('thead .select input');
    if (all !== null) {
      all.checked = orders.length > 0 && orders.length === shown.length;
      all.indeterminate = orders.length > 0 && !all.checked;
    }
    element.toggleAttribute('hidden', orders.length === 0);
    drawing.show(
      h('strong', { role: 'status' }, t('{count} selected', { count: count(orders.length) })),
      stepButtons(page, orders),
      printAllButton(page, { label: t('Packing slips'), orders, sheetOf: packingSlip }),
      printAllButton(page, { label: t('Confirmations'), orders, sheetOf: orderConfirmation }),
      button(icon(icons.remove), () => select(shown, false), { class: 'quiet', 'aria-label': t('Clear') }),
    );
  }

  /** The key selects the row with the focus, or the one under the pointer. */
  function pressed(event: KeyboardEvent): void {
    if (latinKey(event) !== 'x' || !isSingleKey(event)) return;
    const row = document.activeElement?.closest('main tbody tr') ?? main.querySelector('tbody tr:hover');
    const box = row?.querySelector<HTMLInputElement>('.select input');
    if (box !== null && box !== undefined) unlessKeysFollow(() => box.click());
  }

  document.addEventListener('keydown', pressed, { signal });
  return {
    /** The bar. */
    element,

    /** The column of the boxes. */
    column(): Column<Order> {
      const all = selectBox('all', t('Select all orders of this page'));
      all.onchange = () => select(shown, all.checked);
      return {
        label: t('Selected'),
        head: () => h('label', all),
        kind: 'select',
        cell({ id }) {
          const box = selectBox(id, t('Select order {id}', { id }));
          box.onclick = ({ shiftKey }) => clicked(id, box, shiftKey);
          box.checked = selected.has(id);
          return h('label', box);
        },
      };
    },

    /** Receives what the list shows: only that can be selected. */
    show(orders: readonly Order[]): void {
      shown = orders;
      const isGone = (id: number): boolean => orders.every((order) => order.id !== id);
      for (const id of selected) if (isGone(id)) selected.delete(id);
      if (last !== undefined && isGone(last)) last = undefined;
      draw();
    },
  };
}

function selectBox(value: number | 'all', label: string): HTMLInputElement {
  return h('input', { type: 'checkbox', value, 'aria-label': label, 'data-key': `select-${value}` });
}

/** The usual next step of those orders that have it. */
function stepButtons(page: Page, orders: readonly Order[]): readonly Child[] {
  return usualWay.map((to) => {
    const able = orders.filter(({ status }) => usualStep(status) === to);
    const about = { count: count(able.length), to: statusName(to, able) };
    const more = to === 'paid' ? ' …' : '';
    const label = t('{count} as {to}', about) + more; // three steps are one line on a tablet
    const attributes = { class: 'primary', 'aria-label': t('Mark {count} as {to}', about) + more };
    return able.length > 0 && stepButton(page, { orders: able, to, label }, attributes);
  });
}

type Printed = {
  readonly label: string;
  readonly orders: readonly Order[];
  readonly sheetOf: (order: Order, name: string) => HTMLElement;
};

/** Orders that are cancelled or refunded are left out: nothing is packed or confirmed any more. */
function printAllButton({ main }: Page, { label, orders, sheetOf }: Printed): HTMLElement | undefined {
  const printed = orders.filter(({ status }) => !isFinal(status));
  if (printed.length === 0) return undefined;
  const left = orders.length - printed.length;
  return action(label, async () => {
    if (left > 0) notify(t('Left out, since cancelled or refunded: {count}.', { count: count(left) }));
    const sheets = printed.map((order) => sheetOf(order, customerName(order)));
    printSheets(main, sheets);
  });
}
