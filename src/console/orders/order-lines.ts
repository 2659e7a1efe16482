// The lines of an order's items, with what completes them. Enter goes from line to line, so a line that is empty is no
// item. What is scanned becomes a line of its own, or adds one to the line of the same product. Nothing can be typed into
// a line that waits for its answer.
import { soundAlarm } from '../browser/alarm.ts';
import { isOfInputMethod } from '../browser/browser-gaps.ts';
import { button, h, icon, icons, setText } from '../browser/elements.ts';
import { combobox, type Found, type FoundGroup } from '../forms/combobox.ts';
import {
  type Control,
  currencyChoice,
  dispatchChange,
  type Entered,
  enterValue,
  field,
  messageOf,
  showIssue,
} from '../forms/forms.ts';
import { card } from '../page/cards.ts';
import { type Article, articlesOf, isSame } from '../products/articles.ts';
import type { ApiClient } from '../service/api-client.ts';
import { Unreachable } from '../service/request-errors.ts';
import { quantityOf } from '../words/amounts.ts';
import type { Issue } from '../words/api-types.ts';
import { isLikeCode } from '../words/codes.ts';
import { isBarcode } from '../words/gtin.ts';
import { money, shopCurrency } from '../words/formats.ts';
import { t } from '../words/texts.ts';
import { type ReadItem, readItem, sumOf } from './order-items.ts';
import { type NewItem, OrderLine } from './order-line.ts';

type Content = { readonly currency: string; readonly items: readonly NewItem[] };
type ReadLine = ReadItem & { readonly line: OrderLine };

/** What is looked up: a scanned code, a whole text that was typed, or words that may begin a name. */
type Kind = 'code' | 'text' | 'words';

export class OrderLines {
  readonly element: HTMLElement;
  readonly total = h('output.total');
  readonly #client: ApiClient;
  readonly #articles: ReturnType<typeof articlesOf>;
  readonly #currencyField = field({ label: t('Currency'), pointer: '/currency', control: currencyChoice() });
  readonly #list = h('ol');
  readonly #tidy = button(t('Remove what wasn’t found'), () => this.#dropUnknown());
  #lines: readonly OrderLine[] = [];
  /** Answers are entered one after the other, so that the second scan of a code finds the line of the first. */
  #lookUps: Promise<void> = Promise.resolve();

