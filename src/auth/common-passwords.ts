// Recognizes the passwords that attackers try first: common ones, dates, rows of keys, and words of the context.
import { commonPasswordList } from './common-password-list.ts';

/** `password` is in lower case. The list stays a text, since it is searched only for new passwords. */
export function isCommon(password: string): boolean {
  const words = commonPasswordList.trim().split(/\s+/);
  const isListed = words.some((word) => isDecorated(password, word));
  return isListed || isDate(password) || isRunOfKeys([...password]);
}

/** Whether there is a date in eight digits, perhaps with digits and punctuation beside it. The list has no dates. */
export function isDate(password: string): boolean {
  return date.test(password) && lettersOf(password) === '';
}

const day = '(?:0[1-9]|[12]\\d|3[01])';
const month = '(?:0[1-9]|1[0-2])';
const year = '(?:19|20)\\d\\d';
const date = new RegExp(`${day}${month}${year}|${month}${day}${year}|${year}${month}${day}`);

/** Whether the password is the word, perhaps with digits and punctuation before or after it. */
function isDecorated(password: string, word: string): boolean {
  const at = password.indexOf(word);
  return at !== -1 && lettersOf(password.slice(0, at) + password.slice(at + word.length)) === '';
}

/**
 * Whether the password is a run of keys. The list has none, since zxcvbn recognizes runs by rules. Longer
 * runs are not common.
 */
function isRunOfKeys(characters: readonly string[]): boolean {
  if (characters.length > runLengthMax) return false;
  const forwards = characters.join('');
  const backwards = characters.toReversed().join('');
  return (
    new Set(characters).size === 1 || rows.some((row) => row.includes(forwards) || row.includes(backwards))
  );
}

const runLengthMax = 12;

/**
 * Keys in a row: on a keyboard, in the alphabet, or digits. Any part of a row counts, forwards or backwards.
 */
const rows = [
  '12345678901234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'zxcvbnm,./',
];

/**
 * Whether the letters of `password` are only words of `texts`, in any order, with digits and punctuation
 * anywhere. Both are in lower case.
 */
export function isMadeOf(password: string, texts: readonly string[]): boolean {
  const letters = lettersOf(password);
  if (letters === '') return false;
  const known = new Set(texts.flatMap(contextWords));
  /** The lengths at which the beginning of `letters` consists of known words. */
  const ends = new Set([0]);
  for (let end = 1; end <= letters.length; end += 1)
    if ([...ends].some((start) => known.has(letters.slice(start, end)))) ends.add(end);
  return ends.has(letters.length);
}

/** Returns the words of three letters or more, and the whole text as one word. */
function contextWords(text: string): string[] {
  const parts = text.split(/[^\p{L}\p{M}]+/u).filter((part) => part.length >= 3);
  return [...parts, lettersOf(text)].filter((word) => word !== '');
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{M}]+/gu, '');
}
