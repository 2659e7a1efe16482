// Code samples on the documentation page: the reader chooses one language for all, stored for the next visit,
// and can copy a sample.
import type { PageStorage, PageDocument, PageElement } from './docs-dom.ts';
import type { PageTools } from './page-tools.ts';

declare const document: PageDocument;
declare const localStorage: PageStorage;
declare const navigator: { readonly clipboard?: { writeText(text: string): Promise<void> } };

export function samplesScript({ one, make }: PageTools): void {
  const key = 'orderly-language';

  document.addEventListener('change', ({ target }) => {
    if (target.matches('.languages input')) choose(target.value);
  });
  const language = kept();
  if (language !== null) choose(language);
  for (const sample of document.querySelectorAll('.sample')) addCopy(sample);

  function choose(value: string): void {
    for (const input of document.querySelectorAll('.languages input')) input.checked = input.value === value;
    try {
      localStorage.setItem(key, value);
    } catch {
      // if the browser stores nothing, the choice lasts as long as the page
    }
  }

  function kept(): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  }

  function addCopy(sample: PageElement): void {
    const button = make('button', 'Copy', 'copy');
    button.type = 'button';
    const title = sample.querySelector('p.bar, summary')?.textContent;
    const name = sample.closest('article')?.querySelector('h3')?.textContent;
    button.ariaLabel = ['Copy', title, name].filter(Boolean).join(', ');
    button.addEventListener('click', () => void copy(button, shownCode(sample)));
    sample.append(button);
  }

  function shownCode(sample: PageElement): string {
    const language = sample.querySelector('input:checked')?.value;
    const panel = language === undefined ? 'pre code' : `pre[data-language="${language}"] code`;
    return one(panel, sample).textContent;
  }

  async function copy(button: PageElement, text: string): Promise<void> {
    const done = await navigator.clipboard?.writeText(text).then(
      () => 'Copied',
      () => undefined,
    );
    button.textContent = done ?? 'Can’t copy';
    one('#announcement').textContent = button.textContent;
    setTimeout(() => {
      button.textContent = 'Copy';
      one('#announcement').textContent = '';
    }, 2_000);
  }
}
