// Amounts in decimal notation, with as many decimals as the minor unit of the currency has digits. ISO 4217 has the
// digits of active currencies (list one), but none of withdrawn ones (list three): these have the digits that
// java.util.Currency knows, or 2. A test compares them with both tables.

const digitsDefault = 2;
/**
 * Currencies whose minor unit doesn't have two digits. Intl can't be used: it has the digits of everyday use,
 * such as none for IQD.
 */
const otherDigits: Readonly<Record<string, number>> = {
  ...digitsOfAll(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...digitsOfAll(0, 'ADP BEC BEF BEL BYB BYR ESA ESB ESP GRD ITL LUC LUF LUL MGF PTE ROL TPE TRL'),
  ...digitsOfAll(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...digitsOfAll(4, 'CLF UYW'),
};

/** Returns the number of digits of the currency's minor unit: 2 for EUR, 0 for JPY. */
export function currencyDigits(currency: string): number {
  return otherDigits[currency] ?? digitsDefault;
}

/** Formats -1498 of EUR as `-14.98`, without rounding. */
export function decimalAmount(minorUnits: number, currency: string): string {
  const digits = currencyDigits(currency);
  if (digits === 0) return String(minorUnits);
  const padded = String(Math.abs(minorUnits)).padStart(digits + 1, '0');
  return `${minorUnits < 0 ? '-' : ''}${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}

/**
 * Reads -14.98, -14,98 or -14.9800 of EUR as -1498. Returns undefined for other texts, for more digits than the
 * currency has, and for 14,000, which may be thousands.
 */
export function minorUnitsOf(text: string, currency: string): number | undefined {
  const [, minus, whole, sign, decimals = ''] = /^([-−]?)(\d{1,13})(?:([.,])(\d+))?$/.exec(text) ?? [];
  const digits = currencyDigits(currency);
  const isAmbiguous = sign === ',' && decimals.length === 3 && digits < 3;
  const isExact = /^0*$/.test(decimals.slice(digits));
  if (whole === undefined || isAmbiguous || !isExact) return undefined;
  const minorUnits = Number(whole + decimals.slice(0, digits).padEnd(digits, '0'));
  return minus === '' ? minorUnits : -minorUnits;
}

function digitsOfAll(digits: number, currencies: string): Record<string, number> {
  return Object.fromEntries(currencies.split(' ').map((currency) => [currency, digits]));
}
