// Folds text for searches and for sorting: removes case, accents, invisible characters, and differences between
// kinds of the same sign. Also parses search queries.
import { toE164 } from './phone.ts';

/** How texts are folded. */
type Folding = {
  /** Returns the text in upper case, without accents and invisible characters, with Latin letters and signs. */
  readonly fold: (text: string) => string;
  /** Returns the words of a text, folded. Each CJK sign is one; Hiragana are Katakana. */
  readonly foldedWords: (text: string) => string[];
  /** Returns a folded word without the apostrophes, hyphens and points of its letters: O'BRIEN, 'T, T-SHIRT, S.P.A. */
  readonly withoutSigns: (word: string) => string;
  /**
   * Returns the words of these texts, each after two blanks: so trigrams find the first letter of a word, its first
   * two letters, and any three letters in a row. A word of letters with signs is also there without them.
   */
  readonly searchText: (...parts: readonly (string | null)[]) => string;
};

/** Uses no name from outside the function, since its source is sent to the read worker. */
export function createFolding(): Folding {
  const { domainToUnicode } = process.getBuiltinModule('node:url');
  /** Letters without a decomposition in Unicode. ICU (Latin-ASCII) has the same, and E for Ə is usual in Baku. */
  const replacements: Readonly<Record<string, string>> = {
    A: 'Ⱥ',
    AE: 'Æ',
    B: 'ƁɃƂ',
    C: 'ƇȻ',
    D: 'ÐĐƉƊƋ',
    E: 'ƏƎƐɆ',
    F: 'Ƒ',
    G: 'ƓƔǤ',
    H: 'ĦǶⱧ',
    I: 'ƖƗꞮ',
    J: 'Ɉ',
    K: 'ƘꞰⱩ',
    L: 'ŁȽⱠⱢ',
    M: 'Ɱ',
    N: 'ŊƝȠ',
    O: 'ØƆƟ',
    OE: 'Œ',
    OU: 'Ȣ',
    P: 'ƤⱣ',
    Q: 'ĸɊ',
    R: 'ƦɌⱤ',
    S: 'ⱾꟅ',
    SH: 'Ʃ',
    SS: 'ẞ',
    T: 'ŦƬƮȾ',
    TH: 'Þ',
    U: 'ƱɄ',
    V: 'ƲɅ',
    W: 'Ƿ',
    X: '×✕✖⨯',
    Y: 'ƳɎȜ',
    Z: 'ƵȤⱫ',
    ZH: 'Ʒ',
    "'": '‘’‛′‵ʹʻʼʽʾʿˈ՚׳ꞌ',
    '-': '\u2212\u2043\u02d7',
    '/': '\u2044\u2215',
    ' ': '\u001d', // what separates the elements of a GS1 code
    ي: 'ىیے', // as Persian keyboards and Egyptian ones have it; these three as Lucene's normalizers
    ك: 'ک',
    ه: 'ةہە',
  };
  const letters = new Map(
    Object.entries(replacements).flatMap(([to, all]) => [...all].map((each) => [each, to])),
  );
  const zeros = ['\u0660', '\u06f0', '\u0966', '\u09e6', '\u0e50', '\u0ed0', '\u1040', '\u17e0'];
  for (const zero of zeros)
    for (let digit = 0; digit < 10; digit += 1)
      letters.set(String.fromCharCode(zero.charCodeAt(0) + digit), String(digit));
  const replaced = new RegExp(`[${[...letters.keys()].join('')}]`, 'gu');
  /** Unicode decomposes these accents, which people type as apostrophes, to a blank and a mark. */
  const accents = /[`´΄᾽᾿῾\u1fef\uff40]/g;
  /** Marks that are accents, not the vowels of a script; and invisible characters. */
  const ignored =
    /[[\p{M}&&[\p{sc=Zinh}\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}]]\p{Cf}\p{DI}\u0640]/gv;
  const hiraganaToKatakana = 0x60;
  const cjk = /[[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}]--·]/gv;

  function fold(text: string): string {
    if (/^[ -_a-~]*$/.test(text) && !/xn--/i.test(text)) return text.toUpperCase();
    return text
      .replace(/xn--[a-z0-9.-]+/gi, (domain) => domainToUnicode(domain) || domain)
      .replace(accents, "'")
      .normalize('NFKD')
      .replace(ignored, '')
      .normalize('NFC') // the syllables of Hangul
      .toUpperCase() // it has one form of the Greek sigma, and SS for ß
      .replace(replaced, (letter) => letters.get(letter) ?? letter)
      .replace(/\p{Pd}/gu, '-');
  }

  function foldedWords(text: string): string[] {
    return fold(text)
      .replace(/[ぁ-ゖ]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + hiraganaToKatakana))
      .replace(cjk, ' $& ')
      .split(/\s+/)
      .filter((word) => word !== '');
  }

  function withoutSigns(word: string): string {
    return word.replace(
      /(?<=[\p{L}\p{N}])['-](?=[\p{L}\p{N}])|(?<=\p{L})[.·](?=\p{L})|^'(?=\p{L})|(?<=\p{L})'$/gu,
      '',
    );
  }

  function searchText(...parts: readonly (string | null)[]): string {
    let text = '';
    for (const part of parts) {
      if (part === null) continue;
      for (const word of foldedWords(part)) {
        text += `  ${word}`;
        if (!/['.·-]/.test(word) || word.includes('@') || !/\p{L}/u.test(word)) continue;
        const joined = withoutSigns(word);
        if (joined !== word) text += `  ${joined}`;
      }
    }
    return text;
  }

  return { fold, foldedWords, withoutSigns, searchText };
}

export const { fold, foldedWords, withoutSigns, searchText } = createFolding();

/** A query. An object matches if its text contains one of the alternatives of each phrase. */
export type SearchQuery = {
  readonly phrases: readonly Phrase[];
  /** The one word of the query that may be an id, as a number; 0 if no word or several words may be ids. */
  readonly id: number;
  /** The phrases of the other words; empty if the id is the whole query. */
  readonly besideId: readonly Phrase[];
};
type Phrase = readonly string[];

/** Phone numbers may have the national form of `country`, the shop's: 8 912 … is +7 912 … in Russia. */
export function parseSearch(query: string, country: string | undefined): SearchQuery {
  const words = wordsOf(query, joinNumbers);
  const [idWord, ...otherIds] = words.filter(({ plain }) => toId(plain) !== 0);
  const phrasesOf = (some: readonly Word[]): Phrase[] => some.map((word) => alternativesOf(word, country));
  const phrases = phrasesOf(words);
  if (idWord === undefined || otherIds.length > 0) return { phrases, id: 0, besideId: [] };
  return { phrases, id: toId(idWord.plain), besideId: phrasesOf(words.filter((word) => word !== idWord)) };
}

/** Returns a phrase for each word. Words don't match numbers that are written in another form. */
export function wordPhrases(query: string): Phrase[] {
  return wordsOf(query, (text) => text).map((word) => [...new Set(spellingsOf(word))]);
}

/** A word of a query, folded, and with its umlauts written out: MULLER and MUELLER. */
type Word = { readonly plain: string; readonly spelledOut: string };

/**
 * Returns the different words of a query, without what only joins others: Smith & Sons, Smith and Sons, Smith/Sons. A
 * word of CJK signs is one phrase: they follow each other.
 */
function wordsOf(query: string, join: (text: string) => string): Word[] {
  const split = (text: string): string[] =>
    join(` ${fold(text)}`)
      .replace(/(?<=\p{L}{3})[&+/,;|](?=\p{L}{3}|\s|$)/gu, ' ')
      .split(/\s+/)
      .map((word) => foldedWords(word).join('  '))
      .filter((word) => word !== '');
  const spelledOut = split(
    query.normalize('NFC').replace(/[äöüøåÄÖÜØÅ]/g, (letter) => umlauts[letter] ?? letter),
  );
  const words = new Map(split(query).map((plain, index) => [plain, spelledOut[index] ?? plain]));
  const all = [...words].map(([plain, long]) => ({ plain, spelledOut: long }));
  const others = all.filter(({ plain }) => !/^(AND|UND|[\p{P}+|]+)$/u.test(plain));
  return others.length === 0 ? all : others;
}

const umlauts: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ø: 'oe',
  å: 'aa',
  Ä: 'AE',
  Ö: 'OE',
  Ü: 'UE',
  Ø: 'OE',
  Å: 'AA',
};

/**
 * Returns the phrases of a word: as it is written, without its signs, and with its umlauts written out. UE may stand
 * for an umlaut, as in MUELLER but not in BAUER. Since the search text has U for ü, a word with UE is also searched
 * with U alone. If that is short, it matches only the beginning of a word, or BLUE would find too much.
 */
function spellingsOf({ plain, spelledOut }: Word): string[] {
  const folded = plain.replace(/(?<![AEIOUQ])([AOU])E/g, '$1').replaceAll('AA', 'A');
  const spellings = [phraseOf(plain), phraseOf(spelledOut), phraseOf(withoutSigns(plain))];
  if (folded === plain || folded.length < 3) return spellings;
  return [...spellings, folded.length === 3 ? beginningOfWord(folded) : folded];
}

/**
 * Joins digits that are separated by blanks into one number, and also digits with the separators of phone
 * numbers, as in `030 / 123 45 - 6`. Leaves few digits as they are, since they may be a range.
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

function alternativesOf(word: Word, country: string | undefined): Phrase {
  return [...new Set([...spellingsOf(word), ...phoneNumbersOf(word.plain, country)])];
}

/** Returns the phrase of a word. One or two characters match only the beginning of a word. */
function phraseOf(word: string): string {
  const { length } = [...word];
  return length < 3 ? word.padStart(word.length + 3 - length) : word;
}

/**
 * Returns the phrase that matches words beginning with `phrase`. Like `searchText`, uses no name from
 * outside.
 */
export function beginningOfWord(phrase: string): string {
  return phrase.startsWith(' ') ? phrase : ` ${phrase}`;
}

/**
 * Returns the digits of a phone number as people write it, without leading zeros, and those of the number that it is in
 * this country. In `+49 (0)30` the zero is the trunk prefix, which most countries drop.
 */
function phoneNumbersOf(word: string, country: string | undefined): string[] {
  if (!/^[+\d()./-]+$/.test(word)) return [];
  const forms = /^(\+|00)/.test(word) ? [word, word.replace('(0)', '')] : [word];
  return [...forms, toE164(word, country) ?? '']
    .map((form) => form.replace(/\D/g, '').replace(/^0+/, ''))
    .filter((digits) => digits.length >= 3);
}
