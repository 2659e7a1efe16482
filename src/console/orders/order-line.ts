// One line of an order's items: its fields, what completes them, and what is wrong with them.
import { h, icon, icons, setText } from '../browser/elements.ts';
import type { Combobox } from '../forms/combobox.ts';
import { type Control, type Field, field, showIssue } from '../forms/forms.ts';
import type { Article } from '../products/articles.ts';
import type { Item } from '../words/api-types.ts';
import { money, priceIssue, priceText, typedPrice } from '../words/formats.ts';
import { t } from '../words/texts.ts';
import { type ItemTexts, type ReadItem, withOneMinus } from './order-items.ts';

export type NewItem = Omit<Item, 'total'>;
type Fault = readonly [control: Control, detail: string];

/** No price is meant to be so many times the product's own. */
const farAboveTimes = 20;
/** A product that costs less may stand for any price, which is typed with each sale. */
const usualPriceMin = '5';

export class OrderLine {
  readonly search: Combobox;
  readonly name: HTMLInputElement;
  readonly quantity: Control;
  readonly price: Control;
  readonly sku = h('input', { type: 'hidden', 'data-pointer': '' });
  readonly remove = h('button', { type: 'button', class: 'quiet' }, icon(icons.remove));
  readonly element: HTMLElement;
  readonly #about = h('p.hint');
  readonly #sum = h('output.line-sum');
  /** Its SKU holds while the line has its name. */
  #completedFrom: { readonly name: string; readonly sku: string };
  /** The price of the product that it was completed from, if another one is still to be questioned. */
  #usualPrice = Infinity;
  /** Whether a code that was scanned waits for its answer. */
  isWaiting = false;
  /** Why that code had no answer. */
  failure: unknown;
  /** The code that was scanned and that no product has. */
  unknownCode = '';

  constructor(search: Combobox, currency: string, item?: NewItem) {
    const { name = '', sku, quantity = 1, unitPrice } = item ?? {};
    const price = unitPrice === undefined ? '' : priceText(unitPrice, currency);
    const nameField = field({ label: t('Item'), pointer: '', control: search.control, value: name });
    const quantityField = numberField(t('Quantity'), String(quantity), 'numeric');
    const priceField = numberField(t('Price'), price, 'decimal');
    this.search = search;
    this.name = search.control;
    this.name.dataset['scan'] = 'item';
    this.quantity = quantityField.control;
    this.price = priceField.control;
    this.#completedFrom = { name, sku: sku ?? '' };
    // of a draft
    this.sku.addEventListener('input', () => {
      this.#completedFrom = { name: this.name.value, sku: this.sku.value };
    });
    const fields = [quantityField.element, priceField.element];
    this.element = h(
      'li.line',
      h('div', nameField.element, search.list, this.sku, this.#about),
      fields,
      this.#sum,
      this.remove,
      // below the whole line: their own columns are too narrow for a sentence
      fields.map((each) => each.querySelector('.issue')),
    );
  }

  get texts(): ItemTexts {
    return { name: this.name.value, quantity: this.quantity.value, price: this.price.value };
  }

  /** The name or code that it is completed by. */
  get text(): string {
    return this.name.value.trim();
  }

  get hasPrice(): boolean {
    return this.price.value.trim() !== '';
  }

  get isEmpty(): boolean {
    return this.text === '' && !this.hasPrice;
  }

  /** By the members of an item. */
  get controls(): readonly (readonly [member: string, control: Control])[] {
    const { name, sku, quantity, price } = this;
    return Object.entries({ name, sku, quantity, unitPrice: price });
  }

  get hasFocus(): boolean {
    return this.element.contains(document.activeElement);
  }

  /** Whether it still has the code that no product has, for which a name is to be typed. */
  get isUnknown(): boolean {
    return this.unknownCode !== '' && this.text === this.unknownCode && !this.hasPrice;
  }

  /** A price in another currency has to be typed. */
  complete({ name, sku, unitPrice, currency: other }: Article, currency: string): void {
    const isPriced = other === currency;
    const hasUsualPrice = isPriced && unitPrice >= Number(typedPrice(usualPriceMin, currency));
    this.search.close();
    this.#completedFrom = { name, sku: sku ?? '' };
    this.#usualPrice = hasUsualPrice ? unitPrice : Infinity;
    this.name.value = name;
    for (const control of [this.name, this.price]) showIssue(control);
    if (isPriced) this.price.value = priceText(unitPrice, currency);
    else showIssue(this.price, t('Its price is in {other}: enter it in {currency}.', { other, currency }));
  }

  /** What is typed next takes the place of a code that no product has. */
  askName(): void {
    showIssue(this.name, this.#unknownItem);
    this.search.close();
    this.name.focus();
    this.name.select();
  }

  get #unknownItem(): string {
    const { unknownCode: code } = this;
    return t('No product that is sold now has the code “{code}”: enter its name and price.', { code });
  }

  /** Scrolls it into the view, above the bar, whatever has the focus. */
  reveal(): void {
    this.element.scrollIntoView({ block: 'nearest' });
  }

  /** Shows what follows from its texts. */
  draw({ usualName, ofSum, sum }: ReadItem, currency: string): void {
    const { name, sku, price } = this;
    const completed = this.#completedFrom;
    sku.value = name.value.includes(completed.name) ? completed.sku : ''; // another name is another thing
    const part =
      ofSum === undefined ? sku.value : t('Of the {sum} above it', { sum: money(ofSum, currency) });
    setText(this.#about, part);
    const once = withOneMinus(price.value);
    if (once !== price.value) price.value = once; // the cursor stays otherwise
    setText(this.#sum, sum === undefined || !this.hasPrice ? '' : money(sum, currency));
    price.dataset['currency'] = currency;
    name.placeholder = usualName;
    this.element.ariaBusy = this.isWaiting ? 'true' : null;
    for (const control of [name, price]) control.toggleAttribute('readonly', this.isWaiting);
  }

  faults({ name, quantity, unitPrice }: ReadItem, currency: string): Fault[] {
    if (this.isUnknown) return [[this.name, this.#unknownItem]];
    const faults: Fault[] = [];
    if (name === '') faults.push([this.name, t('{label} is required.', { label: t('Item') })]);
    if (quantity === undefined)
      faults.push([this.quantity, t('Quantity must be a whole number of 1 or more.')]);
    if (unitPrice === undefined) faults.push([this.price, priceIssue(this.price.value.trim(), currency)]);
    return faults;
  }

  /**
   * Throws for a price that is far above the product's own, as a code typed into its field is; once for each line, so
   * that whoever means it presses again.
   */
  questionPrice({ name, unitPrice = 0 }: ReadItem, currency: string): void {
    const usualPrice = this.#usualPrice;
    if (unitPrice <= usualPrice * farAboveTimes || !name.includes(this.#completedFrom.name)) return;
    const amounts = { usual: money(usualPrice, currency), price: money(unitPrice, currency) };
    this.#usualPrice = Infinity;
    throw new Error(
      t('{name} costs {usual}, not {price}. Press again if that is meant.', { name, ...amounts }),
    );
  }
}

function numberField(label: string, value: string, inputmode: string): Field {
  return field({ label, pointer: '', value, attributes: { inputmode } });
}
