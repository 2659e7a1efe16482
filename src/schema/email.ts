// E-mail addresses: their syntax, and the comparison of two spellings.
import { domainToASCII, domainToUnicode } from 'node:url';
import { withoutCase } from './letter-case.ts';

const octetsMax = 254; // RFC 5321 section 4.5.3.1.3: a path of 256 with its angle brackets
const localOctetsMax = 64;
const domainOctetsMax = 253;

/**
 * Returns undefined for a mailbox of RFC 5321 without comments, quoted local parts and address literals, also
 * in other scripts (RFC 6531), and otherwise a sentence that describes a valid address. A single label, such
 * as `localhost`, is a domain. The length is checked first, so that long texts don't cost more.
 */
export function emailIssue(text: string): string | undefined {
  if (text.length > octetsMax || Buffer.byteLength(text) > octetsMax)
    return `An e-mail address must have at most ${octetsMax} bytes.`;
  // some characters become ASCII when normalized
  const [local = '', domain, ...more] = text.normalize('NFC').split('@');
  if (domain === undefined || more.length > 0)
    return 'An e-mail address must have one @ between a name and a domain, as in anna@example.com.';
  if (Buffer.byteLength(local) > localOctetsMax)
    return `The part before the @ must have at most ${localOctetsMax} bytes.`;
  if (!local.split('.').every((word) => atom.test(word))) {
    return (
      "The part before the @ may contain letters, digits and any of !#$%&'*+-/=?^_`{|}~, " +
      'with single dots between them.'
    );
  }
  if (isDomain(domain)) return undefined;
  return (
    'The part after the @ must be a domain such as example.com: ' +
    'labels of 1 to 63 letters, digits and inner hyphens, the last of them not a number.'
  );
}

/**
 * Returns the same key for two spellings of one address. It normalizes again, since lowercasing can undo the
 * normalization.
 */
export function emailKey(text: string): string {
  return withoutCase(text.normalize('NFC')).normalize('NFC');
}

const asciiSigns = String.raw`A-Za-z0-9!#$%\&'*+\/=?^_\x60\{\|\}~\-`;
// Beyond ASCII: assigned, visible characters; no blanks, controls, bidi marks or joiners (U+2800 is the blank
// of Braille).
const wideSigns = String.raw`[\p{L}\p{M}\p{N}\p{P}\p{S}]--[\p{ASCII}\p{Default_Ignorable_Code_Point}\u2800]`;
const atom = new RegExp(String.raw`^(?!\p{M})[${asciiSigns}[${wideSigns}]]+$`, 'v');

function isDomain(domain: string): boolean {
  const ascii = /[^\0-\x7f]|xn--/i.test(domain) ? toAscii(domain) : domain;
  const labels = ascii.split('.');
  return (
    ascii.length <= domainOctetsMax &&
    labels.every((label) => asciiLabel.test(label)) &&
    /\D/.test(labels.at(-1) ?? '')
  );
}

const asciiLabel = /^(?!-)[A-Za-z0-9\-]{1,63}(?<!-)$/;
// The other characters are those that RFC 5892 appendix A allows, without the joiners.
const wideLabel = /^(?!-)[[\p{L}\p{M}\p{Nd}·͵׳״・\-]--\p{Default_Ignorable_Code_Point}]+(?<!-)$/v;

/**
 * Returns '' if the text isn't a domain. Checks the text before the conversion, since a host parser also
 * decodes and strips, and the result, since `xn--` may hide any character.
 */
function toAscii(domain: string): string {
  if (!isWide(domain)) return '';
  const ascii = domainToASCII(domain);
  const spelled = domainToUnicode(ascii);
  return isWide(spelled) && !/(?:^|\.)xn--/.test(spelled) ? ascii : '';
}

function isWide(domain: string): boolean {
  return domain.split('.').every((label) => wideLabel.test(label));
}
