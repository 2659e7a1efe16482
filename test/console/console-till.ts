// A till with two products, for the checks of scans and sales.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openSignedIn } from './console-shop.ts';

export const tea = {
  sku: 'TEA-250',
  name: 'Green tea, 250 g',
  unitPrice: 749,
  currency: 'EUR',
  barcode: '4006381333931',
};
export const cup = {
  sku: 'CUP-010',
  name: 'Cup',
  unitPrice: 3900,
  currency: 'EUR',
  barcode: '4012345678901',
};

/** The items in the form: name, SKU, quantity, price. */
export const lines = `[...document.querySelectorAll('.line')].map((line) =>
  [...line.querySelectorAll('input')].map(({ value }) => value)).filter(([name]) => name !== '')`;
export const isSettled = '!document.querySelector(".line[aria-busy]")';
export const teas = (quantity: number): string[] => ['Green tea, 250 g', 'TEA-250', String(quantity), '7.49'];
export const cups = (quantity: number): string[] => ['Cup', 'CUP-010', String(quantity), '39.00'];
export const [teaLine, cupLine] = [teas(1), cups(1)];

/** Whether the page says that this order was sold. */
export const isSold = (id: number): string =>
  `/Order ${id}\\b/.test(document.querySelector('#notices').innerText)`;

/** Delays the answers that the page gets, until `quickly`. */
export const slowly = `{
  window.fastFetch ??= fetch;
  window.fetch = async (path, options) => {
    const response = await window.fastFetch(path, options);
    await new Promise((done) => setTimeout(done, 400));
    return response;
  };
}`;
export const quickly = 'window.fetch = window.fastFetch';

export async function openTill(t: Pick<TestContext, 'after'>) {
  const shop = await openSignedIn(t);
  const { office, tab, person } = shop;
  for (const product of [tea, cup]) await office.post('/products', product);
  return {
    ...shop,

    /** Shows an empty order. */
    async begin(): Promise<void> {
      await person.go('#/new');
      await person.startOver();
      const isAtCustomer =
        'document.activeElement.role === "combobox" && document.activeElement.value === ""';
      await tab.until(`(${lines}).length === 0 && ${isAtCustomer}`);
    },

    /** As a hand types. Returns the number of keys. */
    async type(...parts: readonly string[]): Promise<number> {
      const keys = parts.flatMap((part) => (part === 'Enter' ? [part] : [...part]));
      for (const key of keys) {
        await wait(70);
        if (key === 'Enter') await tab.press(key);
        else await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', key, text: key });
      }
      return keys.length;
    },

    /** Waits until all codes are looked up, and these are the items in the form. */
    async seeItems(...items: readonly (readonly string[])[]): Promise<void> {
      const wanted = JSON.stringify(JSON.stringify(items));
      await tab
        .until(`${isSettled} && JSON.stringify(${lines}) === ${wanted}`)
        .catch(async () => assert.deepEqual(await tab.evaluate(lines), items));
    },
  };
}
