// Fields and forms: a label each, what is wrong beside the field that it concerns, and one request at a time.
import { Rejection } from './api-client.ts';
import type { Issue } from './api-types.ts';
import { type Attributes, type Child, fill, h } from './elements.ts';
import { count, money } from './formats.ts';
import { inWords } from './issue-words.ts';

export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
export type Field = { readonly row: HTMLElement; readonly control: Control };
type FieldOptions = {
  readonly label: string;
  /** Where the service names the value: `/items/0/name`. */
  readonly pointer: string;
  readonly hint?: string;
  readonly value?: string | null;
  readonly isWide?: boolean;
  /** Instead of a text input. */
  readonly control?: Control;
  readonly attributes?: Attributes;
};

export function field(options: FieldOptions): Field {
  const { label, pointer, hint, value, isWide = false, attributes = {} } = options;
  const id = `field-${crypto.randomUUID()}`;
  const control: Control =
    options.control ?? h('input', { type: 'text', autocomplete: 'off', ...attributes });
  control.id = id;
  control.dataset['pointer'] = pointer;
  if (value !== undefined && value !== null) control.value = value;
  control.setAttribute('aria-describedby', hint === undefined ? `${id}-issue` : `${id}-hint ${id}-issue`);
  const row = h(
    'div',
    { class: isWide ? 'field wide' : 'field' },
    h('label', { for: id }, label),
    control,
    hint !== undefined && h('p', { class: 'hint', id: `${id}-hint` }, hint),
    h('p', { class: 'issue', id: `${id}-issue` }),
  );
  control.addEventListener('input', () => clearIssue(control));
  return { row, control };
}

export function choice(
  options: readonly (readonly [value: string, label: string])[],
  chosen = '',
): HTMLSelectElement {
  return h(
    'select',
    {},
    options.map(([value, label]) => h('option', { value, selected: value === chosen }, label)),
  );
}

/** A checkbox and its label. */
export function checkRow(input: HTMLInputElement, label: string): HTMLElement {
  return h('p', { class: 'check' }, input, h('label', { for: input.id }, label));
}

/** The trimmed text; null if the field is empty, as the API has it. */
export function textOf({ control }: Field): string | null {
  const text = control.value.trim();
  return text === '' ? null : text;
}

/** To be shown beside the fields, as what the service rejects is. */
export function throwIfInvalid(errors: readonly Issue[]): void {
  const detail = 'The form is not complete.';
  if (errors.length > 0) throw new Rejection({ code: 'validation-failed', status: 422, detail, errors });
}

type FormOptions = {
  readonly submit: string;
  readonly isDangerous?: boolean;
  /** Beside the button that submits. */
  readonly others?: Child;
  /** What it throws is shown beside the field that it concerns, if there is one. */
  readonly run: () => Promise<void>;
};

/** Submitting it again while `run` is pending does nothing. */
export function form(
  content: Child,
  { submit, isDangerous = false, others, run }: FormOptions,
): HTMLFormElement {
  const button = h('button', { class: isDangerous ? 'danger' : 'primary', type: 'submit' }, submit);
  const message = h('p', { class: 'issue form-issue', role: 'alert' });
  const element = h(
    'form',
    { novalidate: true },
    content,
    message,
    h('div', { class: 'buttons' }, button, others),
  );
  const state = { isRunning: false };
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    if (state.isRunning) return;
    state.isRunning = true;
    button.setAttribute('aria-disabled', 'true');
    clearIssues(element);
    void run()
      .catch((error: unknown) => showError(element, error))
      .finally(() => {
        state.isRunning = false;
        button.removeAttribute('aria-disabled');
      });
  });
  return element;
}

/** A button for an action that takes a moment; what `run` throws is shown beside it. */
export function action(label: Child, run: () => Promise<void>, attributes: Attributes = {}): HTMLElement {
  const message = h('span', { class: 'issue', role: 'alert' });
  const state = { isRunning: false };
  const button = h('button', { type: 'button', ...attributes }, label);
  button.addEventListener('click', () => {
    if (state.isRunning) return;
    state.isRunning = true;
    button.setAttribute('aria-disabled', 'true');
    fill(message);
    void run()
      .catch((error: unknown) => fill(message, messageOf(error)))
      .finally(() => {
        state.isRunning = false;
        button.removeAttribute('aria-disabled');
      });
  });
  return h('span', { class: 'action' }, button, message);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The first field with an issue gets the focus; what belongs to no field is said above the button. */
function showError(element: HTMLFormElement, error: unknown): void {
  const issues = error instanceof Rejection ? error.issues : [];
  const shown = issues.map((issue) => ({ issue, control: controlOf(element, issue) }));
  for (const { issue, control } of shown)
    if (control !== undefined) showIssue(control, textAt(control, issue));
  const others = shown.filter(({ control }) => control === undefined).map(({ issue }) => issue.detail);
  const message = element.querySelector('.form-issue');
  const isAboutFields = issues.length > 0 && others.length === 0;
  if (message !== null && !isAboutFields)
    fill(message, issues.length === 0 ? messageOf(error) : others.join(' '));
  shown.find(({ control }) => control !== undefined)?.control?.focus();
}

/** The field of the pointer, or of the nearest parent that has one: `/address` for `/address/city`. */
function controlOf(element: HTMLFormElement, { pointer = '' }: Issue): Control | undefined {
  const controls = [...element.querySelectorAll<Control>('[data-pointer]')];
  for (
    let path = decodeURIComponent(pointer.replace(/^#/, ''));
    path !== '';
    path = path.replace(/\/[^/]*$/, '')
  ) {
    const found = controls.find(({ dataset }) => dataset['pointer'] === path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What holds money has its currency in `data-currency`: its limits are money, too. */
function textAt(control: Control, issue: Issue): string {
  const { currency, pointer } = control.dataset;
  const isOwn = decodeURIComponent(issue.pointer ?? '').replace(/^#/, '') === pointer;
  const label = control.labels?.[0]?.textContent;
  if (!isOwn || label === undefined) return issue.detail;
  const limit = (value: number): string => (currency === undefined ? count(value) : money(value, currency));
  return inWords(issue, { label, limit });
}

export function showIssue(control: Control, detail: string): void {
  control.setAttribute('aria-invalid', 'true');
  const message = document.getElementById(`${control.id}-issue`);
  if (message !== null) fill(message, detail);
}

function clearIssue(control: Control): void {
  if (control.getAttribute('aria-invalid') === null) return;
  control.removeAttribute('aria-invalid');
  const message = document.getElementById(`${control.id}-issue`);
  if (message !== null) fill(message);
}

function clearIssues(element: HTMLFormElement): void {
  for (const control of element.querySelectorAll<Control>('[data-pointer]')) clearIssue(control);
  for (const issue of element.querySelectorAll('.form-issue')) fill(issue);
}
