// Questions and notices over the page.
import { deferred } from '../browser/browser-gaps.ts';
import { button, type Child, fill, h, icon, icons } from '../browser/elements.ts';
import { form, unsent } from './forms.ts';
import { t } from '../words/texts.ts';

type Question<T> = {
  readonly title: string;
  readonly content?: Child;
  readonly submit: string;
  readonly isDangerous?: boolean;
  /** The label of the button that closes the dialog: `Cancel`, unless the question is about cancelling. */
  readonly dismiss?: string;
  /** Its errors are shown in the dialog, which stays open. */
  readonly run: () => Promise<T>;
};

/** Resolves to the result of `run`; to undefined if the dialog is closed without it, or its page is left. */
export function ask<T>({
  title,
  content,
  submit,
  isDangerous = false,
  dismiss = t('Cancel'),
  run,
}: Question<T>): Promise<T | undefined> {
  const { promise, resolve } = deferred<T | undefined>();
  let result: T | undefined;
  // without a field the first button would get the focus
  const cancel = button(dismiss, () => dialog.close(), { autofocus: isDangerous && !hasField(content) });
  const body = form(content, {
    submit,
    isDangerous,
    others: cancel,
    async run() {
      result = await run();
      dialog.close();
    },
  });
  const dialog = openDialog(title, body, () => resolve(result));
  dialog.addEventListener('cancel', (event) => !mayClose(body) && event.preventDefault());
  return promise;
}

/** Escape is pressed easily: while there is unsent input, only the second one closes the dialog. */
function mayClose(body: HTMLFormElement): boolean {
  const message = [...body.querySelectorAll('.form-issue')].at(-1); // others' news come before
  const warning = t('What you have entered is not saved. Escape again discards it.');
  if (message === undefined || !body.matches(unsent) || message.textContent === warning) return true;
  fill(message, warning);
  return false;
}

function hasField(content: Child): boolean {
  return h('div', content).querySelector('input, select, textarea') !== null;
}

/** Asks before something is deleted for good. */
export async function askToDelete(title: string, text: string, run: () => Promise<void>): Promise<void> {
  await ask({ title, content: h('p', text), submit: t('Delete'), isDangerous: true, run });
}

/** Shows something to read, such as a secret that is shown once. */
export function show(title: string, content: Child): Promise<void> {
  const { promise, resolve } = deferred<void>();
  const close = button(t('Done'), () => dialog.close(), { class: 'primary' });
  const dialog = openDialog(title, [content, h('div.buttons', close)], resolve);
  return promise;
}

/** It is closed when its page is left. The browser returns the focus to the element that had it before. */
export function openDialog(title: string, content: Child, onClose: () => void): HTMLDialogElement {
  const id = `dialog-${crypto.randomUUID()}`;
  const dialog = h('dialog', { 'aria-labelledby': id }, h('h2', { id }, title), content);
  (document.querySelector('.frame') ?? document.body).append(dialog);
  const close = (): void => dialog.close();
  window.addEventListener('hashchange', close);
  dialog.addEventListener('close', () => {
    window.removeEventListener('hashchange', close);
    placeNotices();
    dialog.remove();
    // unless that element has been drawn again meanwhile
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('main h1')?.focus();
    onClose();
  });
  dialog.showModal();
  placeNotices();
  return dialog;
}

/** Notices are above a dialog's shade while one is open. */
function placeNotices(): void {
  const notices = document.getElementById('notices');
  const place = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.getElementById('page');
  if (notices !== null) place?.append(notices);
}

const noticeMilliseconds = 6_000;
/** The time for which a step can be taken back. */
export const takeBackMilliseconds = 10_000;

/**
 * Announces an outcome on the page and to screen readers, in place of the one before, until the page is left. An empty
 * place remains of it until a key is pressed or something is scanned: nothing moves under a finger.
 */
export function notify(text: Child, milliseconds = noticeMilliseconds): void {
  const notice = announce('notice', text);
  setTimeout(() => {
    notice.classList.add('over');
    window.addEventListener('keydown', () => notice.remove(), { once: true, capture: true });
  }, milliseconds);
}

/** Announces in alarm what was not done. It stays until there is another outcome. */
export function refuse(text: Child): HTMLElement {
  return announce('notice refused', text);
}

function announce(kind: string, text: Child): HTMLElement {
  for (const outdated of document.querySelectorAll('.notice:not(.warning)')) outdated.remove();
  const notice = addNotice(kind, text);
  // it is about the page to which its caller goes next
  queueMicrotask(() => onceLeft(() => notice.remove()));
  return notice;
}

/**
 * Announces something that somebody has to know, below what was announced so before: it stays until it is
 * dismissed, or until the page is left on which there was time to read it.
 */
export function warn(text: Child): void {
  const line = h('p', text);
  const shown = document.querySelector('.warning > div');
  if (shown === null) addNotice('notice warning', line);
  else shown.append(line);
  setTimeout(() => onceLeft(() => removeLine(line)), noticeMilliseconds);
}

/** Calls `run` when the page is left: another tab or order of a list is no other page. */
function onceLeft(run: () => void): void {
  const shown = pathShown();
  function leave(): void {
    if (pathShown() === shown) return;
    window.removeEventListener('hashchange', leave);
    run();
  }
  window.addEventListener('hashchange', leave);
}

function pathShown(): string {
  return location.hash.replace(/\?.*/, '');
}

function removeLine(line: HTMLElement): void {
  const notice = line.closest('.notice');
  line.remove();
  if (notice?.querySelector('p') === null) notice.remove();
}

function addNotice(kind: string, text: Child): HTMLElement {
  const notice = h('div', { class: kind }, h('div', text));
  const attributes = { class: 'quiet', 'aria-label': t('Dismiss') };
  notice.append(button(icon(icons.remove), () => notice.remove(), attributes));
  document.getElementById('notices')?.append(notice);
  return notice;
}
