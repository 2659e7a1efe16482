// For the checks of the console in German.
import german from '../../src/console/words/german.json' with { type: 'json' };
import type { Tab } from '../support/browser.ts';

/** Words of English sentences that no German sentence has. */
const englishWords =
  /(?<![@-])\b(the|of|is|are|and|with|by|your|not|this|order|orders|customer|now|no|must|has|be)\b(?!@)/i;
const english = new Set(Object.entries(german).flatMap(([text, own]) => (text === own ? [] : [text])));

export function isEnglish(text: string): boolean {
  return english.has(text) || englishWords.test(text);
}

/** The browser of somebody in Austria. */
export async function preferGerman(tab: Tab): Promise<void> {
  const userAgent = await tab.evaluate<string>('navigator.userAgent');
  await tab.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: 'de-AT,de,en' });
}
