// Normalizes text for searches, without case, accents and invisible characters, and parses queries.

/**
 * Returns the words of these texts, each after two blanks, so that trigrams find the first letter of a word,
 * its first two, and any three in a row. The function uses no name from outside, since its source is sent to
 * the query worker.
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
    // upper case, which has one form of the Greek sigma where lower case has two, and SS for ß
    const upper = plain.toUpperCase().replace(/[ØŁĐÆŒẞ]/g, (letter) => letters[letter] ?? letter);
    for (const word of upper.split(/\s+/)) if (word !== '') text += `  ${word}`;
  }
  return text;
}

/** A query. An object matches if its text contains one of the alternatives of each phrase. */
export type SearchQuery = {
  readonly phrases: readonly Phrase[];
  /** The id that a word of the query may also be; 0 if no word or several words may be ids. */
  readonly id: number;
  /** The phrases of the other words; empty if that word is the whole query. */
  readonly besideId: readonly Phrase[];
};
type Phrase = readonly string[];

export function parseSearch(query: string): SearchQuery {
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

/** Returns a phrase for each word, none of which may be a number in another form. */
export function wordPhrases(query: string): Phrase[] {
  const words = searchText(query)
    .split(/ +/)
    .filter((word) => word !== '');
  return [...new Set(words)].map((word) => [phraseOf(word)]);
}

/**
 * Joins digits with blanks between them into one number, and also digits with separators of phone numbers, as
 * in `030 / 123 45 - 6`, unless they are so few that they may be a range.
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
  return Number.isSafeInteger(id) ? id : 0;
}

function alternativesOf(word: string): Phrase {
  return [...new Set([phraseOf(word), ...phoneNumbersOf(word)])];
}

/** A word of one or two characters is the beginning of a word. */
function phraseOf(word: string): string {
  const { length } = [...word];
  return length < 3 ? word.padStart(word.length + 3 - length) : word;
}

/** Returns the phrase for the words that begin with it. It uses no name from outside, as `searchText`. */
export function beginningOfWord(phrase: string): string {
  return phrase.startsWith(' ') ? phrase : ` ${phrase}`;
}

/**
 * Returns the digits of a phone number as people write it, without leading zeros. In `+49 (0)30` the zero is
 * the trunk prefix, which most countries drop.
 */
function phoneNumbersOf(word: string): string[] {
  if (!/^[+\d()./-]+$/.test(word)) return [];
  const forms = /^(\+|00)/.test(word) ? [word, word.replace('(0)', '')] : [word];
  return forms
    .map((form) => form.replace(/\D/g, '').replace(/^0+/, ''))
    .filter((digits) => digits.length >= 3);
}
