// A customer's card, to be printed: scanned at the desk, it chooses the customer.
import type { Customer } from '../parts/api-types.ts';
import { barcodePicture } from '../parts/barcode-picture.ts';
import { h } from '../parts/elements.ts';
import { textOfPage } from '../parts/page-text.ts';

export function customerCard({ id, name }: Customer): HTMLElement {
  const shop = textOfPage('shop-name');
  return h(
    'section.sheet',
    { 'aria-hidden': 'true' },
    shop !== '' && h('p', { dir: 'auto' }, shop),
    h('header', h('strong', { dir: 'auto' }, name), barcodePicture(`C${id}`)),
  );
}
