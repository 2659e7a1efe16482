// E-mail addresses: their syntax, and the comparison of two spellings.
import { domainToASCII } from 'node:url';
import { withoutCase } from './letter-case.ts';

const charactersMax = 254; // RFC 5321 section 4.5.3.1.3: a path of 256 with its angle brackets

/**
 * Returns undefined if the text may be an e-mail address, otherwise a sentence that says what would be right.
 * The service sends no mail, so it rejects only mistakes, and texts that would be harmful where the address
 * is shown.
 */
export function emailIssue(text: string): string | undefined {
  if (text.length > charactersMax) return `An e-mail address must have at most ${charactersMax} characters.`;
  if (invisible.test(text)) return 'An e-mail address must have no blanks and no invisible characters.';
  const [local = '', domain = '', ...more] = text.split('@');
  if (local === '' || domain === '' || more.length > 0)
    return 'An e-mail address must have one @ between a name and a domain, as in anna@example.com.';
  const labels = domain.split('.');
  if (labels.every((label) => label !== '') && (labels.length > 1 || domain.toLowerCase() === 'localhost'))
    return undefined;
  return 'The part after the @ must be a domain with a dot, such as example.com, or localhost.';
}

/**
 * Returns the issue of an address that a request sets. Unlike `emailIssue` it rejects the signs of lists and of names
 * beside an address, which RFC 5321 allows only within quotes and brackets. In a domain it allows no ASCII sign but
 * `.`, `-` and, in error, `_`. An account whose address has such a sign can still sign in.
 */
export function sentEmailIssue(text: string): string | undefined {
  const issue = emailIssue(text);
  if (issue !== undefined || !/[<>()\[\],;:"\\]|@.*[!-,\/:-@[-^`{-~]/.test(text)) return issue;
  return 'An e-mail address is one address alone, as in anna@example.com, without brackets, quotes and lists.';
}

/** Blanks, controls, marks of direction, joiners, fillers, halves of surrogate pairs, unassigned characters. */
const invisible = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Returns the same key for all spellings of one e-mail address: in lower case, with the domain in its ASCII form, since
 * browsers send that form. A domain that has none stays as it is.
 */
export function emailKey(text: string): string {
  const key = formerEmailKey(text);
  const at = key.indexOf('@') + 1;
  const domain = key.slice(at);
  return /^[\x21-\x7e]*$/.test(domain) ? key : key.slice(0, at) + (domainToASCII(domain) || domain);
}

/**
 * The key before version 1.1, in which an IDN and its ASCII form were two. Normalizes again at the end, since
 * lowercasing can undo the normalization.
 */
export function formerEmailKey(text: string): string {
  return withoutCase(text.normalize('NFC')).normalize('NFC');
}
