// The lines of an order's items, with what completes them. Enter goes from line to line, so a line that is empty is no
// item. What is scanned becomes a line of its own, or adds one to the line of the same product. Nothing can be typed into
// a line that waits for its answer. A discount is a line with a negative price; `-10 %` is of the lines above it.
import type { Issue, Order } from '../parts/api-types.ts';
import { soundAlarm } from '../parts/alarm.ts';
import { quantityOf } from '../parts/amounts.ts';
import { isOfInputMethod } from '../parts/browser-gaps.ts';
import { combobox, type Found, type FoundGroup } from '../parts/combobox.ts';
import { fill, h, icon, icons } from '../parts/elements.ts';
import { money, priceIssue, priceText, shopCurrency, typedPrice } from '../parts/formats.ts';
import { clearIssue, type Control, currencyChoice, field, messageOf, showIssue } from '../parts/forms.ts';
import { Unreachable } from '../parts/request-errors.ts';
import { isLikeCode } from '../parts/scans.ts';
import { t } from '../parts/texts.ts';
import { type Article, isSame } from '../products/articles.ts';
import type { Line, NewItem, OrderForm } from './order-state.ts';

/** A key, and the option that Enter would choose. */
export type Pressed = Pick<KeyboardEvent, 'key' | 'shiftKey'> & { readonly active: Found | undefined };
/** A line with what its texts mean; undefined for what can't be parsed. */
type Priced = {
  readonly line: Line;
  readonly unitPrice: number | undefined;
  readonly total: number | undefined;
};

/** Browsers dispatch no event for what a script has entered. */
export function changed(place: HTMLElement): void {
  place.dispatchEvent(new Event('change', { bubbles: true }));
}

/** Screen readers say only what is another text. */
export function say(place: HTMLElement, text: string): void {
  if (place.textContent !== text) place.textContent = text;
}

function currencyOf({ currency }: OrderForm): string {
  return currency.control.value;
}

/** Fills in the items of an order to repeat or to change. A currency that the service no longer accepts stays. */
export function fillLines(form: OrderForm, { currency, items }: Pick<Order, 'currency' | 'items'>): void {
  const { control } = form.currency;
  control.replaceChildren(...currencyChoice(currency).children);
  control.value = currency;
  form.lines = items.map((item) => lineOf(form, item));
  fill(
    form.list,
    form.lines.map(({ element }) => element),
  );
  form.draw();
}

export function addLine(form: OrderForm): Line {
  const line = lineOf(form);
  form.lines = [...form.lines, line];
  form.list.append(line.element);
  form.draw();
  return line;
}

function lineOf(form: OrderForm, item?: NewItem): Line {
  const search = combobox({
    label: t('Item'),
    placeholder: '',
    lookUp: (q, signal) => foundItems(form, line, { q, signal }),
    onKey: ({ key, shiftKey }, active) => pressedInName(form, line, { key, shiftKey, active }),
  });
  const { control: name } = search;
  name.dataset['scan'] = 'item';
  const sku = h('input', { type: 'hidden', 'data-pointer': '' });
  const about = h('p.hint');
  const nameField = field({ label: t('Item'), pointer: '', control: name, value: item?.name ?? '' });
  const quantityField = field({
    label: t('Quantity'),
    pointer: '',
    value: String(item?.quantity ?? 1),
    attributes: { inputmode: 'numeric' },
  });
  const priceField = field({
    label: t('Price'),
    pointer: '',
    value: item === undefined ? '' : priceText(item.unitPrice, currencyOf(form)),
    attributes: { inputmode: 'decimal' },
  });
  const [quantity, price] = [quantityField.control, priceField.control];
  const sum = h('output.line-sum');
  const remove = h('button', { type: 'button', class: 'quiet' }, icon(icons.remove));
  const nameCell = h('div', nameField.element, search.list, sku, about);
  const element = h('li.line', nameCell, quantityField.element, priceField.element, sum, remove);
  const of = { name: item?.name ?? '', sku: item?.sku ?? '' };
  const parts = { element, name, search, sku, about, quantity, price, sum, remove };
  const line: Line = { ...parts, of, isWaiting: false, failure: undefined };
  sku.addEventListener('input', () => (line.of = { name: name.value, sku: sku.value })); // of a draft
  price.addEventListener('input', () => keepOneMinus(price));
  element.addEventListener('change', () => showFaults(form, line));
  remove.addEventListener('click', () => {
    drop(form, line);
    form.lines.at(-1)?.name.focus();
    changed(form.list);
  });
  element.addEventListener('keydown', (event) => pressed(form, line, event));
  return line;
}

