// One line of an order's items: its fields, what their texts mean, and what is wrong with them.
import type { Issue, Item } from '../words/api-types.ts';
import { quantityOf } from '../words/amounts.ts';
import type { Combobox } from '../forms/combobox.ts';
import { h, icon, icons } from '../browser/elements.ts';
import { money, priceIssue, priceText, typedPrice } from '../words/formats.ts';
import { type Control, type Field, field } from '../forms/forms.ts';
import { t } from '../words/texts.ts';

export type NewItem = Omit<Item, 'total'>;
export type Line = ReturnType<typeof newLine>;
/** What the texts of a line mean: undefined for what can’t be parsed. */
export type ReadLine = {
  readonly line: Line;
  readonly name: string;
  /** What a discount is called that has no name. */
  readonly ownName: string;
  /** The sum that it is a part of, if it is a discount in percent. */
  readonly ofSum: number | undefined;
  readonly quantity: number | undefined;
  readonly unitPrice: number | undefined;
  readonly sum: number | undefined;
};
type Fault = readonly [control: Control, detail: string];

export const unknownItem = t(
  'No product that is sold now has this SKU or barcode: enter its name and price.',
);

/** No price is meant to be so many times the product's own. */
const farAboveTimes = 20;
/** A product that costs less may stand for any price, which is typed with each sale. */
const priceMin = '5';

export function newLine(search: Combobox, currency: string, item?: NewItem) {
  const { control: name, list } = search;
  name.dataset['scan'] = 'item';
  const nameField = field({ label: t('Item'), pointer: '', control: name, value: item?.name ?? '' });
  const number = (label: string, value: string, inputmode: string): Field =>
    field({ label, pointer: '', value, attributes: { inputmode } });
  const quantity = number(t('Quantity'), String(item?.quantity ?? 1), 'numeric');
  const price = number(t('Price'), item === undefined ? '' : priceText(item.unitPrice, currency), 'decimal');
  const sku = h('input', { type: 'hidden', 'data-pointer': '' });
  const [about, sum] = [h('p.hint'), h('output.line-sum')];
  const remove = h('button', { type: 'button', class: 'quiet' }, icon(icons.remove));
  /** Below the whole line: their own columns are too narrow for a sentence. */
  const issues = [quantity, price].map(({ element }) => element.querySelector('.issue'));
  const failure: unknown = undefined;
  const cell = h('div', nameField.element, list, sku, about);
  return {
    element: h('li.line', cell, quantity.element, price.element, sum, remove, issues),
    search,
    name,
    sku,
    about,
    quantity: quantity.control,
    price: price.control,
    sum,
    remove,
    /** What it was completed from: its SKU holds while the line has its name. */
    of: { name: item?.name ?? '', sku: item?.sku ?? '' },
    /** The price of the product that it was completed from, if another one is still to be questioned. */
    usual: Infinity,
    /** Whether a code that was scanned waits for its answer. */
    isWaiting: false,
    /** Why that code had no answer. */
    failure,
    /** The code that was scanned and that no product has. */
    unknownCode: '',
  };
}

/** Reads the lines from the first to the last: a discount in percent is of those above it. */
export function readLines(lines: readonly Line[], currency: string): readonly ReadLine[] {
  let above = 0;
  return lines.map((line) => {
    const text = line.price.value.trim();
    const part = discountPart(text);
    const unitPrice = part === undefined ? typedPrice(text, currency) : discountOf(above, part);
    const percent = text.replace(/^[-−–]\s*/, '');
    const discount = part === undefined ? t('Discount') : t('Discount {percent}', { percent });
    const ownName = part !== undefined || (unitPrice ?? 0) < 0 ? discount : '';
    const ofSum = part === undefined ? undefined : above;
    const quantity = quantityOf(line.quantity.value);
    const product = unitPrice === undefined || quantity === undefined ? NaN : unitPrice * quantity;
    const sum = Number.isSafeInteger(product) ? product : undefined;
    above += sum ?? 0;
    return { line, name: line.name.value.trim() || ownName, ownName, ofSum, quantity, unitPrice, sum };
  });
}

