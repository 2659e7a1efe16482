// How names are compared and sorted: by keys that are the same for spellings of one name.
import { withoutCase } from './letter-case.ts';
import { fold } from './search-text.ts';

/** Returns the same text for names that differ only in case, accents, blanks or kinds of signs. */
export function foldedName(name: string): string {
  const folded = fold(name).trim().replace(/\s+/g, ' ').slice(0, foldedCharsMax);
  return withoutCase(folded.toWellFormed());
}

/** A name has at most as many characters; few signs fold to several letters. */
const foldedCharsMax = 200;

/** Returns the key by which names are sorted (DIN 5007-1): as they are searched, and then by the text itself. */
export function keyOfName(name: string): string {
  return `${foldedName(name)}\u0001${name}`;
}

/** Returns the first key that the name may have, and the first key after all of these. */
export function sameNameRange(name: string): [from: string, below: string] {
  const folded = foldedName(name);
  return [`${folded}\u0001`, `${folded}\u0002`];
}

/** Returns the beginning of the keys of names that begin like this one. */
export function namePrefix(name: string): string {
  return /\s$/.test(name) ? `${foldedName(name)} ` : foldedName(name);
}
