// What is printed of an order: the packing slip without prices, but for what is still to pay, and the order confirmation
// with them. Each has sender, recipient and items, and ends with their number. The browser repeats the head of the table,
// which says shop and order, on each page.
import type { Address, Item, Order } from '../words/api-types.ts';
import { barcodePicture } from '../browser/barcode-picture.ts';
import { addressBlock } from '../page/cards.ts';
import { type Child, h } from '../browser/elements.ts';
import { addressLines, count, dateOnly, money } from '../words/formats.ts';
import { locale } from '../words/language.ts';
import { shopOfPage } from '../words/page-meta.ts';
import { isUnpaid, pickupText } from '../words/statuses.ts';
import { numbered, t } from '../words/texts.ts';

/** `name` is the customer's. */
export function packingSlip(order: Order, name: string): HTMLElement {
  const rows = order.items.map((item) => itemRow(item, '', h('td.tick')));
  const amount = money(order.total, order.currency);
  const toPay = isUnpaid(order) && t('To pay: {amount}', { amount });
  return sheet(order, {
    title: t('Packing slip'),
    name,
    rows: [...rows, endRow(piecesOf(order)), toPay && endRow(toPay)],
  });
}

/** Has the prices, and says that it is no receipt: orderly is no till. */
export function orderConfirmation(order: Order, name: string): HTMLElement {
  const { items, total, currency } = order;
  const rows = items.map((item) => {
    const below = t('{price} each', { price: money(item.unitPrice, currency) });
    return itemRow(item, below, h('td.sum', money(item.total, currency)));
  });
  const sum = h(
    'tr',
    endCell(`${t('Total')}, ${piecesOf(order)}`, 2),
    h('td.sum.end', money(total, currency)),
  );
  const none = endRow(t('This is neither a receipt nor an invoice.'));
  return sheet(order, { title: t('Order confirmation'), name, rows: [...rows, sum, none] });
}

/**
 * The sheets are printed, and nothing else of the page, until something else is pressed: iPads say that it is done when
 * it begins.
 */
export function printSheets(main: HTMLElement, sheets: readonly HTMLElement[]): void {
  const printed = h('div.printed', sheets);
  main.append(printed);
  window.print();
  for (const type of ['pointerdown', 'keydown', 'hashchange'])
    window.addEventListener(type, () => printed.remove(), { once: true, capture: true });
}

type Sheet = { readonly title: string; readonly name: string; readonly rows: readonly Child[] };

/** Printed without the rest of the page, on A4 or on a roll of 80 mm. */
function sheet(order: Order, { title, name, rows }: Sheet): HTMLElement {
  const { id, createdAt, shippingAddress, note } = order;
  const { name: shop, address } = shopOfPage();
  const sender = [shop, address].filter((text) => text !== null).join(', ');
  const number = t('Order {id}', { id });
  const pageTitle = [shop, number].filter((text) => text !== null).join(' · ');
  return h(
    'section.sheet',
    { 'aria-hidden': 'true' },
    sender !== '' && h('p', { dir: 'auto' }, sender),
    h('header', h('strong', title), h('span', number, h('br'), dateOnly(createdAt)), barcodePicture(id)),
    addressBlock(shippingAddress === null ? [name, pickupText(order)] : postalLines(shippingAddress, name)),
    h(
      'table',
      h('thead', h('tr', h('th', { colspan: 3, dir: 'auto' }, pageTitle))),
      h('tbody', rows, note !== null && endRow(noteText(note))),
    ),
  );
}

/** The country is named abroad alone, in capital letters (Universal Postal Union, S42). */
function postalLines(address: Address, name: string): readonly string[] {
  const lines = addressLines(address, name);
  const country = lines.pop()?.toLocaleUpperCase(locale) ?? '';
  return address.country === shopOfPage().country ? lines : [...lines, country];
}

function itemRow({ quantity, name, sku }: Item, below: string, last: HTMLElement): HTMLElement {
  const small = [sku ?? '', below].filter((text) => text !== '').map((text) => h('span.sku', text));
  return h('tr', h('td.number', count(quantity)), h('td', h('bdi', name), small), last);
}

function endRow(text: string): HTMLElement {
  return h('tr', endCell(text, 3));
}

function endCell(text: string, colspan: number): HTMLElement {
  return h('td.end', { colspan }, h('p.text', { dir: 'auto' }, text));
}

/** Whoever orders writes the note: line breaks alone would fill metres of a roll. */
const noteLinesMax = 12;

/** Blank lines are left out, and what comes after the last line that may begin is joined. */
function noteText(note: string): string {
  const lines = note.split(/[\n\u2028\u2029]/).filter((line) => line.trim() !== '');
  const rest = lines.splice(noteLinesMax - 1).join(' ');
  return [...lines, rest].join('\n').trimEnd(); // without a line for no rest
}

function piecesOf({ items }: Order): string {
  const pieces = items.reduce((sum, { quantity }) => sum + quantity, 0);
  return t(numbered(pieces, '1 piece', '{count} pieces'), { count: count(pieces) });
}
