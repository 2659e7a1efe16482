// Codes of products: how SKUs and barcodes are kept, compared, and found in what a scanner sends.
//
// A GTIN (an EAN, UPC or ITF-14) is a number of 14 digits, however many of its zeros are written. A scanner may send
// it alone, after an AIM identifier (]E0), as an element of a GS1 code (01, with other elements around it), or in a
// GS1 Digital Link. Above its bars, and in books, its digits are printed in groups. Any other code is compared as it is.
import { withoutCase } from './letter-case.ts';

/** Returns a code as it is stored: without invisible characters, and with no blanks around it. */
export function plainCode(text: string): string {
  return text
    .replace(/[\p{Cf}\p{DI}]/gu, '')
    .replace(blank, ' ')
    .trim();
}

/** White space, and signs of Braille, music and hieroglyphs that are nothing but room. */
const blank = /[\s\u2800\u{1d159}\u{13441}\u{13442}]/gu;

/** Returns the same key for all spellings of one SKU. */
export function skuKey(sku: string): string {
  return formerSkuKey(plainCode(sku));
}

/** The key before version 1.1, in which blanks and invisible characters counted. */
export function formerSkuKey(sku: string): string {
  return withoutCase(sku.normalize('NFC'));
}

/** Returns the same key for all spellings of one barcode: 14 digits if it is a GTIN. */
export function barcodeKey(barcode: string): string {
  const code = plainCode(barcode);
  return gtinIn(code) ?? code;
}

/** Returns the SKUs and barcodes that a scanned or typed text may mean. */
export function codesIn(text: string): string[] {
  const code = plainCode(text);
  const forms = [code, code.normalize('NFKC'), plainCode(code.replace(aimIdentifier, ''))];
  return [...new Set(forms)].filter((each) => each !== '');
}

/** Returns a sentence if the code looks like a GTIN that has lost digits. */
export function cutGtinWarning(code: string): string | undefined {
  if (!/^\d{7,14}$/.test(code) || isGtin(code)) return undefined;
  const mayHaveLostZeros = isGtin(code.padStart(code.length < 8 ? 8 : 12, '0'));
  if (code.length < 11 && code.length !== 8 && !mayHaveLostZeros) return undefined;
  const why = mayHaveLostZeros
    ? 'its zeros in front, as spreadsheets drop them'
    : 'a digit, or has a wrong one';
  return `The barcode ${code} may be a GTIN that has lost ${why}: it is kept as it is.`;
}

const aimIdentifier = /^\][A-Za-z][0-9A-Za-z]/;

/** 12 digits or more in groups. */
const groupedDigits = /^\d(?:[ -]?\d){11,13}$/;

/** Returns the 14 digits of the GTIN in a code. */
function gtinIn(code: string): string | undefined {
  const plain = code.replace(aimIdentifier, '');
  const [, linked] = /^https?:\/\/[^?#]*\/(?:01|gtin)\/(\d+)(?=[/?#]|$)/i.exec(plain) ?? [];
  const found =
    linked ?? (plain.startsWith('(') ? /\(01\)(\d{14})(?!\d)/.exec(plain)?.[1] : gtinOfElements(plain));
  const gtin = found ?? (groupedDigits.test(plain) ? plain.replaceAll(/[ -]/g, '') : plain);
  return isGtin(gtin) ? gtin.padStart(14, '0') : undefined;
}

/**
 * The lengths of elements that need no separator, their two digits included (General Specifications, figure 7.8.5-2).
 */
const elementLengths: Readonly<Record<string, number>> = {
  ...{ '00': 20, '01': 16, '02': 16, '03': 16, '04': 18, '20': 4, '41': 16 },
  ...Object.fromEntries(['11', '12', '13', '14', '15', '16', '17', '18', '19'].map((each) => [each, 8])),
  ...Object.fromEntries(['31', '32', '33', '34', '35', '36'].map((each) => [each, 10])),
};

const separator = '\u001d';

/** Walks the elements of a GS1 code up to the GTIN. */
function gtinOfElements(code: string): string | undefined {
  let rest = code;
  while (rest.length >= 2) {
    const start = rest.startsWith(separator) ? 1 : 0;
    const identifier = rest.slice(start, start + 2);
    if (identifier === '01') return /^\d{14}/.exec(rest.slice(start + 2))?.[0];
    const end = rest.indexOf(separator, start);
    const length = elementLengths[identifier] ?? (end < 0 ? rest.length : end - start);
    rest = rest.slice(start + Math.max(length, 2));
  }
  return undefined;
}

/** Whether the digits are as many as a GTIN has, with a right check digit. */
function isGtin(digits: string): boolean {
  if (!/^(?:\d{8}|\d{12,14})$/.test(digits) || /^0+$/.test(digits)) return false;
  const sum = [...digits.padStart(14, '0')].reduce(
    (total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1),
    0,
  );
  return sum % 10 === 0;
}
