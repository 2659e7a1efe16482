// The form lines of an order's items, with suggestions and a running total. Enter goes from line to line, so a
// line that is empty is no item. What is scanned becomes a line of its own, or adds one to the line of the same
// product. Nothing can be typed into a line that waits for its answer.
import type { Issue, Item } from '../parts/api-types.ts';
import { type Article, type Articles, isSame } from '../products/articles.ts';
import { typingMilliseconds } from '../parts/combobox.ts';
import { button, fill, h, icon, icons } from '../parts/elements.ts';
import { money, priceIssue, priceText, shopCurrency, typedPrice } from '../parts/formats.ts';
import { quantityOf } from '../parts/amounts.ts';
import { clearIssue, type Control, field, type Field, messageOf, showIssue, textOf } from '../parts/forms.ts';
import { soundAlarm } from '../parts/alarm.ts';
import { t } from '../parts/texts.ts';

type NewItem = Omit<Item, 'total'>;
type Line = {
  readonly element: HTMLElement;
  readonly name: Field;
  readonly sku: Field;
  readonly quantity: Field;
  readonly price: Field;
  readonly sum: HTMLElement;
};

/** The lines of an order. A change of the currency changes only the parsing of prices. */
export class OrderLines {
  readonly element = h('div', { class: 'lines' });
  /** Shown beside the form’s button, so that it is always in sight. */
  readonly total = h('output', { class: 'total' });
  readonly #suggestions = h('datalist', { id: 'articles' });
  readonly #list = h('ol', {});
  readonly #articles: Articles;
  #lines: Line[] = [];
  #currency = shopCurrency();
  #finding = new AbortController();
  #timer = 0;
  /** Codes are looked up one after the other, so that the second scan of one finds the line of the first. */
  #lookUps = Promise.resolve();
  /** Lines with a code that had no answer. */
  #unanswered: Line[] = [];