function isPriceless({ price }: Line): boolean {
  return price.value.trim() === '';
}

function isEmpty(line: Line): boolean {
  return line.name.value.trim() === '' && isPriceless(line);
}

/** A discount has a name without one being typed. */
function itemName({ name }: Line): string {
  return name.value.trim() || (name.getAttribute('placeholder') ?? '');
}

/** Enter in a field that is complete goes to what the line still needs. */
function pressed(form: OrderForm, line: Line, event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, defaultPrevented, target } = event;
  if (key !== 'Enter' || ctrlKey || metaKey || isOfInputMethod(event) || defaultPrevented) return;
  if (target instanceof HTMLButtonElement) return;
  event.preventDefault();
  entered(form, line);
}

/** Tab, and Enter without an option, may end a SKU or barcode that was typed. Enter waits for no answer. */
function pressedInName(form: OrderForm, line: Line, { key, shiftKey, active }: Pressed): boolean {
  if (key === 'Tab' && !shiftKey) lookUp(form, line, 'text');
  if (key !== 'Enter' || active !== undefined) return false;
  line.search.close();
  entered(form, line);
  return true;
}

function entered(form: OrderForm, line: Line): void {
  lookUp(form, line, 'words');
  neededOf(form, line).focus();
}

/** Returns the field that the line still needs, or else the item of the next line, which is added at the end. */
function neededOf(form: OrderForm, line: Line): Control {
  const index = form.lines.indexOf(line);
  if (index < 0) return emptyLine(form).name;
  if (itemName(line) === '') return line.name;
  if (isPriceless(line)) return line.price;
  return (form.lines[index + 1] ?? addLine(form)).name;
}

/** Returns the lines that are not empty. */
export function filledLines({ lines }: OrderForm): readonly Line[] {
  return lines.filter((line) => !isEmpty(line));
}

function emptyLine(form: OrderForm): Line {
  return form.lines.find(isEmpty) ?? addLine(form);
}

/** Focuses the first empty line. */
export function focusLine(form: OrderForm): void {
  emptyLine(form).name.focus();
}

/** Some keypads of phones have no minus. */
export function addDiscount(form: OrderForm): void {
  const { price } = emptyLine(form);
  price.inputMode = 'text';
  price.value = '-';
  price.focus();
  changed(form.list);
}

/** The code stands in the line until the answer. A focus in that line goes to the next empty one. */
export function scannedItem(form: OrderForm, code: string): void {
  const line = emptyLine(form);
  line.search.close();
  line.name.value = code;
  if (line.element.contains(document.activeElement)) focusLine(form);
  lookUp(form, line, 'code');
  lookUpAgain(form); // a scan whose keys went to the price of a line has hidden what its name is
  changed(form.list);
}

/** Looks up what stands in lines that have no price, also what was scanned while the service was away. */
export function lookUpAgain(form: OrderForm): void {
  for (const line of form.lines)
    if (!line.isWaiting) lookUp(form, line, line.failure === undefined ? 'text' : 'code');
}

/** Resolves once all codes that were scanned are items, or issues. Throws if the service was away from one. */
export async function settleLines(form: OrderForm): Promise<void> {
  for (const line of form.lines) if (line.failure !== undefined) lookUp(form, line, 'code');
  await form.lookUps;
  for (const { failure } of form.lines) if (failure instanceof Unreachable) throw failure;
}

/** What was typed may be the beginning of a name, too. */
type Kind = 'code' | 'text' | 'words';

/** Completes a line that has no price. A name that no product has is no error: its price is being typed. */
function lookUp(form: OrderForm, line: Line, kind: Kind): void {
  const text = line.name.value.trim();
  line.failure = undefined;
  if (text === '' || !isPriceless(line)) return;
  if (kind === 'code') line.isWaiting = true;
  form.lookUps = form.lookUps.then(async () => {
    const { article, failure } = await find(form, text, kind).then(
      (found) => ({ article: found, failure: undefined }),
      (error: unknown) => ({ article: undefined, failure: error }),
    );
    if (kind === 'code') line.isWaiting = false;
    const isAsked = form.lines.includes(line) && line.name.value.trim() === text && isPriceless(line);
    if (isAsked && article !== undefined) put(form, line, article);
    else if (isAsked && kind === 'code') {
      line.failure = failure;
      soundAlarm();
      const unknown = t('No product that is sold now has this SKU or barcode: enter its name and price.');
      showIssue(line.name, failure === undefined ? unknown : messageOf(failure));
    }
    form.draw();
  });
}

