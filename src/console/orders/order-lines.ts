// The form lines of an order's items, with what completes them and a running total. Enter goes from line to line, so a
// line that is empty is no item. What is scanned becomes a line of its own, or adds one to the line of the same
// product. Nothing can be typed into a line that waits for its answer. A discount is a line with a negative price;
// `-10 %` is of the lines above it.
import type { ApiClient } from '../parts/api-client.ts';
import type { Issue, Item, Order } from '../parts/api-types.ts';
import { isOfInputMethod } from '../parts/browser-gaps.ts';
import { type Article, Articles, isSame } from '../products/articles.ts';
import { type Combobox, combobox, type Found, type FoundGroup } from '../parts/combobox.ts';
import { button, fill, h, icon, icons } from '../parts/elements.ts';
import { money, priceIssue, priceText, shopCurrency, typedPrice } from '../parts/formats.ts';
import { quantityOf } from '../parts/amounts.ts';
import {
  clearIssue,
  type Control,
  currencyChoice,
  field,
  type Field,
  messageOf,
  showIssue,
  textOf,
} from '../parts/forms.ts';
import { soundAlarm } from '../parts/alarm.ts';
import { Unreachable } from '../parts/request-errors.ts';
import { isLikeCode } from '../parts/scans.ts';
import { discountOf, discountPart } from './discounts.ts';
import { rich, t } from '../parts/texts.ts';

type NewItem = Omit<Item, 'total'>;
type Line = {
  readonly element: HTMLElement;
  readonly name: Field;
  readonly search: Combobox;
  /** Of the product that the line was completed from, whose name it has in `data-of`. */
  readonly sku: HTMLInputElement;
  readonly quantity: Field;
  readonly price: Field;
  readonly sum: HTMLElement;
};
/** A line with what its texts mean; undefined for what can't be parsed. */
type Priced = {
  readonly line: Line;
  readonly unitPrice: number | undefined;
  readonly total: number | undefined;
};

