// Which digits may be a barcode, and which numbers mean the same article.

/** Whether it has as many digits as a barcode. */
export function isBarcode(text: string): boolean {
  return /^\d{8,14}$/.test(text);
}

/** Whether it is a barcode with the right check digit (GS1 General Specifications 7.9). */
export function isGtin(text: string): boolean {
  const digits = [...text].reverse().map(Number);
  const sum = digits.reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 1 : 3), 0);
  return isBarcode(text) && sum % 10 === 0;
}

/** Whether it can only be a barcode: hardly any price or phone number is as long and has a right check digit. */
export function isLongGtin(text: string): boolean {
  return text.length >= 12 && isGtin(text);
}

/** Other numbers that scanners and lists have for the same article: the UPC-A of a UPC-E, and both kinds of an ISBN. */
export function otherNumbers(code: string): string[] {
  const plain = code.replaceAll(/[ -]/g, '').toUpperCase();
  if (/^0\d{7}$/.test(plain)) return [upcAOf(plain)].filter(isGtin);
  const [, isbn13] = /^978(\d{9})\d$/.exec(plain) ?? [];
  if (isbn13 !== undefined) return withCheckDigit(isbn13, isIsbn10);
  return isIsbn10(plain) ? withCheckDigit(`978${plain.slice(0, 9)}`, isGtin) : [];
}

/** The last of the six digits says where zeros were left out (GS1 General Specifications 5.2.2.4.2). */
function upcAOf(upcE: string): string {
  const digits = upcE.slice(1, 6);
  const last = Number(upcE[6]);
  const kept = last < 3 ? 2 : Math.min(last, 5);
  const filling = last < 3 ? `${last}0000` : last < 5 ? '00000' : `0000${last}`;
  return `0${digits.slice(0, kept)}${filling}${digits.slice(kept)}${upcE.slice(7)}`;
}

function withCheckDigit(digits: string, isRight: (code: string) => boolean): string[] {
  return [...'0123456789X'].map((digit) => digits + digit).filter(isRight);
}

function isIsbn10(text: string): boolean {
  const sum = [...text].reduce(
    (total, digit, index) => total + (10 - index) * (digit === 'X' ? 10 : Number(digit)),
    0,
  );
  return /^\d{9}[\dX]$/.test(text) && sum % 11 === 0;
}
