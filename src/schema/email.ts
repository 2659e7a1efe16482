// E-mail addresses: which are accepted, and which are the same.
import { domainToASCII, domainToUnicode } from 'node:url';
import { withoutCase } from './letter-case.ts';

const octetsMax = 254; // RFC 5321 section 4.5.3.1.3: a path of 256 with its angle brackets
const localOctetsMax = 64;
const domainOctetsMax = 253;

/**
 * A sentence that says what would be valid; undefined for a mailbox of RFC 5321 without comments, quoted
 * local parts and address literals; its local part and domain may be in other scripts (RFC 6531). A single
 * label such as `localhost` is a domain. Takes no more time than a text of 254 characters needs.
 */
export function emailIssue(text: string): string | undefined {
  if (text.length > octetsMax || Buffer.byteLength(text) > octetsMax)
    return `An e-mail address must have at most ${octetsMax} bytes.`;
  // some signs are ASCII only once normalised
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
 * What two spellings of one address have in common; normalised again, since lowercasing can undo it.
 */
export function emailKey(text: string): string {
  return withoutCase(text.normalize('NFC')).normalize('NFC');
}

const asciiSigns = String.raw`A-Za-z0-9!#$%\&'*+\/=?^_\x60\{\|\}~\-`;
// Beyond ASCII: what is assigned and can be seen, so no blanks, controls, bidi marks or joiners (U+2800 is a
// blank in Braille).
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
// The signs beside letters, marks and digits are those that RFC 5892 appendix A allows, the joiners left out.
const wideLabel = /^(?!-)[[\p{L}\p{M}\p{Nd}·͵׳״・\-]--\p{Default_Ignorable_Code_Point}]+(?<!-)$/v;

/**
 * Checked before, since a host parser also decodes and strips, and after, since `xn--` may hide anything; ''
 * if it is no domain.
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
