// Fields and forms: each field has a label and shows its own issues; a form sends one request at a time.
import { isOfInputMethod } from '../browser/browser-gaps.ts';
import type { Issue } from '../words/api-types.ts';
import { columnName } from '../words/column-names.ts';
import { type Attributes, type Child, fill, h } from '../browser/elements.ts';
import { count, countryName, currencies, money, shopCurrency } from '../words/formats.ts';
import { callingCodeOf } from '../words/phone-numbers.ts';
import { issueInWords } from '../words/issue-words.ts';
import { Rejection } from '../service/request-errors.ts';
import { shopOfPage } from '../words/page-meta.ts';
import { t } from '../words/texts.ts';

export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
export type Field = { readonly element: HTMLElement; readonly control: Control };
type FieldOptions = {
  readonly label: string;
  /** The pointer of the value in the service's issues: `/items/0/name`. */
  readonly pointer: string;
  readonly hint?: string | undefined;
  readonly value?: string | null;
  readonly isWide?: boolean;
  /** Replaces the text input. */
  readonly control?: Control | undefined;
  readonly attributes?: Attributes;
};

export function field(options: FieldOptions): Field {
  const { label, pointer, hint, value = null, isWide = false, attributes = {} } = options;
  const { type, 'data-scan': scan } = attributes;
  const isExact = type === 'email' || type === 'url' || scan !== undefined;
  const input = { type: 'text', autocomplete: 'off', ...(isExact && uncorrected), ...attributes };
  const { control = h('input', input) } = options;
  const id = `field-${crypto.randomUUID()}`;
  control.id = id;
  control.dataset['pointer'] = pointer;
  if (value !== null) control.value = value;
  if (!(control instanceof HTMLSelectElement)) control.dir = 'auto';
  control.setAttribute('aria-describedby', hint === undefined ? `${id}-issue` : `${id}-hint ${id}-issue`);
  control.addEventListener('input', () => showIssue(control));
  const element = h(
    'div',
    { class: isWide ? 'field wide' : 'field' },
    h('label', { for: id }, label),
    control,
    hint !== undefined && h('p.hint', { id: `${id}-hint` }, hint),
    h('p.issue', { id: `${id}-issue` }),
  );
  return { element, control };
}

/** Attributes that turn autocorrection off, for codes, addresses and search fields. */
export const uncorrected = {
  autocomplete: 'off',
  autocapitalize: 'none',
  autocorrect: 'off',
  spellcheck: 'false',
} as const;

export function choice(
  options: readonly (readonly [value: string, label: string])[],
  chosen = '',
): HTMLSelectElement {
  return h(
    'select',
    options.map(([value, label]) => h('option', { value, selected: value === chosen }, label)),
  );
}

export function currencyChoice(): HTMLSelectElement {
  const codes = currencies().map((code) => [code, code] as const);
  return choice(codes, shopCurrency());
}

/** Enters the value. A select that lacks it, such as a currency that is no longer accepted, gets it as an option. */
export function enterValue(control: Control, value: string): void {
  control.value = value;
  if (control.value !== value && control instanceof HTMLSelectElement)
    control.append(h('option', { value, selected: true }, value));
}

/** A field for a day. `onDay` receives an empty text when the day is removed. */
export function dayInput(value: string | null, onDay: (day: string) => void): HTMLInputElement {
  const input = h('input', { type: 'date', value });
  input.addEventListener('change', () => {
    // while a year is typed, its first digits are years as well
    if (input.value === '' || input.value >= '1000') onDay(input.value);
  });
  return input;
}

/** A checkbox, or one of several choices, and its label. */
export function checkbox(input: HTMLInputElement, label: string): HTMLElement {
  return h('p.check', input, h('label', { for: input.id }, label));
}

/** Returns the trimmed text; null if the field is empty, as the API expects. */
export function textOf({ control }: Field): string | null {
  return control.value.trim() || null;
}

/** Throws issues that are shown beside their fields, as the service's issues are. */
export function throwIfInvalid(errors: readonly Issue[]): void {
  const detail = t('The form is not complete.');
  if (errors.length > 0) throw new Rejection({ code: 'validation-failed', status: 422, detail, errors });
}

type FormOptions = {
  readonly submit: string;
  /** Whether it does something for good: then Enter in a field doesn’t send it. */
  readonly isDangerous?: boolean;
  /** Shown before the submit button. */
  readonly lead?: Child;
  /** Shown beside the submit button. A link there discards the input. */
  readonly others?: Child;
  /** Whether another button is the main one. */
  readonly isPlain?: boolean;
  /** Whether Enter goes to the next field, only Ctrl+Enter sends the form, and the buttons stay in sight. */
  readonly isLong?: boolean;
  /** When a form with this key is drawn again, the one on the page stays, with all that was entered. */
  readonly key?: string;
  /** Returns what is entered beside texts and ticks. */
  readonly chosen?: () => Entered;
  /** Called with what is entered; with undefined if nothing is. Returns whether a reload would find it again. */
  readonly keep?: (entered: Entered | undefined) => boolean;
  /**
   * Receives the button that was pressed, and what returns what is entered. Its errors are shown beside the
   * fields that they concern.
   */
  readonly run: (pressed: HTMLElement | null, entered: () => Entered) => Promise<void>;
};

