// The packing slip of an order: sender, recipient and items.
import type { Item, Order } from './api-types.ts';
import { addressBlock } from './cards.ts';
import { h } from './elements.ts';
import { addressLines, count, dateOnly } from './formats.ts';
import { textOfPage } from './page-text.ts';

/** Printed without the rest of the page and without prices, on A4 or on a roll of 80 mm. */
export function packingSlip(
  { id, createdAt, items, shippingAddress, note }: Order,
  name: string,
): HTMLElement {
  const sender = [textOfPage('shop-name'), textOfPage('shop-address')]
    .filter((text) => text !== '')
    .join(', ');
  const pieces = items.reduce((sum, { quantity }) => sum + quantity, 0);
  const row = ({ quantity, name: item, sku }: Item): HTMLElement =>
    h(
      'tr',
      {},
      h('td', { class: 'number' }, count(quantity)),
      h('td', {}, h('bdi', {}, item), sku !== null && h('span', { class: 'sku' }, sku)),
      h('td', { class: 'tick' }),
    );
  return h(
    'section',
    { class: 'sheet', 'aria-hidden': 'true' },
    sender !== '' && h('p', { dir: 'auto' }, sender),
    h(
      'header',
      {},
      h('strong', {}, 'Packing slip'),
      h('span', {}, `Order ${id}`),
      h('span', {}, dateOnly(createdAt)),
    ),
    addressBlock(shippingAddress === null ? [name] : addressLines(shippingAddress, name)),
    h('table', {}, h('tbody', {}, items.map(row))),
    h('p', {}, `${count(pieces)} ${pieces === 1 ? 'piece' : 'pieces'}`),
    note !== null && h('p', { class: 'text', dir: 'auto' }, note),
  );
}
