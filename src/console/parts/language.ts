// The language of the console: the one chosen on this device, or else the browser’s first that there is.

/** Each language by its own name. */
export const languages = { en: 'English', de: 'Deutsch' } as const;
type Language = keyof typeof languages;

const storedKey = 'orderly-language';

/** English outside of browsers, for tests. */
export const language: Language = 'document' in globalThis ? ofBrowser() : 'en';

/** The language with the region of the browser, which orders days and months its own way. */
export const locale = localeOf(navigator.language);

/** It counts once the page is loaded again. */
export function chooseLanguage(chosen: string): void {
  localStorage.setItem(storedKey, chosen);
}

function ofBrowser(): Language {
  const wanted = [localStorage.getItem(storedKey) ?? '', ...navigator.languages];
  return wanted.map((each) => each.slice(0, 2)).find(isLanguage) ?? 'en';
}

function isLanguage(code: string): code is Language {
  return Object.hasOwn(languages, code);
}

/** A language that browsers don’t know in a region gets its international form: the English of the US differs. */
function localeOf(browsers: string): string {
  const { region = '001' } = new Intl.Locale(browsers).maximize();
  const { locale: known } = new Intl.DateTimeFormat(`${language}-${region}`).resolvedOptions();
  return known === language ? `${language}-001` : known;
}
