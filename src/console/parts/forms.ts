// Fields and forms: each field has a label and shows its own issues; a form sends one request at a time.
import { isOfInputMethod } from './browser-gaps.ts';
import type { Issue } from './api-types.ts';
import { columnName } from './column-names.ts';
import { type Attributes, type Child, fill, h } from './elements.ts';
import { count, countryName, currencies, money, shopCurrency } from './formats.ts';
import { issueInWords } from './issue-words.ts';
import { Rejection, Unreachable } from './request-errors.ts';
import { t } from './texts.ts';

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
  const { label, pointer, hint, value, isWide = false, attributes = {} } = options;
  const id = `field-${crypto.randomUUID()}`;
  const control: Control =
    options.control ??
    h('input', { type: 'text', autocomplete: 'off', ...(isExact(attributes) && uncorrected), ...attributes });
  control.id = id;
  control.dataset['pointer'] = pointer;
  if (value !== undefined && value !== null) control.value = value;
  if (!(control instanceof HTMLSelectElement)) control.dir = 'auto';
  control.setAttribute('aria-describedby', hint === undefined ? `${id}-issue` : `${id}-hint ${id}-issue`);
  const element = h(
    'div',
    { class: isWide ? 'field wide' : 'field' },
    h('label', { for: id }, label),
    control,
    hint !== undefined && h('p.hint', { id: `${id}-hint` }, hint),
    h('p.issue', { id: `${id}-issue` }),
  );
  control.addEventListener('input', () => clearIssue(control));
  return { element, control };
}

/** Attributes that turn autocorrection off, for codes and search fields. */
export const uncorrected = {
  autocomplete: 'off',
  autocapitalize: 'none',
  autocorrect: 'off',
  spellcheck: 'false',
} as const;

/** Whether it is a code or an address. */
function isExact({ type, 'data-scan': scan }: Attributes): boolean {
  return type === 'email' || type === 'url' || scan !== undefined;
}

export function choice(
  options: readonly (readonly [value: string, label: string])[],
  chosen = '',
): HTMLSelectElement {
  return h(
    'select',
    options.map(([value, label]) => h('option', { value, selected: value === chosen }, label)),
  );
}

/** A field for a day. Without one it receives the empty text. */
export function dayInput(value: string | null, onDay: (day: string) => void): HTMLInputElement {
  const input = h('input', { type: 'date', value });
  input.addEventListener('change', () => {
    // while a year is typed, its first digits are years as well
    if (input.value === '' || input.value >= '1000') onDay(input.value);
  });
  return input;
}

/** The currencies that the service accepts; one that it no longer does stays where it was chosen. */
export function currencyChoice(chosen = shopCurrency()): HTMLSelectElement {
  const codes = new Set([...currencies(), chosen]);
  return choice(
    [...codes].map((code) => [code, code]),
    chosen,
  );
}

/** A checkbox and its label. */
export function checkbox(input: HTMLInputElement, label: string): HTMLElement {
  return h('p.check', input, h('label', { for: input.id }, label));
}

/** Returns the trimmed text; null if the field is empty, as the API expects. */
export function textOf({ control }: Field): string | null {
  const text = control.value.trim();
  return text === '' ? null : text;
}

/** Throws issues that are shown beside their fields, as those of the service are. */
export function throwIfInvalid(errors: readonly Issue[]): void {
  const detail = t('The form is not complete.');
  if (errors.length > 0) throw new Rejection({ code: 'validation-failed', status: 422, detail, errors });
}

type FormOptions = {
  readonly submit: string;
  readonly isDangerous?: boolean;
  /** Shown before the submit button. */
  readonly lead?: Child;
  /** Shown beside the submit button. Following a link there gives the input up. */
  readonly others?: Child;
  /** Whether Enter goes to the next field, only Ctrl+Enter sends the form, and the buttons stay in sight. */
  readonly isLong?: boolean;
  /** A form that is drawn again with the same key stays, with all that was entered, until its page is left. */
  readonly key?: string;
  /** What is entered beside the texts and the ticks. */
  readonly chosen?: () => Entered;
  /** Called with what is entered, or undefined if nothing is. Returns whether a reload would find it again. */
  readonly keep?: (entered: Entered | undefined) => boolean;
  /**
   * Receives the button that was pressed, and what returns what is entered. Its errors are shown beside the
   * fields that they concern.
   */
  readonly run: (pressed: HTMLElement | null, entered: () => Entered) => Promise<void>;
};

/** What was entered in a form: the text of each field by its pointer, whether a box is ticked by its id. */
export type Entered = Readonly<Record<string, string | boolean>>;

/** A form with input that has not been sent. */
export const unsent = 'form[data-unsent]';
/** A form with input that a reload would lose. */
export const unkept = 'form[data-unsent="unkept"]';