  constructor(client: ApiClient) {
    this.#client = client;
    this.#articles = articlesOf(client);
    const more = button([icon(icons.add), t('Add item')], () => this.#add().name.focus());
    const discount = button(t('Add discount'), () => this.#addDiscount());
    const sum = h('div.sum.buttons', more, discount, this.#tidy, this.#currencyField.element);
    this.element = card(t('Items'), h('div.lines', this.#list, sum));
    this.#add();
    void this.#articles.loadSold().then(() => this.draw());
  }

  /** Whether a code that was scanned waits for its answer. */
  get isWaiting(): boolean {
    return this.#lines.some((line) => line.isWaiting);
  }

  /** The number of items, their total in words, and that what stands in lines that are empty is nothing. */
  entered(): Entered {
    const filled = this.#lines.filter((line) => !line.isEmpty);
    const ofEmpty = this.#lines.filter((line) => line.isEmpty).flatMap(({ controls }) => controls);
    const nothing = ofEmpty.map(([, { dataset }]) => [dataset['pointer'], undefined] as const);
    return { ...Object.fromEntries(nothing), items: String(filled.length), total: this.total.value };
  }

  read(): Content {
    const items = this.#items().map(({ line, name, quantity = 0, unitPrice = 0 }) => {
      return { name, sku: line.sku.value === '' ? null : line.sku.value, quantity, unitPrice };
    });
    return { currency: this.#currency, items };
  }

  /** Returns items without a name, numbers that can’t be parsed, and a total below 0; the service reports the others. */
  issues(): Issue[] {
    const items = this.#items();
    const faults = items.flatMap((item) => item.line.faults(item, this.#currency));
    const discount = items.findLast(({ unitPrice = 0 }) => unitPrice < 0);
    if (discount !== undefined && sumOf(items) < 0)
      faults.push([discount.line.price, t('The total can’t be less than 0.')]);
    return faults.map(([{ dataset }, detail]) => ({ pointer: dataset['pointer'] ?? '', detail }));
  }

  /** Throws for a price that is hardly meant. */
  questionPrices(): void {
    for (const item of this.#items()) item.line.questionPrice(item, this.#currency);
  }

  /** Fills in the items of an order to repeat or to change. A currency that the service no longer accepts stays. */
  write({ currency, items }: Content): void {
    const hadFocus = this.#list.contains(document.activeElement);
    enterValue(this.#currencyField.control, currency);
    this.#lines = [];
    this.#list.replaceChildren();
    for (const item of items) this.#add(item);
    if (hadFocus) this.focusEmpty();
  }

  /** Adds lines until there are `count`. */
  grow(count: number): void {
    while (this.#lines.length < count) this.#add();
  }

  focusEmpty(): void {
    this.#emptyLine().name.focus();
  }

  /** Shows what follows from the texts, and gives each item the pointers of its index, as the service names them. */
  draw(): void {
    const currency = this.#currency;
    const read = this.#readLines();
    for (const [index, item] of read.entries()) {
      item.line.draw(item, currency);
      item.line.remove.ariaLabel = t('Remove item {number}', { number: index + 1 });
    }
    const itemsFirst = [...this.#lines].sort((a, b) => Number(a.isEmpty) - Number(b.isEmpty));
    for (const [index, { controls }] of itemsFirst.entries())
      for (const [member, { dataset }] of controls) dataset['pointer'] = `/items/${index}/${member}`;
    const currencies = new Set([...this.#articles.currencies, currency, shopCurrency()]);
    this.#currencyField.element.hidden = currencies.size === 1;
    this.#tidy.hidden = this.#lines.every((line) => !line.isUnknown);
    setText(this.total, money(sumOf(read), currency));
  }

  /** The code stands in the line until the answer. A focus in that line goes to the next empty one. */
  scanned(code: string): void {
    const line = this.#emptyLine();
    line.search.close();
    line.name.value = code;
    if (line.hasFocus) this.focusEmpty();
    const named = this.#lines.find(({ name }) => name === document.activeElement);
    if (named?.isUnknown === true) named.askName();
    line.reveal();
    this.#lookUp(line, 'code');
    this.lookUpAgain(); // an answer was dropped if keys of this scan stood in the price of its line
    dispatchChange(this.#list);
  }

  /** Enters a product that was chosen elsewhere. */
  add(article: Article): void {
    const line = this.#emptyLine();
    line.search.close();
    this.#put(line, article);
  }

  /** Looks up what stands in lines that have no price, also what was scanned while the service was away. */
  lookUpAgain(): void {
    for (const line of this.#lines)
      if (!line.isWaiting) this.#lookUp(line, line.failure === undefined ? 'text' : 'code');
  }

  /** Resolves once all codes that were scanned are items, or issues. Throws if the service was away from one. */
  async settle(): Promise<void> {
    const failed = this.#lines.filter(({ failure }) => failure !== undefined);
    if (this.#client.isReachable) for (const line of failed) this.#lookUp(line, 'code');
    await this.#lookUps;
    for (const { failure } of this.#lines) if (failure instanceof Unreachable) throw failure;
  }

  get #currency(): string {
    return this.#currencyField.control.value;
  }

  #readLines(): readonly ReadLine[] {
    let above = 0;
    return this.#lines.map((line) => {
      const item = readItem(line.texts, above, this.#currency);
      above += item.sum ?? 0;
      return { ...item, line };
    });
  }

  /** The lines that are items of the order: at least one. */
  #items(): readonly ReadLine[] {
    const read = this.#readLines();
    const filled = read.filter(({ line }) => !line.isEmpty);
    return filled.length === 0 ? read.slice(0, 1) : filled;
  }

  #add(item?: NewItem): OrderLine {
    const search = combobox({
      label: t('Item'),
      placeholder: '',
      lookUp: (q, signal) => this.#optionsFor(line, q, signal),
      onKey: (event, active) => this.#pressedInName(line, event, active),
    });
    const line = new OrderLine(search, this.#currency, item);
    line.element.addEventListener('change', () => this.#showFaults(line));
    line.element.addEventListener('keydown', (event) => this.#pressed(line, event));
    line.remove.addEventListener('click', () => {
      this.#drop(line);
      this.#lines.at(-1)?.name.focus();
      dispatchChange(this.#list);
    });
    this.#lines = [...this.#lines, line];
    this.#list.append(line.element);
    this.draw();
    return line;
  }

  #drop(line: OrderLine): void {
    this.#lines = this.#lines.filter((each) => each !== line);
    line.element.remove();
    if (this.#lines.length === 0) this.#add();
  }

  #dropUnknown(): void {
    for (const line of this.#lines) if (line.isUnknown) this.#drop(line);
    this.focusEmpty();
    dispatchChange(this.#list);
  }

  #emptyLine(): OrderLine {
    return this.#lines.find(({ isEmpty }) => isEmpty) ?? this.#add();
  }

  /** Some keypads of phones have no minus. */
  #addDiscount(): void {
    const { price } = this.#emptyLine();
    price.inputMode = 'text';
    price.value = '-';
    price.focus();
    dispatchChange(this.#list);
  }

  /** Says what is wrong with what was entered before the form is sent; a name and a price may still come. */
  #showFaults(line: OrderLine): void {
    const item = this.#readLines().find((each) => each.line === line);
    for (const [control, detail] of item === undefined ? [] : line.faults(item, this.#currency))
      if (control === line.quantity || control.value.trim() !== '') showIssue(control, detail);
  }

  /** Enter in a field that is complete goes to what the line still needs. */
  #pressed(line: OrderLine, event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, defaultPrevented, target } = event;
    if (key !== 'Enter' || ctrlKey || metaKey || isOfInputMethod(event) || defaultPrevented) return;
    if (target instanceof HTMLButtonElement) return;
    event.preventDefault();
    this.#goOn(line);
  }

  /** Tab, and Enter without an option, may end a SKU or barcode that was typed. Enter waits for no answer. */
  #pressedInName(line: OrderLine, { key, shiftKey }: KeyboardEvent, active: Found | undefined): boolean {
    const isTab = key === 'Tab' && !shiftKey;
    if (!isTab && key !== 'Enter') return false;
    if (this.#isScannedOver(line)) return true;
    if (isTab) this.#lookUp(line, 'text');
    if (isTab || active !== undefined) return false;
    line.search.close();
    this.#goOn(line);
    return true;
  }

  #goOn(line: OrderLine): void {
    this.#lookUp(line, 'words');
    this.#neededOf(line).focus();
  }

  /** Returns whether a slow scanner has typed over a code that no product has: both are items then. */
  #isScannedOver(line: OrderLine): boolean {
    const { text, unknownCode } = line;
    if (unknownCode === '' || text === unknownCode || !isBarcode(text)) return false;
    line.name.value = unknownCode;
    this.scanned(text);
    return true;
  }

  /** Returns the field that the line still needs, or else the item of the next line, which is added at the end. */
  #neededOf(line: OrderLine): Control {
    const index = this.#lines.indexOf(line);
    if (index < 0) return this.#emptyLine().name;
    if ((line.text || line.name.placeholder) === '') return line.name;
    return line.hasPrice ? (this.#lines[index + 1] ?? this.#add()).name : line.price;
  }

  /** Completes a line that has no price. A name that no product has is no error: its price is being typed. */
  #lookUp(line: OrderLine, kind: Kind): void {
    const { text } = line;
    line.failure = undefined;
    if (text === '' || line.hasPrice) return;
    if (kind === 'code') line.isWaiting = true;
    const typed = textInFocus();
    const answer = this.#find(text, kind).then(
      (article) => ({ article, failure: undefined }),
      (failure: unknown) => ({ article: undefined, failure }),
    );
    const enter = async (): Promise<void> => {
      const { article, failure } = await answer;
      if (kind === 'code') line.isWaiting = false;
      const isAsked = this.#lines.includes(line) && line.text === text && !line.hasPrice;
      if (isAsked && article !== undefined) this.#put(line, article);
      else if (isAsked && kind === 'code') this.#sayUnanswered(line, failure, typed);
      this.draw();
    };
    this.#lookUps = this.#lookUps.then(enter, enter); // also after a look-up that failed
  }

  async #find(text: string, kind: Kind): Promise<Article | undefined> {
    const articles = this.#articles;
    if (kind === 'code') return articles.withCode(text);
    const whole = await articles.called(text, this.#currency);
    if (whole !== undefined || kind === 'text' || isLikeCode(text)) return whole;
    return (await articles.find(text, new AbortController().signal)).products[0];
  }

  /** Asks for the name of what no product is, unless somebody types meanwhile. */
  #sayUnanswered(line: OrderLine, failure: unknown, typed: string): void {
    soundAlarm();
    line.failure = failure;
    // that the service is away is said at the button
    if (failure !== undefined)
      return showIssue(line.name, failure instanceof Unreachable ? '' : messageOf(failure));
    line.unknownCode = line.text;
    this.#showFaults(line);
    if (textInFocus() === typed) line.askName();
  }

  /** Products with their prices, what was sold before without its price, which may be old, and what was typed. */
  async #optionsFor(line: OrderLine, q: string, signal: AbortSignal): Promise<readonly FoundGroup[]> {
    const { products, sold } = await this.#articles.find(q, signal);
    const take = (name: string): void => {
      line.name.value = name;
      dispatchChange(this.#list);
      this.#goOn(line);
    };
    const options = [
      ...products.map((each) => ({
        name: each.name,
        about: [each.sku, money(each.unitPrice, each.currency)].filter(Boolean).join(' · '),
        choose: () => this.#put(line, each),
      })),
      ...sold
        .filter(({ currency }) => currency === this.#currency)
        .map(({ name, sku }) => ({ name, about: sku ?? '', choose: () => take(name) })),
      {
        name: t('Other item “{name}”', { name: q }),
        about: '',
        choose: () => this.#neededOf(line).focus(),
      },
    ];
    return [{ label: t('Items'), found: options.map((each, index) => ({ id: String(index), ...each })) }];
  }

  /** Enters the article in the line, or adds one to the line that has the article already. Moves the line's focus on. */
  #put(line: OrderLine, article: Article): void {
    const { hasFocus } = line;
    const { sku } = article;
    const same = this.#lines.find((each) => each !== line && sku !== null && isSame(each.sku.value, sku));
    if (same === undefined) line.complete(article, this.#currency);
    else {
      same.quantity.value = String((quantityOf(same.quantity.value) ?? 0) + 1);
      this.#drop(line);
    }
    dispatchChange(this.#list);
    (same ?? line).reveal();
    if (hasFocus) this.#neededOf(line).focus();
  }
}

function textInFocus(): string {
  const { activeElement } = document;
  return activeElement instanceof HTMLInputElement ? activeElement.value : '';
}
