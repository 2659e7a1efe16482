// The form lines of an order's items, with suggestions from recent orders and a running total. Enter goes from
// line to line, so a line that is empty is no item.
import type { Issue, List, Order } from './api-types.ts';
import type { Page } from './view.ts';
import { fill, h, icon, icons } from './elements.ts';
import { defaultCurrency, money, priceIssue, priceText, typedPrice } from './formats.ts';
import { quantityOf } from './amounts.ts';
import { type Control, field, type Field, showIssue, textOf } from './forms.ts';

type NewItem = {
  readonly sku: string | null;
  readonly name: string;
  readonly quantity: number;
  readonly unitPrice: number;
};
export type Article = {
  readonly name: string;
  readonly sku: string | null;
  readonly unitPrice: number;
  readonly currency: string;
};
type Line = {
  readonly row: HTMLElement;
  readonly name: Field;
  readonly sku: Field;
  readonly quantity: Field;
  readonly price: Field;
  readonly sum: HTMLElement;
};

/** Returns the articles of the newest 100 orders with their last prices; none if they can't be read. */
export async function loadSoldArticles({ client, signal }: Page): Promise<readonly Article[]> {
  const found = client.get<List<Order>>('/orders?limit=100', signal);
  const { data } = await found.catch(() => ({ data: [] }));
  const byName = new Map<string, Article>();
  for (const { items, currency } of data) {
    for (const { name, sku, unitPrice } of items) {
      if (!byName.has(`${name} ${currency}`))
        byName.set(`${name} ${currency}`, { name, sku, unitPrice, currency });
    }
  }
  return [...byName.values()];
}

/** The lines of an order. A change of the currency changes only the parsing of prices. */
export class OrderLines {
  readonly element = h('div', { class: 'lines' });
  readonly #total = h('output', { class: 'total' });
  readonly #suggestions = h('datalist', { id: 'articles' });
  readonly #list = h('ol', {});
  #lines: Line[] = [];
  #articles: readonly Article[] = [];
  #currency = defaultCurrency;

  constructor() {
    const add = h(
      'button',
      { type: 'button', onclick: () => this.add().name.control.focus() },
      icon(icons.add),
      'Add item',
    );
    fill(
      this.element,
      this.#list,
      this.#suggestions,
      h('div', { class: 'sum' }, add, h('p', {}, 'Total ', this.#total)),
    );
    this.add();
    this.#sum();
  }

  set articles(articles: readonly Article[]) {
    this.#articles = articles;
    this.#suggest();
  }

  set currency(currency: string) {
    this.#currency = currency;
    this.#suggest();
    this.#number();
    this.#sum();
  }

  /** Focuses the first line. */
  focus(): void {
    this.#lines[0]?.name.control.focus();
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
    this.#list.append(line.row);
    this.#number();
    return line;
  }

  /** Returns issues of numbers that can't be parsed; the service reports the others. */
  issues(): Issue[] {
    return this.#filled().flatMap(({ quantity, price }) => {
      const issues: Issue[] = [];
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
      label: 'Item',
      pointer: '',
      value: item?.name ?? '',
      attributes: { list: 'articles', maxlength: 200 },
    });
    const sku = field({ label: 'SKU', pointer: '', value: item?.sku ?? '', attributes: { maxlength: 64 } });
    const quantity = field({
      label: 'Quantity',
      pointer: '',
      value: String(item?.quantity ?? 1),
      attributes: { inputmode: 'numeric' },
    });
    const price = field({
      label: 'Price',
      pointer: '',
      value: item === undefined ? '' : priceText(item.unitPrice, this.#currency),
      attributes: { inputmode: 'decimal' },
    });
    quantity.control.addEventListener('change', () => checkQuantity(quantity.control));
    price.control.addEventListener('change', () => this.#checkPrice(price.control));
    const sum = h('output', { class: 'line-sum' });
    const remove = h('button', { type: 'button', class: 'quiet' }, icon(icons.remove));
    const row = h('li', { class: 'line' }, name.row, sku.row, quantity.row, price.row, sum, remove);
    const line = { row, name, sku, quantity, price, sum };
    remove.addEventListener('click', () => this.#remove(line));
    name.control.addEventListener('input', () => this.#complete(line));
    row.addEventListener('input', () => {
      this.#number();
      this.#sum();
    });
    row.addEventListener('keydown', (event) => this.#pressed(line, event));
    return line;
  }

  #pressed(line: Line, event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, isComposing, target } = event;
    if (key !== 'Enter' || ctrlKey || metaKey || isComposing || target instanceof HTMLButtonElement) return;
    event.preventDefault();
    this.#next(line).control.focus();
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
    this.#lines = this.#lines.filter((each) => each !== line);
    line.row.remove();
    if (this.#lines.length === 0) this.add();
    this.#number();
    this.#sum();
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
    for (const [index, { row }] of this.#lines.entries())
      row.querySelector('button')?.setAttribute('aria-label', `Remove item ${index + 1}`);
  }

  /** Fills in the SKU and the price of a chosen article. */
  #complete({ name, sku, price }: Line): void {
    const article = this.#articles.find(
      (each) => each.name === name.control.value && each.currency === this.#currency,
    );
    if (article === undefined) return;
    sku.control.value = article.sku ?? '';
    price.control.value = priceText(article.unitPrice, this.#currency);
  }

  #suggest(): void {
    const known = this.#articles.filter(({ currency }) => currency === this.#currency);
    fill(
      this.#suggestions,
      known.map(({ name, unitPrice, currency }) =>
        h('option', { value: name, label: money(unitPrice, currency) }),
      ),
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
      this.#total,
      money(
        sums.reduce((sum, each) => sum + each, 0),
        this.#currency,
      ),
    );
  }
}

const noQuantity = 'Quantity must be a whole number of 1 or more.';

/** Shows the issue of a quantity immediately, before the form is sent. */
function checkQuantity(control: Control): void {
  if (quantityOf(control.value) === undefined) showIssue(control, noQuantity);
}

function isEmpty({ name, sku, price }: Line): boolean {
  return [name, sku, price].every((each) => textOf(each) === null);
}
