// What a search compares: text without case, accents and invisible characters, and the words of a query.
import { idMax } from '../limits.ts';

/**
 * The words of these texts, each after two blanks: trigrams then find a word's first letter, its first two,
 * and any three characters in a row. It uses nothing from outside its braces, since the query worker is
 * sent its source.
 */
export function searchText(...parts: readonly (string | null)[]): string {
  const letters: Readonly<Record<string, string>> = {
    Ø: 'O',
    Ł: 'L',
    Đ: 'D',
    Æ: 'AE',
    Œ: 'OE',
    ẞ: 'SS',
  };
  let text = '';
  for (const part of parts) {
    if (part === null) continue;
    const plain = /^[ -~]*$/.test(part) ? part : part.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '');
    // upper case, since it has one form where lower case has two, as of the Greek sigma, and ß is SS
    const upper = plain.toUpperCase().replace(/[ØŁĐÆŒẞ]/g, (letter) => letters[letter] ?? letter);
    for (const word of upper.split(/\s+/)) if (word !== '') text += `  ${word}`;
  }
  return text;
}

/** A query. An object matches if its text contains one of the alternatives of each phrase. */
export type Search = {
  readonly phrases: readonly Phrase[];
  /** What a word of the query may mean instead; 0 if none or several may. */
  readonly id: number;
  /** The phrases of the other words: none if the query may be an id alone. */
  readonly besideId: readonly Phrase[];
};
type Phrase = readonly string[];

export function toSearch(query: string): Search {
  const words = joinNumbers(searchText(query))
    .trim()
    .split(/ +/)
    .filter((word) => word !== '');
  const [idWord, ...otherIds] = words.filter((word) => toId(word) !== 0);
  const phrases = [...new Set(words)].map(alternativesOf);
  if (idWord === undefined || otherIds.length > 0) return { phrases, id: 0, besideId: [] };
  const besideId = words.filter((word) => word !== idWord).map(alternativesOf);
  return { phrases, id: toId(idWord), besideId };
}

/**
 * Digits with blanks between them are one number. So is what looks like a phone number with its separators,
 * as in `030 / 123 45 - 6`; with fewer digits it may be a range.
 */
function joinNumbers(text: string): string {
  return text
    .replace(/(?<= )[+(]?\d[\d ()./-]*\d(?= |$)/g, (run) =>
      run.replace(/\D/g, '').length < phoneDigitsMin ? run : run.replaceAll(' ', ''),
    )
    .replace(/(?<=[\d)]) +(?=[\d(])/g, '');
}

const phoneDigitsMin = 6;

function toId(word: string): number {
  const id = Number(/^#?([1-9]\d{0,15})$/.exec(word)?.[1] ?? 0);
  return id <= idMax ? id : 0;
}

function alternativesOf(word: string): Phrase {
  const { length } = [...word];
  const phrase = length < 3 ? word.padStart(word.length + 3 - length) : word;
  return [...new Set([phrase, ...phoneNumbersOf(word)])];
}

/**
 * The digits of a phone number as people write it, without leading zeros. In `+49 (0)30` the zero is the
 * trunk prefix, which most countries drop.
 */
function phoneNumbersOf(word: string): string[] {
  if (!/^[+\d()./-]+$/.test(word)) return [];
  const forms = /^(\+|00)/.test(word) ? [word, word.replace('(0)', '')] : [word];
  return forms
    .map((form) => form.replace(/\D/g, '').replace(/^0+/, ''))
    .filter((digits) => digits.length >= 3);
}
