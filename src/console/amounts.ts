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

/** `1.234,50`, `1.234.567`: thousands are grouped by one sign, decimals begin with the other. */
const grouped = /^([1-9]\d{0,2}(?:([.,])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;
/** `1234,50` */
const ungrouped = /^(\d*)(?:([.,])(\d+))?$/;
/** `1.234`: a sign that groups thousands, or that decimals begin with. */
const ambiguous = /^([1-9]\d{0,2})([.,])(\d{3})$/;

export type PriceFormat = {
  /** How many digits the currency's minor unit has. */
  readonly fraction: number;
  /** What decimals begin with in the reader's locale: `.` or `,`. */
  readonly decimalSign: string;
};

/**
 * `7,49`, `7.49`, `1.234,50`, `1 234`, `7` … in minor units; undefined for anything else, and for what could
 * be two prices.
 */
export function priceOf(text: string, format: PriceFormat): number | undefined {
  const { fraction } = format;
  const plain = withoutBlanks(text);
  if (readingsOf(text, format) !== undefined) return undefined;
  const [first, second] = fraction > 2 ? [ungrouped, grouped] : [grouped, ungrouped];
  const [, whole = '', , decimals = ''] = first.exec(plain) ?? second.exec(plain) ?? [];
  if (whole + decimals === '' || decimals.length > fraction) return undefined;
  const minorUnits = Number(whole.replaceAll(/\D/g, '') + decimals.padEnd(fraction, '0'));
  return Number.isSafeInteger(minorUnits) ? minorUnits : undefined;
}

/**
 * The two prices that `1.234` could be, each written so that it is one: `1234` and `1.23`. Undefined if
 * there is one reading: in currencies without decimals, and with the reader's own decimal sign in those that
 * have three and more.
 */
export function readingsOf(text: string, format: PriceFormat): readonly [string, string] | undefined {
  const { fraction, decimalSign } = format;
  const [, whole = '', sign, rest = ''] = ambiguous.exec(withoutBlanks(text)) ?? [];
  if (sign === undefined || fraction === 0 || (fraction > 2 && sign === decimalSign)) return undefined;
  return [whole + rest, `${whole}${decimalSign}${rest.slice(0, fraction)}`];
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/[\s'’]/g, '');
}