/** Returns the lines that are items of the order: at least one. */
export function itemsOf(read: readonly ReadLine[]): readonly ReadLine[] {
  const filled = read.filter(({ line }) => !isEmptyLine(line));
  return filled.length === 0 ? read.slice(0, 1) : filled;
}

/** Returns items without a name, numbers that can’t be parsed, and a total below 0; the service reports the others. */
export function issuesOfItems(items: readonly ReadLine[], currency: string): Issue[] {
  const faults = items.flatMap((item) => faultsOf(item, currency));
  const last = items.findLast(({ unitPrice = 0 }) => unitPrice < 0);
  if (last !== undefined && sumOfLines(items) < 0)
    faults.push([last.line.price, t('The total can’t be less than 0.')]);
  return faults.map(([{ dataset }, detail]) => ({ pointer: dataset['pointer'] ?? '', detail }));
}

/**
 * Throws for a price that is far above the product's own, as a code typed into its field is; once for each product, so
 * that whoever means it presses again.
 */
export function questionPrices(items: readonly ReadLine[], currency: string): void {
  for (const { line, name, unitPrice = 0 } of items) {
    if (unitPrice <= line.usual * farAboveTimes || !name.includes(line.of.name)) continue;
    const [price, usual] = [money(unitPrice, currency), money(line.usual, currency)];
    line.usual = Infinity;
    throw new Error(
      t('{name} costs {usual}, not {price}. Press again if that is meant.', { name, usual, price }),
    );
  }
}

export function isToken(price: number, currency: string): boolean {
  return price < Number(typedPrice(priceMin, currency));
}

export function faultsOf({ line, name, quantity, unitPrice }: ReadLine, currency: string): Fault[] {
  const faults: Fault[] = [];
  if (name === '') faults.push([line.name, t('{label} is required.', { label: t('Item') })]);
  else if (name === line.unknownCode && isPriceless(line)) faults.push([line.name, unknownItem]);
  if (quantity === undefined)
    faults.push([line.quantity, t('Quantity must be a whole number of 1 or more.')]);
  if (unitPrice === undefined) faults.push([line.price, priceIssue(line.price.value.trim(), currency)]);
  return faults;
}

/** Shows what follows from the texts of the line that is the `index`th to be seen. */
export function drawLine({ line, ownName, ofSum, sum }: ReadLine, index: number, currency: string): void {
  const { element, name, sku, price, of, isWaiting } = line;
  sku.value = name.value.includes(of.name) ? of.sku : ''; // another name is another thing
  say(
    line.about,
    ofSum === undefined ? sku.value : t('Of the {sum} above it', { sum: money(ofSum, currency) }),
  );
  price.dataset['currency'] = currency;
  line.remove.ariaLabel = t('Remove item {number}', { number: index + 1 });
  name.placeholder = ownName;
  say(line.sum, sum === undefined || isPriceless(line) ? '' : money(sum, currency));
  element.ariaBusy = isWaiting ? 'true' : null;
  for (const control of [name, price]) control.toggleAttribute('readonly', isWaiting);
}

/** Screen readers would say the same text again if it were set again. */
export function say(place: HTMLElement, text: string): void {
  if (place.textContent !== text) place.textContent = text;
}

/** A discount begins with a minus, which is often typed once more. */
export function removeSecondMinus({ price }: Line): void {
  const once = price.value.replace(/^[-−–]\s*(?=[-−–])/, '');
  if (once !== price.value) price.value = once;
}

/** The controls of an item by its members. */
export function itemControls({ name, sku, quantity, price }: Line): [string, Control][] {
  return Object.entries({ name, sku, quantity, unitPrice: price });
}

export function isPriceless({ price }: Line): boolean {
  return price.value.trim() === '';
}

export function isEmptyLine(line: Line): boolean {
  return line.name.value.trim() === '' && isPriceless(line);
}

export function sumOfLines(items: readonly { readonly sum: number | undefined }[]): number {
  return items.reduce((total, { sum = 0 }) => total + sum, 0);
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
