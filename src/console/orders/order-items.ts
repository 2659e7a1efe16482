// The items of an order as they are typed: what the texts of a line mean. A discount is a line with a negative price;
// `-10 %` is of the lines above it.
import { quantityOf } from '../words/amounts.ts';
import { typedPrice } from '../words/formats.ts';
import { t } from '../words/texts.ts';

export type ItemTexts = { readonly name: string; readonly quantity: string; readonly price: string };

/** Undefined is what can’t be parsed. */
export type ReadItem = {
  readonly name: string;
  /** What a discount is called that has no name. */
  readonly usualName: string;
  /** The sum that it is a part of, if it is a discount in percent. */
  readonly ofSum: number | undefined;
  readonly quantity: number | undefined;
  readonly unitPrice: number | undefined;
  readonly sum: number | undefined;
};

/** `above` is the sum of the lines above it. */
export function readItem(texts: ItemTexts, above: number, currency: string): ReadItem {
  const price = withOneMinus(texts.price.trim());
  const part = discountPart(price);
  const unitPrice = part === undefined ? typedPrice(price, currency) : discountOf(above, part);
  const quantity = quantityOf(texts.quantity);
  const product = unitPrice === undefined || quantity === undefined ? NaN : unitPrice * quantity;
  let usualName = '';
  if (part !== undefined) usualName = t('Discount {percent}', { percent: price.replace(/^[-−–]\s*/, '') });
  else if (unitPrice !== undefined && unitPrice < 0) usualName = t('Discount');
  return {
    name: texts.name.trim() || usualName,
    usualName,
    ofSum: part === undefined ? undefined : above,
    quantity,
    unitPrice,
    sum: Number.isSafeInteger(product) ? product : undefined,
  };
}

export function sumOf(items: readonly ReadItem[]): number {
  return items.reduce((total, { sum = 0 }) => total + sum, 0);
}

/** A discount begins with a minus, which is often typed once more. */
export function withOneMinus(price: string): string {
  return price.replace(/^[-−–]\s*(?=[-−–])/, '');
}

/** Parses `-10 %` and `−2,5%` into hundredths of a percent; undefined for any other text, and for more than 100 %. */
function discountPart(text: string): number | undefined {
  const [, whole = '', decimals = ''] = /^[-−–]\s*(\d{1,3})(?:[.,](\d{1,2}))?\s*%$/.exec(text) ?? [];
  const part = Number(whole + decimals.padEnd(2, '0'));
  return whole === '' || part > 10_000 ? undefined : part;
}

/** Returns the negative amount that takes this part off the sum, rounded to the minor unit. */
function discountOf(sum: number, part: number): number {
  if (sum <= 0) return 0;
  const exact = BigInt(sum) * BigInt(part);
  return 0 - Number((exact + 5_000n) / 10_000n);
}
