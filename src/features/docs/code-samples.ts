// Code samples on the pages, in one language or in several that the reader chooses from.
import { credentials, type Language } from './docs-examples.ts';
import { html, type Html } from '../../web/page-layout.ts';

type Sample = { readonly id: string; readonly title: string; readonly code: string };

/** Returns a sample that is always open. */
export function sample(title: string, code: string): Html {
  return html`<div class="sample"><p class="bar">${title}</p><pre><code>${colored(code)}</code></pre></div>`;
}

/** Returns a sample that the reader can unfold. */
export function foldedSample(title: string, code: string): Html {
  return html`<details class="sample"><summary>${title}</summary>
<pre><code>${colored(code)}</code></pre></details>`;
}

/**
 * Returns a sample in all languages. CSS shows the chosen language, and the page's script applies the choice
 * to all samples.
 */
export function callSample(
  { id, title }: Omit<Sample, 'code'>,
  codes: Readonly<Record<Language, string>>,
): Html {
  const languages = Object.keys(codes) as Language[]; // a record of languages has no other keys
  const choices = languages.map((language, index) => {
    const marks = html`id="${id}-${language}" name="${id}-language" value="${language}"`;
    const checked = index === 0 ? html` checked` : '';
    const label = html`<label for="${id}-${language}">${language}</label>`;
    return html`<span><input type="radio" ${marks}${checked}>${label}</span>`;
  });
  const panels = languages.map(
    (language) =>
      html`<pre data-language="${language}"><code>${callCode(codes[language], language)}</code></pre>`,
  );
  return html`<div class="sample languages"><fieldset class="bar">
<legend class="hidden">Language of: ${title}</legend>${choices}</fieldset>
${panels}</div>`;
}

/** Marks the credential, so that the script can fill it in. */
function callCode(code: string, language: Language): Html {
  const [before = '', ...after] = code.split(credentials[language]);
  const rest = after.map((each) => html`<var>${credentials[language]}</var>${colored(each)}`);
  return html`${colored(before)}${rest}`;
}

/** Highlights strings, except for members' names. */
function colored(code: string): Html {
  const parts = code
    .split(/("(?:[^"\\\n]|\\.)*":?)/)
    .map((part, index) => (index % 2 === 1 && !part.endsWith(':') ? html`<i>${part}</i>` : part));
  return html`${parts}`;
}