/** Submitting it again while `run` is pending does nothing. */
export function form(content: Child, options: FormOptions): HTMLFormElement {
  const { submit, isDangerous = false, lead, others, isLong = false, key, chosen, keep, run } = options;
  const button = h('button', { class: isDangerous ? 'danger' : 'primary', type: 'submit' }, submit);
  // the second click of a double click is not meant for what the first one has brought
  button.addEventListener('click', (event) => event.detail > 1 && event.preventDefault());
  const message = h('p.issue.form-issue', { role: 'alert' });
  const buttons = h('div.buttons', lead, button, others);
  const end = h('div', { class: isLong && 'bar' }, message, buttons);
  const element = h('form', { novalidate: true, 'data-key': key }, content, end);
  const entered = (): Entered => ({ ...enteredIn(element), ...chosen?.() });
  const send = async (pressed: HTMLElement | null): Promise<void> => {
    clearIssues(element);
    pressed?.setAttribute('aria-busy', 'true');
    await run(pressed, entered).then(
      () => discardInput(element),
      (error: unknown) => showError(element, error),
    );
    pressed?.removeAttribute('aria-busy');
  };
  for (const link of buttons.querySelectorAll('a'))
    link.addEventListener('click', () => discardInput(element));
  if (isLong) {
    button.title = t('Ctrl+Enter');
    element.addEventListener('keydown', (event) => pressedEnter(element, event));
  }
  if (isDangerous) element.addEventListener('keydown', refuseEnter);
  // it was about what is being corrected; what a script enters, such as a product that was scanned, corrects nothing
  element.addEventListener('input', ({ isTrusted }) => isTrusted && fill(message));
  if (key === undefined) watchInput(element, entered, keep);
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    void unlessRunning(button, () => send(event.submitter));
  });
  return element;
}

/** A form counts as unsent while its fields differ from what they had at first. */
function watchInput(
  element: HTMLFormElement,
  entered: () => Entered,
  keep: FormOptions['keep'] = () => false,
): void {
  const first = JSON.stringify(entered());
  for (const type of ['input', 'change'])
    element.addEventListener(type, () => {
      const now = entered();
      const isEntered = JSON.stringify(now) !== first;
      const isKept = keep(isEntered ? now : undefined);
      if (isEntered) element.dataset['unsent'] = isKept ? 'kept' : 'unkept';
      else discardInput(element);
    });
}

/** What can't be taken back is confirmed by its button alone. */
function refuseEnter(event: KeyboardEvent): void {
  if (event.key === 'Enter' && !(event.target instanceof HTMLButtonElement)) event.preventDefault();
}

/** Enter also ends each code that a scanner reads, so it must not send what is not complete. */
function pressedEnter(element: HTMLFormElement, event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, repeat, defaultPrevented, target } = event;
  if (key !== 'Enter' || isOfInputMethod(event) || defaultPrevented) return;
  const isSent = ctrlKey || metaKey;
  if (!isSent && !(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return;
  event.preventDefault();
  if (!isSent) focusAfter(element, target);
  else if (!repeat) element.requestSubmit();
}

function focusAfter(element: HTMLFormElement, control: EventTarget | null): void {
  const controls = [...element.querySelectorAll<HTMLElement>('input, select, textarea, button')];
  const shown = controls.filter((each) => each.checkVisibility());
  shown[shown.findIndex((each) => each === control) + 1]?.focus();
}

function enteredIn(element: HTMLFormElement): Entered {
  const ticked = checkboxesOf(element).map(({ id, checked }) => [id, checked] as const);
  const typed = controlsOf(element).map(({ dataset, value }) => [dataset['pointer'] ?? '', value] as const);
  return Object.fromEntries([...ticked, ...typed]);
}

/** Enters it again as the user has: with the events, so that all that follows from it follows again. */
export function enterInto(element: HTMLFormElement, entered: Entered): void {
  for (const box of checkboxesOf(element)) {
    const isTicked = entered[box.id];
    if (typeof isTicked === 'boolean' && isTicked !== box.checked) box.click();
  }
  for (const control of controlsOf(element)) {
    const text = entered[control.dataset['pointer'] ?? ''];
    if (typeof text !== 'string' || text === control.value) continue;
    control.value = text;
    for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, { bubbles: true }));
  }
}

function checkboxesOf(element: HTMLFormElement): HTMLInputElement[] {
  return [...element.querySelectorAll<HTMLInputElement>('[type="checkbox"]')];
}

function controlsOf(element: HTMLFormElement): Control[] {
  return [...element.querySelectorAll<Control>('[data-pointer]')];
}

/** The form’s input is of no more use: it was sent, or the user gives it up. */
export function discardInput(element: HTMLFormElement): void {
  delete element.dataset['unsent'];
}

