// The language of the console: the one chosen on this device, or else the browser’s first that there is.

import { storage } from '../browser/browser-gaps.ts';

/** Each language by its own name. */
export const languages = { en: 'English', de: 'Deutsch' } as const;
type Language = keyof typeof languages;

const storedLanguage = 'orderly-language';

/** The browser's locale, with its region. Browsers in kiosks have had `C` and `en-US@posix`, which Intl rejects. */
export const browserLocale = languagesOfBrowser().find(isLocale) ?? 'en';

/** English outside of browsers, for tests. */
export const language: Language = 'document' in globalThis ? ofBrowser() : 'en';

/** The language with the region of the browser, which orders days and months its own way. */
export const locale = localeOf(browserLocale);

/** “A, B and C”. */
export const enumeration = new Intl.ListFormat(language);

/** Takes effect when the page is loaded again. */
export function chooseLanguage(chosen: string): void {
  storage.write(storedLanguage, chosen);
}

function ofBrowser(): Language {
  const wanted = [storage.read(storedLanguage) ?? '', ...languagesOfBrowser()];
  return wanted.map((each) => each.slice(0, 2)).find(isLanguage) ?? 'en';
}

function languagesOfBrowser(): readonly string[] {
  const all = [navigator.language, ...(navigator.languages ?? [])];
  return all.map((each) => String(each ?? '').replace(/[.@].*/, ''));
}

function isLocale(code: string): boolean {
  try {
    return new Intl.Locale(code).language.length > 1;
  } catch {
    return false;
  }
}

function isLanguage(code: string): code is Language {
  return Object.hasOwn(languages, code);
}

/** A language that browsers don’t know in a region gets its international form, since the English of the US differs. */
function localeOf(browsers: string): string {
  const { region = '001' } = new Intl.Locale(browsers).maximize();
  const { locale: known } = new Intl.DateTimeFormat(`${language}-${region}`).resolvedOptions();
  return known === language ? `${language}-001` : known;
}
