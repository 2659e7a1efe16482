// What a search compares: text without case, accents and invisible characters, and the words of a query.
import { idMax } from '../limits.ts';

/**
 * The words of these texts, each after two blanks: trigrams then find a word's first letter, its first two,
 * and any three characters in a row. It uses nothing from outside its braces, since the SQL worker is
 * sent its source.
 */
export function searchText(...parts: readonly (string | null)[]): string {
  const letters: Readonly<Record<string, string>> = { Ø: 'O', Ł: 'L', Đ: 'D', Æ: 'AE', Œ: 'OE' };
  let text = '';
  for (const part of parts) {
    if (part === null) continue;
    const plain = /^[ -~]*$/.test(part) ? part : part.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '');
    // upper case, since it has one form where lower case has two, as of the Greek sigma, and ß is SS
    const upper = plain.toUpperCase().replace(/[ØŁĐÆŒ]/g, (letter) => letters[letter] ?? letter);
    for (const word of upper.split(/\s+/)) if (word !== '') text += `  ${word}`;
  }
  return text;
}

/**
 * A query. An object matches if its text contains one of the alternatives of each phrase; `id` is what
 * the query may mean instead.
 */
export type Search = { readonly phrases: readonly (readonly string[])[]; readonly id: number };

/** Digits with blanks between them are one number. */
export function searchOf(query: string): Search {
  const words = searchText(query)
    .replace(/(?<=[\d)]) +(?=[\d(])/g, '')
    .trim()
    .split(/ +/)
    .filter((word) => word !== '');
  const [, digits = ''] = words.length === 1 ? (/^#?([1-9]\d{0,15})$/.exec(words[0] ?? '') ?? []) : [];
  const id = Number(digits);
  return { phrases: [...new Set(words)].map(alternativesOf), id: id <= idMax ? id : 0 };
}

function alternativesOf(word: string): string[] {
  const { length } = [...word];
  const phrase = length < 3 ? word.padStart(word.length + 3 - length) : word;
  const number = phoneDigitsOf(word);
  return number === undefined || number === phrase ? [phrase] : [phrase, number];
}

/** The digits of a phone number as people write it, without leading zeros. */
function phoneDigitsOf(word: string): string | undefined {
  if (!/^[+\d()./-]+$/.test(word)) return undefined;
  const digits = word.replace(/\D/g, '').replace(/^0+/, '');
  return digits.length < 3 ? undefined : digits;
}