/** The lines of an order. A change of the currency changes only the parsing of prices. */
export class OrderLines {
  readonly element = h('div', { class: 'lines' });
  readonly #total = h('output', { class: 'total' });
  /** Shown beside the form’s button, so that it is always in sight. */
  readonly total = h('p', { class: 'sum-up' }, rich('Total {total}', { total: this.#total }));
  readonly #list = h('ol', {});
  readonly #articles: Articles;
  readonly #currencies = field({ label: t('Currency'), pointer: '/currency', control: currencyChoice() });
  /** Only of use where something was sold, or has its price, in another currency than the shop’s. */
  readonly #currencyRow = h('div', { class: 'short', hidden: true }, this.#currencies.element);
  #lines: Line[] = [];
  /** Codes are looked up one after the other, so that the second scan of one finds the line of the first. */
  #lookUps = Promise.resolve();
  /** Lines with a code that had no answer, and why. */
  readonly #unanswered = new Map<Line, unknown>();

  constructor(client: ApiClient) {
    this.#articles = new Articles(client);
    this.#currencies.control.addEventListener('change', () => this.#drawn());
    void this.#articles.loadSold().then(() => this.#drawn());
    const add = button([icon(icons.add), t('Add item')], () => this.#add().name.control.focus());
    const discount = button(t('Add discount'), () => this.#addDiscount());
    fill(this.element, this.#currencyRow, this.#list, h('div', { class: 'sum buttons' }, add, discount));
    this.#list.addEventListener('input', () => this.#drawn());
    this.#add();
    this.#drawn();
  }

  /** Resolves once all codes that were scanned are items, or issues. Throws if the service was away from one. */
  async settle(): Promise<void> {
    this.#lookUpUnanswered();
    await this.#lookUps;
    for (const error of this.#unanswered.values()) if (error instanceof Unreachable) throw error;
  }

  get currency(): string {
    return this.#currencies.control.value;
  }

  /** The number of lines that are not empty. */
  get count(): number {
    return this.#lines.filter((line) => !isEmpty(line)).length;
  }

  /** Looks up the codes in lines that have no price, also what was scanned while the service was away. */
  lookUpAgain(): void {
    this.#lookUpUnanswered();
    this.#lookUpPriceless();
  }

  #lookUpUnanswered(): void {
    const unanswered = [...this.#unanswered.keys()];
    this.#unanswered.clear();
    for (const line of unanswered) {
      const code = textOf(line.name);
      if (this.#lines.includes(line) && code !== null && textOf(line.price) === null)
        this.#lookUpScanned(line, code);
    }
  }

  #lookUpPriceless(): void {
    for (const line of this.#lines) if (!line.element.hasAttribute('aria-busy')) this.#lookUpText(line);
  }

  /** Looks up what was typed into a line that has no price: as a whole, or also as words of a name. */
  #lookUpText(line: Line, as: 'whole' | 'words' = 'whole'): void {
    const text = textOf(line.price) === null ? textOf(line.name) : null;
    if (text === null) return;
    const find = async (): Promise<Article | undefined> => {
      const whole = await this.#articles.called(text, this.currency);
      if (whole !== undefined || as === 'whole' || isLikeCode(text)) return whole;
      return (await this.#articles.find(text, new AbortController().signal)).products[0];
    };
    this.#lookUps = this.#lookUps.then(() => this.#lookUpTyped(line, text, find));
  }

  /** Focuses the first empty line. */
  focus(): void {
    this.#emptyLine().name.control.focus();
  }

  #emptyLine(): Line {
    return this.#lines.find(isEmpty) ?? this.#add();
  }

  /** Fills in the items of an order to repeat or to change. A currency that the service no longer accepts stays. */
  replace({ currency, items }: Pick<Order, 'currency' | 'items'>): void {
    const { control } = this.#currencies;
    control.replaceChildren(...currencyChoice(currency).children);
    control.value = currency;
    this.#lines = [];
    fill(this.#list);
    for (const item of items) this.#add(item);
    this.#drawn();
  }

  /** Adds empty lines until there are this many. */
  addUntil(count: number): void {
    while (this.#lines.length < count) this.#add();
  }

  #add(item?: NewItem): Line {
    const line = this.#lineOf(item);
    this.#lines.push(line);
    this.#list.append(line.element);
    this.#number();
    return line;
  }

  /** Some keypads of phones have no minus. */
  #addDiscount(): void {
    const { control } = this.#emptyLine().price;
    control.inputMode = 'text';
    control.value = '-';
    control.focus();
    this.#changed();
  }

  /** Returns issues of an item without a name and of numbers that can't be parsed; the service reports the others. */
  issues(): Issue[] {
    const priced = this.#filled();
    const issues = priced.flatMap(({ line: { name, quantity, price }, unitPrice }) => {
      const found: Issue[] = [];
      const add = ({ control }: Field, detail: string): void =>
        void found.push({ pointer: control.dataset['pointer'] ?? '', detail });
      if (itemName(name) === '') add(name, t('{label} is required.', { label: t('Item') }));
      if (quantityOf(quantity.control.value) === undefined) add(quantity, noQuantity);
      if (unitPrice === undefined) add(price, priceIssue(price.control.value, this.currency));
      return found;
    });
    const sum = priced.reduce((total, each) => total + (each.total ?? 0), 0);
    const last = priced.findLast(({ unitPrice = 0 }) => unitPrice < 0);
    if (sum < 0 && last !== undefined)
      issues.push({ pointer: last.line.price.control.dataset['pointer'] ?? '', detail: noTotal });
    return issues;
  }

  read(): NewItem[] {
    return this.#filled().map(({ line: { name, sku, quantity }, unitPrice = 0 }) => ({
      name: itemName(name),
      sku: sku.value === '' ? null : sku.value,
      quantity: quantityOf(quantity.control.value) ?? 0,
      unitPrice,
    }));
  }

  /** Returns the lines that are items of the order: at least one. */
  #filled(): readonly Priced[] {
    const priced = this.#priced();
    const filled = priced.filter(({ line }) => !isEmpty(line));
    return filled.length === 0 ? priced.slice(0, 1) : filled;
  }

  #priced(): readonly Priced[] {
    let above = 0;
    return this.#lines.map((line) => {
      const text = line.price.control.value;
      const part = discountPart(text);
      const unitPrice = part === undefined ? typedPrice(text, this.currency) : discountOf(above, part);
      const pieces = quantityOf(line.quantity.control.value);
      const product = unitPrice === undefined || pieces === undefined ? NaN : unitPrice * pieces;
      const total = Number.isSafeInteger(product) ? product : undefined;
      above += total ?? 0;
      return { line, unitPrice, total };
    });
  }

