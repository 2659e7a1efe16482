// The lines of an order's items, with what completes them. Enter goes from line to line, so a line that is empty is no
// item. What is scanned becomes a line of its own, or adds one to the line of the same product. Nothing can be typed into
// a line that waits for its answer. A discount is a line with a negative price; `-10 %` is of the lines above it.
import type { ApiClient } from '../service/api-client.ts';
import type { Issue } from '../words/api-types.ts';
import { soundAlarm } from '../browser/alarm.ts';
import { quantityOf } from '../words/amounts.ts';
import { isOfInputMethod } from '../browser/browser-gaps.ts';
import { card } from '../page/cards.ts';
import { combobox, type Found, type FoundGroup } from '../forms/combobox.ts';
import { button, h, icon, icons } from '../browser/elements.ts';
import { money, priceText, shopCurrency } from '../words/formats.ts';
import {
  type Control,
  currencyChoice,
  type Entered,
  enterValue,
  field,
  messageOf,
  showIssue,
} from '../forms/forms.ts';
import { Unreachable } from '../service/request-errors.ts';
import { isLikeCode } from '../words/codes.ts';
import { isBarcode } from '../words/gtin.ts';
import { t } from '../words/texts.ts';
import { type Article, articlesOf, isSame } from '../products/articles.ts';
import { drawLine, faultsOf, isEmptyLine, issuesOfItems, isPriceless, itemControls } from './order-line.ts';
import { itemsOf, type Line, type NewItem, newLine, type ReadLine, readLines } from './order-line.ts';
import { isToken, questionPrices, removeSecondMinus, say, sumOfLines, unknownItem } from './order-line.ts';

type Content = { readonly currency: string; readonly items: readonly NewItem[] };

/** What is looked up: a code that was scanned; a text that was typed, or the beginning of a name, too. */
type Kind = 'code' | 'text' | 'words';

/** Browsers dispatch no event for what a script has entered. */
export function changed(place: HTMLElement): void {
  place.dispatchEvent(new Event('change', { bubbles: true }));
}

