// The packing slip of an order: sender, recipient and items, on pages that each say which they are.
import type { Order } from '../parts/api-types.ts';
import { barcodeWidths } from './barcode.ts';
import { addressBlock } from '../parts/cards.ts';
import { type Child, h, svg } from '../parts/elements.ts';
import { addressLines, count, dateOnly } from '../parts/formats.ts';
import { textOfPage } from '../parts/page-text.ts';
import { numbered, t } from '../parts/texts.ts';

/**
 * Printed without the rest of the page and without prices, on A4 or on a roll of 80 mm. Firefox lets no document
 * number its pages, so the rows are divided here. Where a page has less room than they need, the head of its table
 * comes again on the next one.
 */
export function packingSlip(order: Order, name: string): HTMLElement {
  const { id, createdAt, shippingAddress } = order;
  const shop = textOfPage('shop-name');
  const sender = [shop, textOfPage('shop-address')].filter((text) => text !== '').join(', ');
  const title = [shop, t('Order {id}', { id })].filter((text) => text !== '').join(' · ');
  const pages = paged(rowsOf(order), pageMillimetres - headMillimetres);
  const page = (rows: readonly Row[], index: number): HTMLElement => {
    const number = h('span', {}, t('Page {page} of {pages}', { page: index + 1, pages: pages.length }));
    const head = h('th', { colspan: 3 }, h('span', { dir: 'auto' }, title), number);
    const body = rows.map(({ cells }) => h('tr', {}, cells));
    return h('table', {}, h('thead', {}, h('tr', {}, head)), h('tbody', {}, body));
  };
  return h(
    'section',
    { class: 'sheet', 'aria-hidden': 'true' },
    sender !== '' && h('p', { dir: 'auto' }, sender),
    h(
      'header',
      {},
      h('strong', {}, t('Packing slip')),
      h('span', {}, t('Order {id}', { id }), h('br', {}), dateOnly(createdAt)),
      barcode(id),
    ),
    addressBlock(shippingAddress === null ? [name] : addressLines(shippingAddress, name)),
    pages.map(page),
  );
}

type Row = { readonly cells: Child; readonly millimetres: number };

/** The room for rows on Letter, which is shorter than A4, with the margins of the stylesheet. */
const pageMillimetres = 243;
/** What stands above the rows of the first page. */
const headMillimetres = 80;
const lineMillimetres = 5.3;
const paddingMillimetres = 4.2;

function rowsOf({ items, note }: Order): readonly Row[] {
  const pieces = items.reduce((sum, { quantity }) => sum + quantity, 0);
  const rows: Row[] = items.map(({ quantity, name, sku }) => ({
    cells: [
      h('td', { class: 'number' }, count(quantity)),
      h('td', {}, h('bdi', {}, name), sku !== null && h('span', { class: 'sku' }, sku)),
      h('td', { class: 'tick' }),
    ],
    millimetres: heightOf(`${name} ${sku ?? ''}`),
  }));
  const sum = t(numbered(pieces, '1 piece', '{count} pieces'), { count: count(pieces) });
  rows.push({ cells: h('td', { colspan: 3, class: 'end' }, sum), millimetres: heightOf(sum) });
  if (note === null) return rows;
  const text = h('p', { class: 'text', dir: 'auto' }, note);
  return [...rows, { cells: h('td', { colspan: 3, class: 'end' }, text), millimetres: heightOf(note) }];
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

/** The empty space that scanners need on both sides, in modules: the widths of the finest bar. */
const quiet = 10;
const moduleMillimetres = 0.4;

/** Draws the bars in their size on paper. */
export function barcode(code: number | string): SVGElement {
  let x = quiet;
  let bars = '';
  for (const [index, width] of barcodeWidths(code).entries()) {
    if (index % 2 === 0) bars += `M${x} 0h${width}v1h-${width}z`;
    x += width;
  }
  const attributes = {
    class: 'barcode',
    viewBox: `0 0 ${x + quiet} 1`,
    width: `${(x + quiet) * moduleMillimetres}mm`,
    height: '11mm',
    preserveAspectRatio: 'none',
    'shape-rendering': 'crispEdges',
  };
  return svg('svg', attributes, svg('path', { d: bars }));
}