  constructor(articles: Articles) {
    this.#articles = articles;
    const add = button([icon(icons.add), t('Add item')], () => this.add().name.control.focus());
    fill(this.element, this.#list, this.#suggestions, h('div', { class: 'sum' }, add));
    this.#list.addEventListener('input', () => {
      this.#number();
      this.#sum();
    });
    this.add();
    this.#sum();
  }

  /** Resolves once all codes that were scanned are items. */
  get settled(): Promise<void> {
    return this.#lookUps;
  }

  set currency(currency: string) {
    this.#currency = currency;
    this.suggest();
    this.#number();
    this.#sum();
  }

  /** The number of lines that are not empty. */
  get count(): number {
    return this.#lines.filter((line) => !isEmpty(line)).length;
  }

  /** Looks up the codes in lines that have no price, also what was scanned while the service was away. */
  lookUpAgain(): void {
    for (const line of this.#unanswered.splice(0)) {
      const code = textOf(line.name);
      if (this.#lines.includes(line) && code !== null && textOf(line.price) === null)
        this.#lookUpScanned(line, code);
    }
    this.#lookUpPriceless();
  }

  #lookUpPriceless(): void {
    for (const line of this.#lines) {
      const isWaiting = line.element.hasAttribute('aria-busy');
      const code = textOf(line.price) === null && !isWaiting ? textOf(line.name) : null;
      if (code !== null) this.#lookUps = this.#lookUps.then(() => this.#lookUpTyped(line, code));
    }
  }

  /** Focuses the first empty line. */
  focus(): void {
    const empty = this.#lines.find(isEmpty) ?? this.add();
    empty.name.control.focus();
  }

  replace(items: readonly NewItem[]): void {
    this.#lines = [];
    fill(this.#list);
    for (const item of items) this.add(item);
    this.#sum();
  }

  add(item?: NewItem): Line {
    const line = this.#lineOf(item);
    this.#lines.push(line);
    this.#list.append(line.element);
    this.#number();
    return line;
  }

  /** Returns issues of an item without a name and of numbers that can't be parsed; the service reports the others. */
  issues(): Issue[] {
    return this.#filled().flatMap(({ name, quantity, price }) => {
      const issues: Issue[] = [];
      if (textOf(name) === null)
        issues.push({
          pointer: name.control.dataset['pointer'] ?? '',
          detail: t('{label} is required.', { label: t('Item') }),
        });
      if (quantityOf(quantity.control.value) === undefined)
        issues.push({ pointer: quantity.control.dataset['pointer'] ?? '', detail: noQuantity });
      if (typedPrice(price.control.value, this.#currency) === undefined) {
        const detail = priceIssue(price.control.value, this.#currency);
        issues.push({ pointer: price.control.dataset['pointer'] ?? '', detail });
      }
      return issues;
    });
  }

  read(): NewItem[] {
    return this.#filled().map(({ name, sku, quantity, price }) => ({
      name: name.control.value.trim(),
      sku: textOf(sku),
      quantity: quantityOf(quantity.control.value) ?? 0,
      unitPrice: typedPrice(price.control.value, this.#currency) ?? 0,
    }));
  }

  /** Returns the lines that are items of the order: at least one. */
  #filled(): readonly Line[] {
    const filled = this.#lines.filter((line) => !isEmpty(line));
    return filled.length === 0 ? this.#lines.slice(0, 1) : filled;
  }

  #lineOf(item?: NewItem): Line {
    const name = field({
      label: t('Item'),
      pointer: '',
      value: item?.name ?? '',
      attributes: { list: 'articles', maxlength: 200, 'data-scan': 'item' },
    });
    const sku = field({
      label: t('SKU'),
      pointer: '',
      value: item?.sku ?? '',
      attributes: { maxlength: 64, 'data-scan': 'item' },
    });
    const quantity = field({
      label: t('Quantity'),
      pointer: '',
      value: String(item?.quantity ?? 1),
      attributes: { inputmode: 'numeric' },
    });
    const price = field({
      label: t('Price'),
      pointer: '',
      value: item === undefined ? '' : priceText(item.unitPrice, this.#currency),
      attributes: { inputmode: 'decimal' },
    });
    quantity.control.addEventListener('change', () => checkQuantity(quantity.control));
    price.control.addEventListener('change', () => this.#checkPrice(price.control));
    const sum = h('output', { class: 'line-sum' });
    const remove = h('button', { type: 'button', class: 'quiet' }, icon(icons.remove));
    const element = h(
      'li',
      { class: 'line' },
      name.element,
      sku.element,
      quantity.element,
      price.element,
      sum,
      remove,
    );
    const line = { element, name, sku, quantity, price, sum };
    remove.addEventListener('click', () => this.#remove(line));
    name.control.addEventListener('input', () => this.#typed(line));
    element.addEventListener('keydown', (event) => this.#pressed(line, event));
    return line;
  }

  #pressed(line: Line, event: KeyboardEvent): void {
    const { key, ctrlKey, shiftKey, metaKey, isComposing, target } = event;
    const code = textOf(line.name) ?? textOf(line.sku);
    if (key === 'Tab' && !shiftKey && code !== null && textOf(line.price) === null)
      this.#lookUps = this.#lookUps.then(() => this.#lookUpTyped(line, code));
    if (key !== 'Enter' || ctrlKey || metaKey || isComposing || target instanceof HTMLButtonElement) return;
    event.preventDefault();
    this.#entered(line);
  }

  /** The code stands in the line until the answer. A focus in that line goes to the next empty one. */
  scanned(code: string): void {
    this.#stopFinding();
    const line = this.#lines.find(isEmpty) ?? this.add();
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
      this.#unanswered.push(line);
    } finally {
      setWaiting(line, false);
    }
  }

  /** Enter in a line that has no price yet may end a SKU or barcode that was typed. */
  #entered(line: Line): void {
    const { name, sku, price } = line;
    const code = textOf(name) ?? textOf(sku);
    if (code === null || textOf(price) !== null) return this.#next(line).control.focus();
    const article = this.#articles.found.find((each) => this.#isNamed(each, code));
    if (article !== undefined) this.#fill(line, article);
    this.#next(line).control.focus();
    if (article === undefined) this.#lookUps = this.#lookUps.then(() => this.#lookUpTyped(line, code));
  }

  #isNamed({ name, sku, currency }: Article, text: string): boolean {
    return currency === this.#currency && (isSame(name, text) || (sku !== null && isSame(sku, text)));
  }

  /** A name that no product has is no error: the user is entering its price meanwhile. */
  async #lookUpTyped(line: Line, code: string): Promise<void> {
    const article = await this.#articles.called(code, this.#currency).catch(() => undefined);
    const isSameText = (textOf(line.name) ?? textOf(line.sku)) === code;
    if (article === undefined || !isSameText || textOf(line.price) !== null) return;
    const hadFocus = line.element.contains(document.activeElement);
    this.#put(line, article);
    if (hadFocus && this.#lines.includes(line)) this.#next(line).control.focus();
  }

  /** Makes the line that of the article, or adds one to the line that has it already. */
  #put(line: Line, article: Article): void {
    const { sku } = article;
    const same = this.#lines.find(
      (each) => each !== line && sku !== null && isSame(each.sku.control.value.trim(), sku),
    );
    if (same === undefined) this.#fill(line, article);
    else {
      const { control } = same.quantity;
      control.value = String((quantityOf(control.value) ?? 0) + 1);
      this.#drop(line);
    }
    this.#changed();
  }

  #fill({ name, sku, price }: Line, article: Article): void {
    const isSameCurrency = article.currency === this.#currency;
    name.control.value = article.name;
    clearIssue(name.control);
    sku.control.value = article.sku ?? '';
    if (isSameCurrency) price.control.value = priceText(article.unitPrice, this.#currency);
    // or another price would be glued to it
    if (document.activeElement === price.control && price.control instanceof HTMLInputElement)
      price.control.select();
    price.control.dispatchEvent(new Event('input', { bubbles: true })); // clears its issue
    if (!isSameCurrency)
      showIssue(
        price.control,
        t('Its price is in {other}: enter it in {currency}.', {
          other: article.currency,
          currency: this.#currency,
        }),
      );
  }

  /** Removes a line that is of no use; a focus in it goes to the line for the next item. */
  #drop(line: Line): void {
    const hadFocus = line.element.contains(document.activeElement);
    this.#lines = this.#lines.filter((each) => each !== line);
    line.element.remove();
    if (this.#lines.length === 0) this.add();
    if (hadFocus) this.focus();
  }

  /** Browsers dispatch no event for what a script has entered. */
  #changed(): void {
    this.#list.dispatchEvent(new Event('input', { bubbles: true }));
  }

  /** Returns the field that the line still needs, or else the item of the next line, which is added at the end. */
  #next(line: Line): Field {
    if (textOf(line.name) === null) return line.name;
    if (textOf(line.price) === null) return line.price;
    const next = this.#lines[this.#lines.indexOf(line) + 1] ?? this.add();
    return next.name;
  }

  /** Shows the issue of a price immediately, before the form is sent. */
  #checkPrice(control: Control): void {
    const text = control.value.trim();
    const isPrice = text === '' || typedPrice(text, this.#currency) !== undefined;
    if (!isPrice) showIssue(control, priceIssue(text, this.#currency));
  }

  #remove(line: Line): void {
    this.#drop(line);
    this.#changed();
    this.#lines.at(-1)?.name.control.focus();
  }

  /** Gives each item the pointers of its index, as the service names them; lines that are empty come after. */
  #number(): void {
    const ordered = [...this.#lines].sort((a, b) => Number(isEmpty(a)) - Number(isEmpty(b)));
    for (const [index, { name, sku, quantity, price }] of ordered.entries()) {
      name.control.dataset['pointer'] = `/items/${index}/name`;
      sku.control.dataset['pointer'] = `/items/${index}/sku`;
      quantity.control.dataset['pointer'] = `/items/${index}/quantity`;
      price.control.dataset['pointer'] = `/items/${index}/unitPrice`;
      price.control.dataset['currency'] = this.#currency;
    }
    for (const [index, { element }] of this.#lines.entries())
      element
        .querySelector('button')
        ?.setAttribute('aria-label', t('Remove item {number}', { number: index + 1 }));
  }

  #typed(line: Line): void {
    this.#complete(line);
    this.#stopFinding();
    const words = textOf(line.name);
    if (words === null) return;
    this.#finding = new AbortController();
    const { signal } = this.#finding;
    this.#timer = setTimeout(() => void this.#find(line, words, signal), typingMilliseconds);
  }

  #stopFinding(): void {
    clearTimeout(this.#timer);
    this.#finding.abort(new Error('overtaken'));
  }

  async #find(line: Line, words: string, signal: AbortSignal): Promise<void> {
    if (!(await this.#articles.find(words, signal))) return;
    this.suggest();
    if (textOf(line.price) !== null) return;
    this.#complete(line);
    const isSold = this.#articles.isSold(words, this.#currency);
    if (isSold && textOf(line.price) === null) await this.#lookUpTyped(line, words);
  }

  /** Fills in the SKU and the price of a chosen product. */
  #complete(line: Line): void {
    const text = line.name.control.value;
    const article = this.#articles.found.find(
      ({ name, currency }) => name === text && currency === this.#currency,
    );
    if (article !== undefined) this.#fill(line, article);
  }

  /** Offers what is known now as the names of items; what was sold before without its price, which may be old. */
  suggest(): void {
    const { found, sold } = this.#articles;
    const isOffered = ({ currency }: Article): boolean => currency === this.#currency;
    fill(
      this.#suggestions,
      found
        .filter(isOffered)
        .map(({ name, unitPrice, currency }) =>
          h('option', { value: name, label: money(unitPrice, currency) }),
        ),
      sold.filter(isOffered).map(({ name }) => h('option', { value: name })),
    );
  }

  #sum(): void {
    const sums = this.#lines.map(({ quantity, price, sum }) => {
      const unitPrice = typedPrice(price.control.value, this.#currency);
      const pieces = quantityOf(quantity.control.value);
      const total = unitPrice === undefined || pieces === undefined ? undefined : unitPrice * pieces;
      fill(sum, total === undefined || !Number.isSafeInteger(total) ? '' : money(total, this.#currency));
      return total ?? 0;
    });
    fill(
      this.total,
      money(
        sums.reduce((sum, each) => sum + each, 0),
        this.#currency,
      ),
    );
  }
}

const noProduct = t('No product that is sold now has this SKU or barcode: enter its name and price.');
const noQuantity = t('Quantity must be a whole number of 1 or more.');

/** Shows the issue of a quantity immediately, before the form is sent. */
function checkQuantity(control: Control): void {
  if (quantityOf(control.value) === undefined) showIssue(control, noQuantity);
}

/** Nothing can be entered in a line that waits for its product. */
function setWaiting({ element, name, sku, price }: Line, isWaiting: boolean): void {
  if (isWaiting) element.setAttribute('aria-busy', 'true');
  else element.removeAttribute('aria-busy');
  for (const { control } of [name, sku, price]) control.toggleAttribute('readonly', isWaiting);
}

function isEmpty({ name, sku, price }: Line): boolean {
  return [name, sku, price].every((each) => textOf(each) === null);
}