export function orderLines(client: ApiClient) {
  const articles = articlesOf(client);
  const currencyField = field({ label: t('Currency'), pointer: '/currency', control: currencyChoice() });
  const list = h('ol');
  const total = h('output.total');
  let lines: readonly Line[] = [];
  /** Answers are entered one after the other, so that the second scan of a code finds the line of the first. */
  let lookUps = Promise.resolve();

  const currency = (): string => currencyField.control.value;

  function add(item?: NewItem): Line {
    const search = combobox({
      label: t('Item'),
      placeholder: '',
      lookUp: (q, signal) => optionsFor(line, q, signal),
      onKey: (event, active) => pressedInName(line, event, active),
    });
    const line: Line = newLine(search, currency(), item);
    const { element, name, sku, remove } = line;
    sku.addEventListener('input', () => (line.of = { name: name.value, sku: sku.value })); // of a draft
    element.addEventListener('change', () => showFaults(line));
    element.addEventListener('keydown', (event) => pressed(line, event));
    remove.addEventListener('click', () => {
      drop(line);
      lines.at(-1)?.name.focus();
      changed(list);
    });
    lines = [...lines, line];
    list.append(element);
    draw();
    return line;
  }

  function drop(line: Line): void {
    lines = lines.filter((each) => each !== line);
    line.element.remove();
    if (lines.length === 0) add();
  }

  const emptyLine = (): Line => lines.find(isEmptyLine) ?? add();

  const focusEmpty = (): void => emptyLine().name.focus();

  /** Some keypads of phones have no minus. */
  function addDiscount(): void {
    const { price } = emptyLine();
    price.inputMode = 'text';
    price.value = '-';
    price.focus();
    changed(list);
  }

  /** Enter in a field that is complete goes to what the line still needs. */
  function pressed(line: Line, event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, defaultPrevented, target } = event;
    if (key !== 'Enter' || ctrlKey || metaKey || isOfInputMethod(event) || defaultPrevented) return;
    if (target instanceof HTMLButtonElement) return;
    event.preventDefault();
    entered(line);
  }

  /** Tab, and Enter without an option, may end a SKU or barcode that was typed. Enter waits for no answer. */
  function pressedInName(line: Line, { key, shiftKey }: KeyboardEvent, active: Found | undefined): boolean {
    const isTab = key === 'Tab' && !shiftKey;
    if ((isTab || key === 'Enter') && isScannedOver(line)) return true;
    if (isTab) lookUp(line, 'text');
    if (key !== 'Enter' || active !== undefined) return false;
    line.search.close();
    entered(line);
    return true;
  }

  function entered(line: Line): void {
    lookUp(line, 'words');
    neededOf(line).focus();
  }

  /** Whether a slow scanner has typed over a code that no product has: both are items. */
  function isScannedOver(line: Line): boolean {
    const text = line.name.value.trim();
    if (line.unknownCode === '' || text === line.unknownCode || !isBarcode(text)) return false;
    line.name.value = line.unknownCode;
    scanned(text);
    return true;
  }

  /** The code stands in the line until the answer. A focus in that line goes to the next empty one. */
  function scanned(code: string): void {
    const line = emptyLine();
    line.search.close();
    line.name.value = code;
    if (line.element.contains(document.activeElement)) focusEmpty();
    const named = lines.find(({ name }) => name === document.activeElement);
    if (named !== undefined && named.unknownCode !== '' && named.name.value === named.unknownCode)
      askName(named);
    reveal(line);
    lookUp(line, 'code');
    lookUpAgain(); // a scan whose keys went to the price of a line has hidden what its name is
    changed(list);
  }

  /** What is typed next takes the place of a code that no product has. */
  function askName(line: Line): void {
    showIssue(line.name, unknownItem);
    line.search.close();
    line.name.focus();
    line.name.select();
  }

  /** Returns the field that the line still needs, or else the item of the next line, which is added at the end. */
  function neededOf(line: Line): Control {
    const index = lines.indexOf(line);
    if (index < 0) return emptyLine().name;
    if ((line.name.value.trim() || line.name.placeholder) === '') return line.name;
    return isPriceless(line) ? line.price : (lines[index + 1] ?? add()).name;
  }

  /** Completes a line that has no price. A name that no product has is no error: its price is being typed. */
  function lookUp(line: Line, kind: Kind): void {
    const text = line.name.value.trim();
    line.failure = undefined;
    if (text === '' || !isPriceless(line)) return;
    if (kind === 'code') line.isWaiting = true;
    const before = textInFocus();
    const answer = find(text, kind).then(
      (article) => ({ article, failure: undefined }),
      (failure: unknown) => ({ article: undefined, failure }),
    );
    const enter = async (): Promise<void> => {
      const { article, failure } = await answer;
      if (kind === 'code') line.isWaiting = false;
      const isAsked = lines.includes(line) && line.name.value.trim() === text && isPriceless(line);
      if (isAsked && article !== undefined) put(line, article);
      else if (isAsked && kind === 'code') {
        line.failure = failure;
        soundAlarm();
        showIssue(line.name, failure === undefined ? unknownItem : messageOf(failure));
        if (failure === undefined) {
          line.unknownCode = text;
          if (textInFocus() === before) askName(line); // unless somebody types meanwhile
        }
      }
      draw();
    };
    lookUps = lookUps.then(enter, enter); // an error of one is none of the next
  }

  /** Looks up what stands in lines that have no price, also what was scanned while the service was away. */
  function lookUpAgain(): void {
    for (const line of lines) if (!line.isWaiting) lookUp(line, line.failure === undefined ? 'text' : 'code');
  }

  async function find(text: string, kind: Kind): Promise<Article | undefined> {
    if (kind === 'code') return articles.withCode(text);
    const whole = await articles.called(text, currency());
    if (whole !== undefined || kind === 'text' || isLikeCode(text)) return whole;
    return (await articles.find(text, new AbortController().signal)).products[0];
  }

  /** Products with their prices, what was sold before without its price, which may be old, and what was typed. */
  async function optionsFor(line: Line, q: string, signal: AbortSignal): Promise<readonly FoundGroup[]> {
    const { products, sold } = await articles.find(q, signal);
    const take = (name: string): void => {
      line.name.value = name;
      changed(list);
      entered(line);
    };
    const options = [
      ...products.map((each) => ({
        name: each.name,
        about: [each.sku, money(each.unitPrice, each.currency)].filter(Boolean).join(' · '),
        choose: () => put(line, each),
      })),
      ...sold
        .filter((each) => each.currency === currency())
        .map(({ name, sku }) => ({ name, about: sku ?? '', choose: () => take(name) })),
      { name: t('Other item “{name}”', { name: q }), about: '', choose: () => neededOf(line).focus() },
    ];
    return [{ label: t('Items'), found: options.map((each, index) => ({ id: String(index), ...each })) }];
  }

  /** Enters the article in the line, or adds one to the line that has the article already. Moves the line's focus on. */
  function put(line: Line, { name, sku, unitPrice, currency: other }: Article): void {
    const hadFocus = line.element.contains(document.activeElement);
    const same = lines.find((each) => each !== line && sku !== null && isSame(each.sku.value, sku));
    if (same === undefined) {
      line.search.close();
      line.of = { name, sku: sku ?? '' };
      line.name.value = name;
      line.usual = other === currency() && !isToken(unitPrice, other) ? unitPrice : Infinity;
      for (const control of [line.name, line.price]) showIssue(control);
      const asked = { other, currency: currency() };
      if (other === currency()) line.price.value = priceText(unitPrice, other);
      else showIssue(line.price, t('Its price is in {other}: enter it in {currency}.', asked));
    } else {
      same.quantity.value = String((quantityOf(same.quantity.value) ?? 0) + 1);
      drop(line);
    }
    changed(list);
    reveal(same ?? line);
    if (hadFocus) neededOf(line).focus();
  }

  const read = (): readonly ReadLine[] => readLines(lines, currency());

  /** Says what is wrong with what was entered before the form is sent; a name and a price may still come. */
  function showFaults(line: Line): void {
    const own = read().filter((each) => each.line === line);
    for (const [control, detail] of own.flatMap((each) => faultsOf(each, currency())))
      if (control === line.quantity || control.value.trim() !== '') showIssue(control, detail);
  }

  /** Gives each item the pointers of its index, as the service names them; lines that are empty come after. */
  function draw(): void {
    for (const line of lines) removeSecondMinus(line);
    currencyField.element.hidden = new Set([...articles.currencies, currency(), shopCurrency()]).size === 1;
    const all = read();
    for (const [index, each] of all.entries()) drawLine(each, index, currency());
    const ordered = [...lines].sort((a, b) => Number(isEmptyLine(a)) - Number(isEmptyLine(b)));
    for (const [index, line] of ordered.entries())
      for (const [member, control] of itemControls(line))
        control.dataset['pointer'] = `/items/${index}/${member}`;
    say(total, money(sumOfLines(all), currency()));
  }

  void articles.loadSold().then(draw);
  add();
  const more = button([icon(icons.add), t('Add item')], () => add().name.focus());
  const discount = button(t('Add discount'), addDiscount);
  return {
    element: card(
      t('Items'),
      h('div.lines', list, h('div.sum.buttons', more, discount, currencyField.element)),
    ),
    total,
    draw,
    focusEmpty,
    lookUpAgain,
    scanned,

    /** The number of items, their total in words, and that what stands in lines that are empty is nothing. */
    entered(): Entered {
      const controls = lines.filter(isEmptyLine).flatMap(itemControls);
      const nothing = controls.map(([, { dataset }]) => [dataset['pointer'], undefined] as const);
      const filled = lines.filter((line) => !isEmptyLine(line));
      return { ...Object.fromEntries(nothing), items: String(filled.length), total: total.value };
    },

    /** Whether a code that was scanned waits for its answer. */
    get isWaiting(): boolean {
      return lines.some((line) => line.isWaiting);
    },

    /** Adds lines until there are `count`. */
    grow(count: number): void {
      while (lines.length < count) add();
    },

    /** Fills in the items of an order to repeat or to change. A currency that the service no longer accepts stays. */
    write({ currency: code, items: written }: Content): void {
      const hadFocus = list.contains(document.activeElement);
      enterValue(currencyField.control, code);
      lines = [];
      list.replaceChildren();
      for (const item of written) add(item);
      if (hadFocus) focusEmpty();
    },

    /** Resolves once all codes that were scanned are items, or issues. Throws if the service was away from one. */
    async settle(): Promise<void> {
      if (client.isReachable) for (const line of lines) if (line.failure !== undefined) lookUp(line, 'code');
      await lookUps;
      for (const { failure } of lines) if (failure instanceof Unreachable) throw failure;
    },

    question: (): void => questionPrices(itemsOf(read()), currency()),

    issues: (): Issue[] => issuesOfItems(itemsOf(read()), currency()),

    read(): Content {
      const items = itemsOf(read()).map(({ line, name, quantity = 0, unitPrice = 0 }) => {
        return { name, sku: line.sku.value === '' ? null : line.sku.value, quantity, unitPrice };
      });
      return { currency: currency(), items };
    },
  };
}

/** Scrolls the line into the view, above the bar, whatever has the focus. */
function reveal({ element }: Line): void {
  element.scrollIntoView({ block: 'nearest' });
}

function textInFocus(): string {
  const { activeElement } = document;
  return activeElement instanceof HTMLInputElement ? activeElement.value : '';
}