  #lineOf(item?: NewItem): Line {
    const search = combobox({
      label: t('Item'),
      placeholder: '',
      lookUp: (q, signal) => this.#found(line, q, signal),
      onKey: (event, active) => this.#pressedInName(line, event, active),
    });
    const name = field({ label: t('Item'), pointer: '', control: search.control, value: item?.name ?? '' });
    name.control.dataset['scan'] = 'item';
    const sku = h('input', { type: 'hidden', 'data-pointer': '' });
    const about = h('p', { class: 'hint' });
    const quantity = field({
      label: t('Quantity'),
      pointer: '',
      value: String(item?.quantity ?? 1),
      attributes: { inputmode: 'numeric' },
    });
    const price = field({
      label: t('Price'),
      pointer: '',
      value: item === undefined ? '' : priceText(item.unitPrice, this.currency),
      attributes: { inputmode: 'decimal' },
    });
    price.control.addEventListener('input', () => keepOneMinus(price.control));
    quantity.control.addEventListener('change', () => checkQuantity(quantity.control));
    price.control.addEventListener('change', () => this.#checkPrice(line));
    const sum = h('output', { class: 'line-sum' });
    const remove = h('button', { type: 'button', class: 'quiet' }, icon(icons.remove));
    const nameCell = h('div', {}, name.element, search.list, sku, about);
    const element = h('li', { class: 'line' }, nameCell, quantity.element, price.element, sum, remove);
    const line = { element, name, search, sku, quantity, price, sum };
    remove.addEventListener('click', () => this.#remove(line));
    sku.addEventListener('input', () => {
      [sku.dataset['of'], sku.dataset['value']] = [name.control.value, sku.value];
      fill(about, sku.value);
    });
    name.control.addEventListener('input', () => {
      // another name is another thing, but for words that are added
      const isSame = name.control.value.includes(sku.dataset['of'] ?? '');
      sku.value = isSame ? (sku.dataset['value'] ?? '') : '';
      fill(about, sku.value);
    });
    element.addEventListener('keydown', (event) => this.#pressed(line, event));
    if (item !== undefined) enterSku(line, item.sku ?? '');
    return line;
  }

  /** Enter in a field that is complete goes to what the line still needs. */
  #pressed(line: Line, event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, defaultPrevented, target } = event;
    if (key !== 'Enter' || ctrlKey || metaKey || isOfInputMethod(event) || defaultPrevented) return;
    if (target instanceof HTMLButtonElement) return;
    event.preventDefault();
    this.#entered(line);
  }

  /** Tab, and Enter without an option, may end a SKU or barcode that was typed. Enter waits for no answer. */
  #pressedInName(line: Line, { key, shiftKey }: KeyboardEvent, active: Found | undefined): boolean {
    if (key === 'Tab' && !shiftKey) this.#lookUpText(line);
    if (key !== 'Enter' || active !== undefined) return false;
    line.search.close();
    this.#entered(line);
    return true;
  }

