// Parses and formats money. Amounts are integers of the currency's minor unit.

/** The number of digits of each currency's minor unit; two for a currency that isn't listed. */
export type Digits = Readonly<Record<string, number>>;

/** Formats an amount in the reader's locale, exact to the last digit. */
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

/** Formats 749 with two digits as `7.49`. */
export function decimalText(minorUnits: number, fraction: number): string {
  if (fraction === 0) return String(minorUnits);
  const sign = minorUnits < 0 ? '-' : '';
  const padded = String(Math.abs(minorUnits)).padStart(fraction + 1, '0');
  return `${sign}${padded.slice(0, -fraction)}.${padded.slice(-fraction)}`;
}

export type PriceFormat = {
  /** The number of digits of the currency's minor unit. */
  readonly fraction: number;
  /** The decimal sign of the reader's locale: `.` or `,`. */
  readonly decimalSign: string;
  /** What may stand before or after the number: the currency's code and signs. */
  readonly signs?: readonly string[];
  /** The sign before decimals, where a person has said so: then no price is ambiguous. */
  readonly fileSign?: string;
};

/**
 * Parses `7,49`, `7.49 €`, `-2,50`, `1.234,50`, `1 234`, `7` … into minor units; undefined for any other text and for an
 * ambiguous one.
 */
export function priceOf(text: string, format: PriceFormat): number | undefined {
  const { fraction } = format;
  const { minus, plain } = plainNumber(text, format);
  const [only, other] = readingsIn(plain, format);
  if (only === undefined || other !== undefined) return undefined;
  const { whole, decimals } = only;
  if (whole + decimals === '' || /[1-9]/.test(decimals.slice(fraction))) return undefined;
  const minorUnits = Number(whole + decimals.slice(0, fraction).padEnd(fraction, '0'));
  if (!Number.isSafeInteger(minorUnits)) return undefined;
  return minus === '' ? minorUnits : 0 - minorUnits; // not -0
}

/** Returns the two readings of `1.234` as unambiguous texts, `1234` and `1.23`; undefined if there is only one. */
export function readingsOf(text: string, format: PriceFormat): readonly [string, string] | undefined {
  const { fraction, decimalSign } = format;
  const { minus, plain } = plainNumber(text, format);
  const [first, second] = readingsIn(plain, format);
  if (first === undefined || second === undefined) return undefined;
  return [minus + first.whole, `${minus}${second.whole}${decimalSign}${second.decimals.slice(0, fraction)}`];
}

/** `1.234`: the sign may group thousands or begin the decimals. */
const ambiguous = /^([1-9]\d{0,2})([.,])(\d{3})$/;
/** `1.234,50`, `1.234.567`, `1,23,456.50` in India: one sign groups digits, the other one begins the decimals. */
const grouped = /^([1-9]\d{0,2}(?:([.,])(?:\d\d\2)*\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;
/** `1234,50` */
const ungrouped = /^(\d*)(?:([.,])(\d+))?$/;

type Reading = { readonly whole: string; readonly decimals: string };

/** Returns what the number may be: nothing if it is none, and two readings if it is ambiguous. */
function readingsIn(plain: string, { fraction, decimalSign, fileSign }: PriceFormat): readonly Reading[] {
  const [, thousands = '', sign, rest = ''] = ambiguous.exec(plain) ?? [];
  if (sign === undefined) {
    const [, whole, , decimals = ''] = grouped.exec(plain) ?? ungrouped.exec(plain) ?? [];
    return whole === undefined ? [] : [{ whole: whole.replaceAll(/\D/g, ''), decimals }];
  }
  const asThousands = { whole: thousands + rest, decimals: '' };
  const asDecimals = { whole: thousands, decimals: rest };
  if (fraction === 0) return [asThousands];
  if (fileSign !== undefined) return [sign === fileSign ? asDecimals : asThousands];
  // a currency with three digits writes such decimals
  return fraction > 2 && sign === decimalSign ? [asDecimals] : [asThousands, asDecimals];
}

/** Splits `−2,50 €` and `€ -2,50` into the minus and the number, without the currency and without blanks. */
function plainNumber(
  text: string,
  { signs = [] }: PriceFormat,
): { readonly minus: '' | '-'; readonly plain: string } {
  const [, first = '', unsigned = ''] = /^([-−–]?)(.*)$/s.exec(plainDigits(text)) ?? [];
  const trimmed = unsigned.trim().replace(noDecimals, '$1');
  const sign =
    signs.map(plainDigits).find((each) => trimmed.startsWith(each) !== trimmed.endsWith(each)) ?? '';
  const number = trimmed.startsWith(sign) ? trimmed.slice(sign.length) : trimmed.slice(0, -sign.length);
  const [, second = '', plain = ''] =
    /^([-−–]?)(.*)$/s.exec(number.replaceAll(/[\s'’]/g, '').replace(noDecimals, '$1')) ?? [];
  if (first !== '' && second !== '') return { minus: '', plain: number }; // which is no number
  return { minus: first + second === '' ? '' : '-', plain };
}

/** `5,-` and `5.–` have no decimals. */
const noDecimals = /(\d)[.,][-−–—]+$/;

/** With plain digits and signs, whatever the script, and without invisible characters. */
function plainDigits(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Nd}/gu, (digit) => String(digitValue(digit)))
    .replaceAll('٫', '.')
    .replaceAll(/[٬\p{Cf}]/gu, '')
    .trim();
}

/** The digits of a script follow each other. */
function digitValue(digit: string): number {
  let value = 0;
  while (/^\p{Nd}$/u.test(String.fromCodePoint((digit.codePointAt(0) ?? 0) - value - 1)) && value < 9)
    value += 1;
  return value;
}

/** Parses a whole number of 1 or more, whose upper bound is the service's; undefined for any other text, such as `1,5`, `0` and `1.000`. */
export function quantityOf(text: string): number | undefined {
  const trimmed = plainDigits(text);
  return /^\d{1,9}$/.test(trimmed) && Number(trimmed) > 0 ? Number(trimmed) : undefined;
}