/** A button for an action that takes a moment; errors of `run` are shown beside it. */
export function action(label: Child, run: () => Promise<void>, attributes: Attributes = {}): HTMLElement {
  const onclick = (event: Event): void => {
    const { currentTarget: button } = event;
    // the second click of a double click is not meant for what the first one has put under the pointer
    const isSecond = event instanceof MouseEvent && event.detail > 1;
    if (button instanceof HTMLElement && !isSecond) void unlessRunning(button, () => act(button, run));
  };
  const button = h('button', { type: 'button', ...attributes, onclick }, label);
  return h('span.action', button, h('span.issue', { role: 'alert' }));
}

async function act({ nextElementSibling: message }: HTMLElement, run: () => Promise<void>): Promise<void> {
  if (message !== null) fill(message);
  await run().catch((error: unknown) => message !== null && fill(message, messageOf(error)));
}

/** Does nothing while an earlier call for this button is pending; the button looks disabled then. */
async function unlessRunning(button: HTMLElement, run: () => Promise<void>): Promise<void> {
  if (button.hasAttribute('aria-disabled')) return;
  button.setAttribute('aria-disabled', 'true');
  await run().finally(() => button.removeAttribute('aria-disabled'));
}

export function messageOf(error: unknown): string {
  if (error instanceof Rejection && error.issues.length > 0) return error.issues.map(issueText).join(' ');
  return error instanceof Error ? error.message : String(error);
}

/** Focuses the first field with an issue; issues of no field are shown above the button. */
function showError(element: HTMLFormElement, error: unknown): void {
  const issues = error instanceof Rejection ? error.issues : [];
  const shown = issues.map((issue) => ({ issue, control: controlOf(element, issue) }));
  for (const { issue, control } of shown)
    if (control !== undefined) showIssue(control, textAt(control, issue));
  const others = shown.filter(({ control }) => control === undefined).map(({ issue }) => issueText(issue));
  const message = element.querySelector('.form-issue');
  const isAboutFields = issues.length > 0 && others.length === 0;
  if (message !== null && !isAboutFields)
    fill(message, issues.length === 0 ? messageOf(error) : others.join(' '));
  message?.classList.toggle('away', error instanceof Unreachable);
  shown.find(({ control }) => control !== undefined)?.control?.focus();
}

/** The service is back: forms say that what had no answer has to be sent again, not that it can't be reached. */
export function clearUnreachable(): void {
  for (const message of document.querySelectorAll('.form-issue.away:not(:empty)')) {
    message.classList.remove('away');
    fill(message, t('The service is back, but has not answered: send it again.'));
  }
}

/** Returns the field of the pointer, or of its nearest ancestor: `/address` for `/address/city`. */
function controlOf(element: HTMLFormElement, { pointer = '' }: Issue): Control | undefined {
  const controls = controlsOf(element);
  let path = decodeURIComponent(pointer.replace(/^#/, ''));
  while (path !== '') {
    const current = path;
    const found = controls.find(({ dataset }) => dataset['pointer'] === current);
    if (found !== undefined) return found;
    path = path.replace(/\/[^/]*$/, '');
  }
  return undefined;
}

/** The issue in the words of the form. A field of money has its currency in `data-currency`. */
function textAt(control: Control, issue: Issue): string {
  const { currency, pointer } = control.dataset;
  const isOwn = decodeURIComponent(issue.pointer ?? '').replace(/^#/, '') === pointer;
  const label = control.labels?.[0]?.textContent;
  if (!isOwn || label === undefined) return issueText(issue);
  const limit = (value: number): string => (currency === undefined ? count(value) : money(value, currency));
  const entered = [...control.value.trim()].length; // of the API’s characters
  return issueInWords(issue, { label, limit, country: countryName, entered });
}

/** The issue of a member that has no field of its own. */
export function issueText(issue: Issue): string {
  const path = decodeURIComponent(issue.pointer ?? '').replace(/^#\//, '');
  const member = path.replaceAll(/\/\d+/g, '').replaceAll('/', '.');
  const label = member === '' ? t('What was entered') : columnName(member);
  return issueInWords(issue, { label, limit: count, country: countryName });
}

export function showIssue(control: Control, detail: string): void {
  control.setAttribute('aria-invalid', 'true');
  const message = document.getElementById(`${control.id}-issue`);
  if (message !== null) fill(message, detail);
}

export function clearIssue(control: Control): void {
  if (control.getAttribute('aria-invalid') === null) return;
  control.removeAttribute('aria-invalid');
  const message = document.getElementById(`${control.id}-issue`);
  if (message !== null) fill(message);
}

function clearIssues(element: HTMLFormElement): void {
  for (const control of controlsOf(element)) clearIssue(control);
  for (const issue of element.querySelectorAll('.form-issue')) fill(issue);
}
