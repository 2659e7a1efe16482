import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeLine, placeLines } from '../../src/console/words/address-order.ts';

for (const [country, city, region, postalCode, line] of [
  ['DE', 'Oldenburg', null, '26129', '26129 Oldenburg'],
  ['GB', 'London', null, 'SW1A 3AA', 'London SW1A 3AA'],
  ['US', 'Austin', 'TX', '78796', 'Austin TX 78796'],
  ['CA', 'Montréal', 'QC', 'H3Z 2Y7', 'Montréal QC H3Z 2Y7'],
  ['ES', 'Madrid', 'Madrid', '28039', '28039 Madrid Madrid'],
  ['IN', 'New Delhi', 'Delhi', '110034', 'New Delhi 110034 Delhi'],
  ['LV', 'Jelgava', 'Zemgale', 'LV-3001', 'Zemgale Jelgava LV-3001'],
  ['RO', 'Cluj-Napoca', 'Cluj', '400001', '400001 Cluj Cluj-Napoca'],
  ['IE', 'Cork', 'Co. Cork', null, 'Cork Co. Cork'],
] as const)
  test(`an address of ${country} has city, region and postal code in the order of its country`, () => {
    assert.equal(placeLine({ country, city, region, postalCode }), line);
  });

for (const [country, region, lines] of [
  ['IE', 'Co. Cork', ['Cork Co. Cork', 'T12 W8KP']],
  ['GB', null, ['Cork', 'T12 W8KP']],
  ['DE', null, ['T12 W8KP Cork']],
] as const)
  test(`an address of ${country} ends with ${lines.length} lines before its country`, () => {
    assert.deepEqual(placeLines({ country, city: 'Cork', region, postalCode: 'T12 W8KP' }), lines);
  });