async function find(form: OrderForm, text: string, kind: Kind): Promise<Article | undefined> {
  const { articles } = form;
  if (kind === 'code') return articles.withCode(text);
  const whole = await articles.called(text, currencyOf(form));
  if (whole !== undefined || kind === 'text' || isLikeCode(text)) return whole;
  return (await articles.find(text, new AbortController().signal)).products[0];
}

/** Products with their prices, what was sold before without its price, which may be old, and what was typed. */
async function foundItems(
  form: OrderForm,
  line: Line,
  { q, signal }: { readonly q: string; readonly signal: AbortSignal },
): Promise<readonly FoundGroup[]> {
  const { products, sold } = await form.articles.find(q, signal);
  const typed = (name: string): void => {
    line.name.value = name;
    lookUp(form, line, 'text');
    changed(form.list);
    neededOf(form, line).focus();
  };
  const options = [
    ...products.map((each) => ({
      name: each.name,
      about: [each.sku, money(each.unitPrice, each.currency)].filter(Boolean).join(' · '),
      choose: () => put(form, line, each),
    })),
    ...sold
      .filter(({ currency }) => currency === currencyOf(form))
      .map(({ name, sku }) => ({ name, about: sku ?? '', choose: () => typed(name) })),
    { name: t('Other item “{name}”', { name: q }), about: '', choose: () => neededOf(form, line).focus() },
  ];
  return [{ label: t('Items'), found: options.map((each, index) => ({ id: String(index), ...each })) }];
}

/** Makes the line that of the article, or adds one to the line that has it already. A focus in it goes on. */
function put(form: OrderForm, line: Line, article: Article): void {
  const hadFocus = line.element.contains(document.activeElement);
  const { sku } = article;
  const same = form.lines.find((each) => each !== line && sku !== null && isSame(each.sku.value, sku));
  if (same === undefined) complete(line, article, currencyOf(form));
  else {
    same.quantity.value = String((quantityOf(same.quantity.value) ?? 0) + 1);
    drop(form, line);
  }
  changed(form.list);
  if (hadFocus) neededOf(form, line).focus();
}

function complete(line: Line, { name, sku, unitPrice, currency: other }: Article, currency: string): void {
  line.search.close();
  line.of = { name, sku: sku ?? '' };
  line.name.value = name;
  clearIssue(line.name);
  clearIssue(line.price);
  if (other === currency) line.price.value = priceText(unitPrice, currency);
  else showIssue(line.price, t('Its price is in {other}: enter it in {currency}.', { other, currency }));
}

function drop(form: OrderForm, line: Line): void {
  form.lines = form.lines.filter((each) => each !== line);
  line.element.remove();
  if (form.lines.length === 0) addLine(form);
}

/** Gives each item the pointers of its index, as the service names them; lines that are empty come after. */
export function drawLines(form: OrderForm): void {
  const currency = currencyOf(form);
  form.currency.element.hidden = new Set([...form.articles.currencies, currency, shopCurrency()]).size === 1;
  const ordered = [...form.lines].sort((a, b) => Number(isEmpty(a)) - Number(isEmpty(b)));
  let all = 0;
  for (const [index, { line, unitPrice = 0, total }] of pricedOf(form).entries()) {
    const { element, name, sku, about, quantity, price, sum, remove, of, isWaiting } = line;
    sku.value = name.value.includes(of.name) ? of.sku : ''; // another name is another thing
    say(about, sku.value);
    for (const [member, control] of Object.entries({ name, sku, quantity, unitPrice: price }))
      control.dataset['pointer'] = `/items/${ordered.indexOf(line)}/${member}`;
    price.dataset['currency'] = currency;
    remove.ariaLabel = t('Remove item {number}', { number: index + 1 });
    const isPart = discountPart(price.value) !== undefined;
    const percent = price.value.replace(/^\s*[-−–]\s*/, '');
    const discount = isPart ? t('Discount {percent}', { percent }) : t('Discount');
    name.setAttribute('placeholder', isPart || unitPrice < 0 ? discount : '');
    say(sum, total === undefined || isPriceless(line) ? '' : money(total, currency));
    element.ariaBusy = isWaiting ? 'true' : null;
    for (const control of [name, price]) control.toggleAttribute('readonly', isWaiting);
    all += total ?? 0;
  }
  say(form.total, money(all, currency));
}

