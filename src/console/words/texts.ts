// The texts of the console. The English text is the key: `t('Place order')`. Other languages are JSON files,
// each loaded only if that language is chosen. A text has values by their names:
// `t('{name} is suspended.', { name })`. The compiler rejects a text that has no German. Keys that begin with `#` have
// words for codes and sentences of the service, whose English is its own.
import { language } from './language.ts';

type Text = Exclude<keyof typeof import('./german.json'), `#${string}`>;

/** The names of the values in a text. */
type Names<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
/** A text without names has no parameter for values. */
type Values<T extends string, Value> = [Names<T>] extends [never]
  ? readonly []
  : readonly [values: Readonly<Record<Names<T>, Value>>];

/** The modules wait for the table, so their constants may have texts. */
const translations: Readonly<Record<string, string>> =
  language === 'de' ? (await import('./german.json', { with: { type: 'json' } })).default : {};

export function t<T extends Text>(text: T, ...[values]: Values<T, string | number>): string {
  return textParts(text, values).join('');
}

/** A text whose values may be elements. */
export function rich<T extends Text, Value>(
  text: T,
  ...[values]: Values<T, Value>
): readonly (string | Value)[] {
  return textParts(text, values);
}

/** Returns the translation of the first of these names that has one: `issue pattern email`. English has none. */
export function firstTranslation(
  names: readonly string[],
  values: Readonly<Record<string, string>> = {},
): string | undefined {
  const text = names.map((name) => translations[`#${name}`]).find((each) => each !== undefined);
  return text && textParts(text, values).join('');
}

function textParts<Value>(text: string, values: Readonly<Record<string, Value>> = {}): (string | Value)[] {
  const parts = (translations[text] ?? text).split(/\{(\w+)\}/);
  return parts.map((part, index) => (index % 2 === 0 ? part : (values[part] ?? '')));
}

const plurals = new Intl.PluralRules(language);

/** Returns `one` for a number that the language counts as one, otherwise `many`. */
export function numbered<One extends Text, Many extends Text>(
  number: number,
  one: One,
  many: Many,
): One | Many {
  return plurals.select(number) === 'one' ? one : many;
}