  #entered(line: Line): void {
    this.#lookUpText(line, 'words');
    this.#next(line).control.focus();
  }

  /** Products with their prices, what was sold before without its price, which may be old, and what was typed. */
  async #found(line: Line, q: string, signal: AbortSignal): Promise<readonly FoundGroup[]> {
    const { products, sold } = await this.#articles.find(q, signal);
    const option = (article: Article, price?: string): Omit<Found, 'id'> => ({
      name: article.name,
      about: [article.sku, price].filter(Boolean).join(' · '),
      choose: () => (price === undefined ? this.#chooseSold(line, article) : this.#choose(line, article)),
    });
    const own: Omit<Found, 'id'> = {
      name: t('Other item “{name}”', { name: q }),
      about: '',
      choose: () => this.#next(line).control.focus(),
    };
    const options = [
      ...products.map((each) => option(each, money(each.unitPrice, each.currency))),
      ...sold.filter(({ currency }) => currency === this.currency).map((each) => option(each)),
      own,
    ];
    return [{ label: t('Items'), found: options.map((each, index) => ({ id: String(index), ...each })) }];
  }

  #choose(line: Line, article: Article): void {
    this.#put(line, article);
    if (this.#lines.includes(line)) this.#next(line).control.focus();
    else this.focus();
  }

  #chooseSold(line: Line, { name }: Article): void {
    line.name.control.value = name;
    this.#changed();
    this.#lookUpText(line);
    this.#next(line).control.focus();
  }

  /** The code stands in the line until the answer. A focus in that line goes to the next empty one. */
  scanned(code: string): void {
    const line = this.#emptyLine();
    line.search.close();
    line.name.control.value = code;
    if (line.element.contains(document.activeElement)) this.focus();
    this.#lookUpScanned(line, code);
    this.#lookUpPriceless(); // a scan whose keys went to the price of a line has hidden what its name is
    this.#changed();
  }

  #lookUpScanned(line: Line, code: string): void {
    setWaiting(line, true);
    this.#lookUps = this.#lookUps.then(() => this.#lookUp(line, code));
  }

  async #lookUp(line: Line, code: string): Promise<void> {
    const control = line.name.control;
    try {
      const article = await this.#articles.withCode(code);
      if (!this.#lines.includes(line) || control.value !== code) return; // the user has changed it meanwhile
      if (article !== undefined) return this.#put(line, article);
      soundAlarm();
      showIssue(control, noProduct);
    } catch (error) {
      soundAlarm();
      showIssue(control, messageOf(error));
      this.#unanswered.set(line, error);
    } finally {
      setWaiting(line, false);
    }
  }

  /** A name that no product has is no error: the user is entering its price meanwhile. */
  async #lookUpTyped(line: Line, text: string, find: () => Promise<Article | undefined>): Promise<void> {
    const article = await find().catch(() => undefined);
    if (article === undefined || textOf(line.name) !== text || textOf(line.price) !== null) return;
    const hadFocus = line.element.contains(document.activeElement);
    this.#put(line, article);
    if (hadFocus && this.#lines.includes(line)) this.#next(line).control.focus();
  }

  /** Makes the line that of the article, or adds one to the line that has it already. */
  #put(line: Line, article: Article): void {
    const { sku } = article;
    const same = this.#lines.find((each) => each !== line && sku !== null && isSame(each.sku.value, sku));
    if (same === undefined) this.#fill(line, article);
    else {
      const { control } = same.quantity;
      control.value = String((quantityOf(control.value) ?? 0) + 1);
      this.#drop(line);
    }
    this.#changed();
  }

  #fill(line: Line, article: Article): void {
    const { name, price, search } = line;
    const isSameCurrency = article.currency === this.currency;
    search.close();
    name.control.value = article.name;
    clearIssue(name.control);
    enterSku(line, article.sku ?? '');
    if (isSameCurrency) price.control.value = priceText(article.unitPrice, this.currency);
    // or another price would be glued to it
    if (document.activeElement === price.control && price.control instanceof HTMLInputElement)
      price.control.select();
    price.control.dispatchEvent(new Event('input', { bubbles: true })); // clears its issue
    const about = { other: article.currency, currency: this.currency };
    if (!isSameCurrency)
      showIssue(price.control, t('Its price is in {other}: enter it in {currency}.', about));
  }

  /** Removes a line that is of no use; a focus in it goes to the line for the next item. */
  #drop(line: Line): void {
    const hadFocus = line.element.contains(document.activeElement);
    this.#lines = this.#lines.filter((each) => each !== line);
    line.element.remove();
    if (this.#lines.length === 0) this.#add();
    if (hadFocus) this.focus();
  }

  /** Browsers dispatch no event for what a script has entered. */
  #changed(): void {
    this.#list.dispatchEvent(new Event('input', { bubbles: true }));
  }

  /** Returns the field that the line still needs, or else the item of the next line, which is added at the end. */
  #next(line: Line): Field {
    if (itemName(line.name) === '') return line.name;
    if (textOf(line.price) === null) return line.price;
    const next = this.#lines[this.#lines.indexOf(line) + 1] ?? this.#add();
    return next.name;
  }

  /** Shows the issue of a price immediately, before the form is sent. */
  #checkPrice(line: Line): void {
    const { control } = line.price;
    const text = control.value.trim();
    const isPrice = this.#priced().some((each) => each.line === line && each.unitPrice !== undefined);
    if (text !== '' && !isPrice) showIssue(control, priceIssue(text, this.currency));
  }

  #remove(line: Line): void {
    this.#drop(line);
    this.#changed();
    this.#lines.at(-1)?.name.control.focus();
  }

  #drawn(): void {
    const currencies = new Set([...this.#articles.currencies, this.currency, shopCurrency()]);
    if (currencies.size > 1) this.#currencyRow.hidden = false;
    this.#number();
    this.#sum();
  }

  /** Gives each item the pointers of its index, as the service names them; lines that are empty come after. */
  #number(): void {
    const ordered = [...this.#lines].sort((a, b) => Number(isEmpty(a)) - Number(isEmpty(b)));
    for (const [index, { name, sku, quantity, price }] of ordered.entries()) {
      name.control.dataset['pointer'] = `/items/${index}/name`;
      sku.dataset['pointer'] = `/items/${index}/sku`;
      quantity.control.dataset['pointer'] = `/items/${index}/quantity`;
      price.control.dataset['pointer'] = `/items/${index}/unitPrice`;
      price.control.dataset['currency'] = this.currency;
    }
    for (const [index, { element }] of this.#lines.entries())
      element
        .querySelector('button')
        ?.setAttribute('aria-label', t('Remove item {number}', { number: index + 1 }));
  }

  #sum(): void {
    let all = 0;
    for (const { line, unitPrice = 0, total } of this.#priced()) {
      const { name, price, sum } = line;
      const isPart = discountPart(price.control.value) !== undefined;
      const percent = price.control.value.replace(/^\s*[-−–]\s*/, '');
      const discount = isPart ? t('Discount {percent}', { percent }) : t('Discount');
      name.control.setAttribute('placeholder', isPart || unitPrice < 0 ? discount : '');
      const isShown = total !== undefined && textOf(price) !== null;
      fill(sum, isShown ? money(total, this.currency) : '');
      all += total ?? 0;
    }
    fill(this.#total, money(all, this.currency));
  }
}

const noProduct = t('No product that is sold now has this SKU or barcode: enter its name and price.');
const noQuantity = t('Quantity must be a whole number of 1 or more.');
const noTotal = t('The total can’t be less than 0.');

/** A discount has a name without one being typed. */
function itemName({ control }: Field): string {
  const text = control.value.trim();
  return text === '' ? (control.getAttribute('placeholder') ?? '') : text;
}

function enterSku({ sku }: Line, value: string): void {
  sku.value = value;
  sku.dispatchEvent(new Event('input', { bubbles: true }));
}

/** Shows the issue of a quantity immediately, before the form is sent. */
function checkQuantity(control: Control): void {
  if (quantityOf(control.value) === undefined) showIssue(control, noQuantity);
}

/** A discount begins with a minus, which is often typed once more. */
function keepOneMinus(control: Control): void {
  const text = control.value.replace(/^-\s*(?=[-−–])/, '');
  if (text !== control.value) control.value = text;
}

/** Nothing can be entered in a line that waits for its product. */
function setWaiting({ element, name, price }: Line, isWaiting: boolean): void {
  if (isWaiting) element.setAttribute('aria-busy', 'true');
  else element.removeAttribute('aria-busy');
  for (const { control } of [name, price]) control.toggleAttribute('readonly', isWaiting);
}

function isEmpty({ name, price }: Line): boolean {
  return [name, price].every((each) => textOf(each) === null);
}