/** Returns issues of an item without a name and of numbers that can't be parsed; the service reports the others. */
export function lineIssues(form: OrderForm): Issue[] {
  const items = itemsOf(form);
  const faults = items.flatMap((item) => faultsOf(form, item));
  const sum = items.reduce((total, each) => total + (each.total ?? 0), 0);
  const discount = items.findLast(({ unitPrice = 0 }) => unitPrice < 0);
  if (sum < 0 && discount !== undefined)
    faults.push([discount.line.price, t('The total can’t be less than 0.')]);
  return faults.map(([{ dataset }, detail]) => ({ pointer: dataset['pointer'] ?? '', detail }));
}

type Fault = readonly [control: Control, detail: string];

function faultsOf(form: OrderForm, { line, unitPrice }: Priced): Fault[] {
  const { name, quantity, price } = line;
  const faults: Fault[] = [];
  if (itemName(line) === '') faults.push([name, t('{label} is required.', { label: t('Item') })]);
  if (quantityOf(quantity.value) === undefined)
    faults.push([quantity, t('Quantity must be a whole number of 1 or more.')]);
  if (unitPrice === undefined) faults.push([price, priceIssue(price.value.trim(), currencyOf(form))]);
  return faults;
}

/** Says what is wrong with what was entered before the form is sent; a name and a price may still come. */
function showFaults(form: OrderForm, line: Line): void {
  const own = pricedOf(form).filter((each) => each.line === line);
  for (const [control, detail] of own.flatMap((each) => faultsOf(form, each)))
    if (control === line.quantity || control.value.trim() !== '') showIssue(control, detail);
}

export function readItems(form: OrderForm): {
  readonly currency: string;
  readonly items: readonly NewItem[];
} {
  const items = itemsOf(form).map(({ line, unitPrice = 0 }) => ({
    name: itemName(line),
    sku: line.sku.value === '' ? null : line.sku.value,
    quantity: quantityOf(line.quantity.value) ?? 0,
    unitPrice,
  }));
  return { currency: currencyOf(form), items };
}

/** Returns the lines that are items of the order: at least one. */
function itemsOf(form: OrderForm): readonly Priced[] {
  const priced = pricedOf(form);
  const items = priced.filter(({ line }) => !isEmpty(line));
  return items.length === 0 ? priced.slice(0, 1) : items;
}

function pricedOf(form: OrderForm): readonly Priced[] {
  let above = 0;
  return form.lines.map((line) => {
    const text = line.price.value;
    const part = discountPart(text);
    const unitPrice = part === undefined ? typedPrice(text, currencyOf(form)) : discountOf(above, part);
    const pieces = quantityOf(line.quantity.value);
    const product = unitPrice === undefined || pieces === undefined ? NaN : unitPrice * pieces;
    const total = Number.isSafeInteger(product) ? product : undefined;
    above += total ?? 0;
    return { line, unitPrice, total };
  });
}

/** A discount begins with a minus, which is often typed once more. */
function keepOneMinus(control: Control): void {
  const text = control.value.replace(/^-\s*(?=[-−–])/, '');
  if (text !== control.value) control.value = text;
}

/** Parses `-10 %` and `−2,5%` into hundredths of a percent; undefined for any other text, and for more than 100 %. */
function discountPart(text: string): number | undefined {
  const [, whole = '', decimals = ''] = /^[-−–]\s*(\d{1,3})(?:[.,](\d{1,2}))?\s*%$/.exec(text.trim()) ?? [];
  const part = Number(whole + decimals.padEnd(2, '0'));
  return whole === '' || part > 10_000 ? undefined : part;
}

/** Returns the negative amount that takes this part off the sum, rounded to the minor unit. */
function discountOf(sum: number, part: number): number {
  if (sum <= 0) return 0;
  const exact = BigInt(sum) * BigInt(part);
  return 0 - Number((exact + 5_000n) / 10_000n);
}
