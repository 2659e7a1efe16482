// What was entered and not sent yet, kept in this tab: the page of a user whose session has expired, and the views
// that were left, for whoever goes back to their URL. Whoever closes or reloads the tab is warned.
import { notify } from '../forms/dialogs.ts';
import { button, fill, h } from '../browser/elements.ts';
import { discardInput, unkept, unsent } from '../forms/forms.ts';
import { t } from '../words/texts.ts';

/** What an element contains, to be shown again after something else. */
export type KeptContent = {
  readonly has: (selector: string) => boolean;
  readonly show: () => void;
};

export function keepContent(element: HTMLElement): KeptContent {
  const content = [...element.childNodes];
  const { activeElement: focused, title } = document;
  return {
    has: (selector) =>
      content.some((node) => node instanceof Element && node.querySelector(selector) !== null),
    show() {
      fill(element, ...content);
      for (const dialog of element.querySelectorAll('dialog')) {
        dialog.removeAttribute('open');
        dialog.showModal();
      }
      document.title = title;
      if (focused instanceof HTMLElement && element.contains(focused)) focused.focus();
    },
  };
}

const linkMilliseconds = 1_000;

/**
 * The views that were left before their form was sent, by their URLs. The frame contains `main` and the dialogs over it;
 * the signal is aborted when their user is gone.
 */
export function keptViews(main: HTMLElement, frame: HTMLElement, signal: AbortSignal) {
  const left = new Map<string, { readonly content: KeptContent; readonly ending: AbortController }>();
  /** When a link to another program was followed last. */
  let followedAt = -linkMilliseconds;

  function warn(event: Event): void {
    const isLost =
      frame.querySelector(unkept) !== null || [...left.values()].some(({ content }) => content.has(unkept));
    if (isLost && event.timeStamp - followedAt > linkMilliseconds) event.preventDefault();
  }

  /** Browsers dispatch `beforeunload` also for `mailto:` and `tel:`, which leave the page as it is. */
  function follow({ target, timeStamp }: Event): void {
    if (target instanceof Element && target.closest('a[href*=":"]') !== null) followedAt = timeStamp;
  }

  /** Says it for as long as the page is shown: whoever wants an empty form may have forgotten the one that was left. */
  function sayKept(drawAgain: () => void): void {
    const said = t('What you had entered is still here.');
    if (main.querySelector(unkept) === null) return notify(said); // a draft, whose view can start over
    const startOver = button(t('Start over'), () => {
      for (const form of main.querySelectorAll<HTMLFormElement>(unsent)) discardInput(form);
      drawAgain();
    });
    const line = h('p.banner.kept', { role: 'status' }, said, ' ', startOver);
    main.querySelector('.kept')?.remove();
    main.firstElementChild?.after(line);
  }

  window.addEventListener('beforeunload', warn, { signal });
  window.addEventListener('click', follow, { signal });
  signal.addEventListener('abort', () => left.forEach(({ ending }) => ending.abort()));
  return {
    /** Keeps the view of this URL if it has a form with input that was not sent, or else ends it. */
    leave(url: string, ending: AbortController): void {
      const content = keepContent(main);
      if (content.has(unsent)) left.set(url, { content, ending });
      else ending.abort(new Error('left'));
    },

    /**
     * Shows the form that was left at this URL, and returns what ends it, if there is one. `drawAgain` shows the view
     * without what was entered.
     */
    restore(url: string, drawAgain: () => void): AbortController | undefined {
      const found = left.get(url);
      left.delete(url);
      if (found?.content.has(unsent) !== true) {
        found?.ending.abort(); // it was sent meanwhile
        return undefined;
      }
      found.content.show();
      sayKept(drawAgain);
      return found.ending;
    },
  };
}