/** What was entered in a form: the text of each field by its pointer, whether a box is ticked by its id. */
export type Entered = Readonly<Record<string, string | boolean | undefined>>;

/** A form with input that has not been sent. */
export const unsent = 'form[data-unsent]';
/** A form with input that a reload would lose. */
export const unkept = 'form[data-unsent="unkept"]';

/** Submitting it again while `run` is pending does nothing. */
export function form(content: Child, options: FormOptions): HTMLFormElement {
  const { submit, isDangerous = false, isPlain = false, isLong = false } = options;
  const { lead, others, key, chosen, keep, run } = options;
  const kind = isDangerous ? 'danger' : !isPlain && 'primary';
  const button = h('button', { class: kind, type: 'submit' }, submit);
  const message = h('p.issue.form-issue', { role: 'alert' });
  const buttons = h('div.buttons', lead, button, others);
  const end = h('div', { class: isLong && 'bar' }, message, buttons);
  const element = h('form', { novalidate: true, 'data-key': key }, content, end);
  const entered = (): Entered => ({ ...enteredIn(element), ...chosen?.() });
  async function send(pressed: HTMLElement | null): Promise<void> {
    for (const control of controlsOf(element)) showIssue(control);
    fill(message);
    const ends = element.querySelectorAll('[type="submit"]');
    for (const each of ends) each.setAttribute('aria-busy', 'true');
    try {
      await run(pressed, entered);
      discardInput(element);
    } catch (error) {
      fill(message, showError(element, error));
    }
    for (const each of ends) each.removeAttribute('aria-busy');
  }
  button.addEventListener('click', (event) => isSecondClick(event) && event.preventDefault());
  for (const link of buttons.querySelectorAll('a'))
    link.addEventListener('click', () => discardInput(element));
  if (isLong) button.title = t('Ctrl+Enter');
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    if (isLong) pressedEnter(element, event);
    else if (isDangerous && !(event.target instanceof HTMLButtonElement)) event.preventDefault();
  });
  // the message is about what the user corrects now; what a script enters, such as a scanned product, corrects nothing
  element.addEventListener('input', ({ isTrusted }) => isTrusted && fill(message));
  if (key === undefined) watchInput(element, entered, keep);
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    void unlessRunning(button, () => send(event.submitter));
  });
  return element;
}

/** A form counts as unsent while its fields differ from what they had at first. */
function watchInput(element: HTMLFormElement, entered: () => Entered, keep: FormOptions['keep']): void {
  const first = JSON.stringify(entered());
  for (const type of ['input', 'change'])
    element.addEventListener(type, () => {
      const now = entered();
      const isEntered = JSON.stringify(now) !== first;
      const isKept = keep?.(isEntered ? now : undefined) === true;
      if (isEntered) element.dataset['unsent'] = isKept ? 'kept' : 'unkept';
      else discardInput(element);
    });
}

/** Enter also ends each code of a scanner, so it must not send an incomplete form. Choices that are made already are skipped. */
function pressedEnter(element: HTMLFormElement, event: KeyboardEvent): void {
  const { ctrlKey, metaKey, repeat, defaultPrevented, target } = event;
  if (isOfInputMethod(event) || defaultPrevented) return;
  const isSent = ctrlKey || metaKey;
  if (!isSent && !(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return;
  event.preventDefault();
  if (isSent) return repeat ? undefined : element.requestSubmit();
  const controls = [...element.querySelectorAll<HTMLElement>('input, select, textarea, button')];
  const isNext = (each: HTMLElement): boolean => each === target || !each.matches('[type="radio"]');
  const shown = controls.filter((each) => each.checkVisibility() && isNext(each));
  shown[shown.findIndex((each) => each === target) + 1]?.focus();
}

function enteredIn(element: HTMLFormElement): Entered {
  const ticked = ticksOf(element).map(({ id, checked }) => [id, checked] as const);
  const typed = controlsOf(element).map(({ dataset, value }) => [dataset['pointer'] ?? '', value] as const);
  return Object.fromEntries([...ticked, ...typed]);
}

/** Enters it again with the events of a user’s input, so that all listeners react again. */
export function enterInto(element: HTMLFormElement, entered: Entered): void {
  for (const box of ticksOf(element)) if (entered[box.id] === !box.checked) box.click();
  for (const control of controlsOf(element)) {
    const text = entered[control.dataset['pointer'] ?? ''];
    if (typeof text === 'string' && text !== control.value) enterText(control, text);
  }
}

/** Enters a text with the events of a user’s input. */
export function enterText(control: Control, text: string): void {
  control.value = text;
  for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, { bubbles: true }));
}

