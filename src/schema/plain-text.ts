// Replaces look-alikes by the letters and digits that people mean.

/** NFKC without invisible format characters; decimal digits of all scripts become 0 to 9. */
export function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gv, '')
    .replaceAll(/[\p{Nd}--[0-9]]/gv, (digit) => digitValue(digit));
}

/** Hyphens, dashes, the minus sign, and the Japanese sound mark that is typed for one. */
export const dashes = /[\p{Pd}\u2212\u2043\u30fc]/gv;

/** Unicode has the decimal digits of a script in a row, from 0 (section 4.6). */
function digitValue(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (/\p{Nd}/v.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value % 10);
}
