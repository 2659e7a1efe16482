// What is printed of an order: the packing slip without prices, and the order confirmation with them. Each has
// sender, recipient and items, on pages that say which they are.
import type { Address, Item, Order } from '../parts/api-types.ts';
import { barcodePicture } from '../parts/barcode-picture.ts';
import { addressBlock } from '../parts/cards.ts';
import { type Child, h } from '../parts/elements.ts';
import { addressLines, count, dateOnly, money } from '../parts/formats.ts';
import { locale } from '../parts/language.ts';
import { textOfPage } from '../parts/page-text.ts';
import { numbered, t } from '../parts/texts.ts';

/** `name` is the customer's. */
export function packingSlip(order: Order, name: string): HTMLElement {
  const rows = [...order.items.map(packedRow), sumRow(piecesOf(order))];
  return sheet(order, { title: t('Packing slip'), name, rows });
}

/** Has the prices, and says that it is no receipt: orderly is no till. */
export function orderConfirmation(order: Order, name: string): HTMLElement {
  const { items, total, currency } = order;
  const sum = `${t('Total')}, ${piecesOf(order)}`;
  const rows = [
    ...items.map((item) => pricedRow(item, currency)),
    sumRow(sum, h('td.sum.end', money(total, currency))),
    sumRow(t('This is neither a receipt nor an invoice.')),
  ];
  return sheet(order, { title: t('Order confirmation'), name, rows });
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

type SheetOptions = { readonly title: string; readonly name: string; readonly rows: readonly Row[] };

/**
 * Printed without the rest of the page, on A4 or on a roll of 80 mm. Firefox lets no document number its pages, so
 * the rows are divided here. Where a page has less room than they need, the head of its table comes again on the
 * next one.
 */
function sheet({ id, createdAt, shippingAddress, note }: Order, options: SheetOptions): HTMLElement {
  const { title, name, rows } = options;
  const shop = textOfPage('shop-name');
  const sender = [shop, textOfPage('shop-address')].filter((text) => text !== '').join(', ');
  const pageTitle = [shop, t('Order {id}', { id })].filter((text) => text !== '').join(' · ');
  const all = note === null ? rows : [...rows, noteRow(note)];
  const pages = paged(all, pageMillimetres - headMillimetres);
  const page = (shown: readonly Row[], index: number): HTMLElement => {
    const number = h('span', t('Page {page} of {pages}', { page: index + 1, pages: pages.length }));
    const head = h('th', { colspan: 3 }, h('span', { dir: 'auto' }, pageTitle), number);
    const body = shown.map(({ cells }) => h('tr', cells));
    return h('table', h('thead', h('tr', head)), h('tbody', body));
  };
  return h(
    'section.sheet',
    { 'aria-hidden': 'true' },
    sender !== '' && h('p', { dir: 'auto' }, sender),
    h(
      'header',
      h('strong', title),
      h('span', t('Order {id}', { id }), h('br'), dateOnly(createdAt)),
      barcodePicture(id),
    ),
    addressBlock(shippingAddress === null ? [name] : postalLines(shippingAddress, name)),
    pages.map(page),
  );
}

/** The country is named abroad alone, in capital letters (Universal Postal Union, S42). */
function postalLines(address: Address, name: string): readonly string[] {
  const lines = addressLines(address, name);
  const country = lines.pop()?.toLocaleUpperCase(locale) ?? '';
  return address.country === textOfPage('default-country') ? lines : [...lines, country];
}

type Row = { readonly cells: Child; readonly millimetres: number };

/** The room for rows on Letter, which is shorter than A4, with the margins of the stylesheet. */
const pageMillimetres = 243;
/** What stands above the rows of the first page. */
const headMillimetres = 80;
const lineMillimetres = 5.3;
const paddingMillimetres = 4.2;

function packedRow(item: Item): Row {
  return itemRow(item, { below: '', last: h('td.tick') });
}

function pricedRow(item: Item, currency: string): Row {
  const below = t('{price} each', { price: money(item.unitPrice, currency) });
  return itemRow(item, { below, last: h('td.sum', money(item.total, currency)) });
}

type ItemEnd = { readonly below: string; readonly last: HTMLElement };

function itemRow({ quantity, name, sku }: Item, { below, last }: ItemEnd): Row {
  const small = [sku ?? '', below].filter((text) => text !== '');
  const cells = [
    h('td.number', count(quantity)),
    h(
      'td',
      h('bdi', name),
      small.map((text) => h('span.sku', text)),
    ),
    last,
  ];
  return { cells, millimetres: heightOf([name, ...small].join(' ')) };
}

function sumRow(text: string, amount?: HTMLElement): Row {
  const colspan = amount === undefined ? 3 : 2;
  return { cells: [h('td', { colspan, class: 'end' }, text), amount], millimetres: heightOf(text) };
}

/** Whoever orders writes the note: line breaks alone would fill metres of a roll. */
const noteLinesMax = 12;

/** Blank lines are left out, and what comes after the last line that may begin is joined. */
function noteRow(note: string): Row {
  const lines = note.split(/[\n\u2028\u2029]/).filter((line) => line.trim() !== '');
  const rest = lines.splice(noteLinesMax - 1).join(' ');
  const shown = [...lines, rest].join('\n').trimEnd(); // without a line for no rest
  const text = h('p.text', { dir: 'auto' }, shown);
  return { cells: h('td', { colspan: 3, class: 'end' }, text), millimetres: heightOf(shown) };
}

function piecesOf({ items }: Order): string {
  const pieces = items.reduce((sum, { quantity }) => sum + quantity, 0);
  return t(numbered(pieces, '1 piece', '{count} pieces'), { count: count(pieces) });
}

/** Estimates the height of a text, rather too high: letters of East Asia are twice as wide as others. */
function heightOf(text: string): number {
  const lines = text.split('\n').map((line) => {
    const wide = [...line].filter((letter) => letter >= '\u2e80').length;
    return Math.max(1, Math.ceil((line.length + wide) / 65));
  });
  return paddingMillimetres + lineMillimetres * lines.reduce((sum, each) => sum + each, 0);
}

/** Divides the rows into pages, the first of which has less room. */
function paged<T extends { readonly millimetres: number }>(
  rows: readonly T[],
  firstMillimetres: number,
): readonly (readonly T[])[] {
  const pages: T[][] = [[]];
  let room = firstMillimetres;
  for (const row of rows) {
    if (row.millimetres > room && pages.at(-1)?.length !== 0) {
      pages.push([]);
      room = pageMillimetres;
    }
    pages.at(-1)?.push(row);
    room -= row.millimetres;
  }
  return pages;
}
