// Money as people type it and read it. Amounts are integers of the currency's minor unit.

/** How many digits the minor units of currencies have; two for a currency that isn't listed. */
export type Digits = Readonly<Record<string, number>>;

/** In the reader's locale, exact to the last digit. */
export function moneyText(
  minorUnits: number,
  currency: string,
  { digits, locale }: { readonly digits: Digits; readonly locale?: string },
): string {
  const fraction = digits[currency] ?? 2;
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: fraction,
    maximumFractionDigits: fraction,
  });
  return format.format(decimalText(minorUnits, fraction) as Intl.StringNumericLiteral);
}

/** 749 with two digits is `7.49`. */
export function decimalText(minorUnits: number, fraction: number): string {
  if (fraction === 0) return String(minorUnits);
  const padded = String(minorUnits).padStart(fraction + 1, '0');
  return `${padded.slice(0, -fraction)}.${padded.slice(-fraction)}`;
}

/** `1.234,50`: thousands are grouped by one sign, decimals begin with the other. */
const grouped = /^([1-9]\d{0,2}(?:([.,])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;
/** `1234,50` */
const ungrouped = /^(\d*)(?:([.,])(\d+))?$/;

/**
 * `7,49`, `7.49`, `1.234,50`, `1 234`, `7` … in minor units; undefined for anything else. A separator
 * before the last three digits groups them, unless the currency has three.
 */
export function priceOf(text: string, fraction: number): number | undefined {
  const plain = text.replaceAll(/[\s'’]/g, '');
  const [first, second] = fraction === 3 ? [ungrouped, grouped] : [grouped, ungrouped];
  const [, whole = '', , decimals = ''] = first.exec(plain) ?? second.exec(plain) ?? [];
  if (whole + decimals === '' || decimals.length > fraction) return undefined;
  const minorUnits = Number(whole.replaceAll(/\D/g, '') + decimals.padEnd(fraction, '0'));
  return Number.isSafeInteger(minorUnits) ? minorUnits : undefined;
}