/** Browsers dispatch no event for what a script has entered. */
export function dispatchChange(place: HTMLElement): void {
  place.dispatchEvent(new Event('change', { bubbles: true }));
}

function ticksOf(element: HTMLFormElement): HTMLInputElement[] {
  return [...element.querySelectorAll<HTMLInputElement>('[type="checkbox"], [type="radio"]')];
}

function controlsOf(element: HTMLFormElement): Control[] {
  return [...element.querySelectorAll<Control>('[data-pointer]')];
}

/** Called when the input was sent, or the user gives it up. */
export function discardInput(element: HTMLFormElement): void {
  delete element.dataset['unsent'];
}

/** A button for an action that takes a moment; errors of `run` are shown beside it. */
export function action(label: Child, run: () => Promise<void>, attributes: Attributes = {}): HTMLElement {
  async function onclick(event: Event): Promise<void> {
    const { currentTarget: button } = event;
    if (!(button instanceof HTMLElement) || isSecondClick(event)) return;
    const say = (text = ''): void => button.nextElementSibling?.replaceChildren(text);
    await unlessRunning(button, async () => {
      say();
      await run().catch((error: unknown) => say(messageOf(error)));
    });
  }
  const button = h('button', { type: 'button', ...attributes, onclick }, label);
  return h('span.action', button, h('span.issue', { role: 'alert' }));
}

/** The second click of a double click isn’t meant for a button that the first one has put under the pointer. */
function isSecondClick(event: Event): boolean {
  return event instanceof MouseEvent && event.detail > 1;
}

/** Does nothing while an earlier call for this button is pending; the button looks disabled then. */
async function unlessRunning(button: HTMLElement, run: () => Promise<void>): Promise<void> {
  if (button.hasAttribute('aria-disabled')) return;
  button.setAttribute('aria-disabled', 'true');
  await run().finally(() => button.removeAttribute('aria-disabled'));
}

export function messageOf(error: unknown): string {
  if (error instanceof Rejection && error.issues.length > 0)
    return [...new Set(error.issues.map((issue) => issueText(issue)))].join(' ');
  return error instanceof Error ? error.message : String(error);
}

/** Shows issues at their fields, and focuses the first field. Returns the text of the other issues. */
function showError(element: HTMLFormElement, error: unknown): string {
  if (!(error instanceof Rejection) || error.issues.length === 0) return messageOf(error);
  const shown = error.issues.map((issue) => ({ issue, control: controlOf(element, pathOf(issue)) }));
  for (const { issue, control } of shown)
    if (control !== undefined) showIssue(control, issueText(issue, control));
  shown.find(({ control }) => control !== undefined)?.control?.focus();
  const others = shown.filter(({ control }) => control === undefined);
  return others.map(({ issue }) => issueText(issue)).join(' ');
}

/** Returns the field of the path, or of its nearest ancestor: `/address` for `/address/city`. */
function controlOf(element: HTMLFormElement, path: string): Control | undefined {
  if (path === '') return undefined;
  const found = controlsOf(element).find(({ dataset }) => dataset['pointer'] === path);
  return found ?? controlOf(element, path.slice(0, path.lastIndexOf('/')));
}

function pathOf({ pointer = '' }: Issue): string {
  return decodeURIComponent(pointer.replace(/^#/, ''));
}

/** The issue with the label of its own field, or else with the name of its member. */
export function issueText(issue: Issue, control?: Control): string {
  const path = pathOf(issue);
  const { currency, pointer } = control?.dataset ?? {};
  const isOfControl = pointer === path && control?.type !== 'checkbox';
  const label = isOfControl ? control?.labels?.[0]?.textContent : undefined;
  if (control === undefined || label === undefined) {
    const member = path.slice(1).replaceAll(/\/\d+/g, '').replaceAll('/', '.');
    const name = member === '' ? t('What was entered') : columnName(member);
    return issueInWords(issue, { label: name, limit: count, ...ofShop() });
  }
  const limit = (value: number): string => (currency === undefined ? count(value) : money(value, currency));
  const entered = [...control.value.trim()].length; // of the API’s characters
  return issueInWords(issue, { label, limit, ...ofShop(), entered });
}

function ofShop(): Pick<Parameters<typeof issueInWords>[1], 'country' | 'callingCode'> {
  const { country } = shopOfPage();
  return { country: countryName, callingCode: country === null ? '' : callingCodeOf(country) };
}

/** Shows the issue below the field; without one, removes it. */
export function showIssue(control: Control, detail = ''): void {
  if (detail === '') control.removeAttribute('aria-invalid');
  else control.setAttribute('aria-invalid', 'true');
  document.getElementById(`${control.id}-issue`)?.replaceChildren(detail);
}
