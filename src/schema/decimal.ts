// Amounts in decimal notation: how many digits a currency's minor unit has (ISO 4217 list one).

const digitsDefault = 2;
/**
 * Currencies whose minor unit hasn’t two digits. Intl has the digits of everyday use instead: none for IQD.
 */
const otherDigits: Readonly<Record<string, number>> = {
  ...digitsOfAll(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...digitsOfAll(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...digitsOfAll(4, 'CLF UYW'),
};

/** The digits of the currency's minor unit: 2 for EUR, 0 for JPY. */
export function currencyDigits(currency: string): number {
  return otherDigits[currency] ?? digitsDefault;
}

/** 1498 of EUR is `14.98`: as exact as the integer. */
export function decimalAmount(minorUnits: number, currency: string): string {
  const digits = currencyDigits(currency);
  if (digits === 0) return String(minorUnits);
  const padded = String(minorUnits).padStart(digits + 1, '0');
  return `${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}

function digitsOfAll(digits: number, currencies: string): Record<string, number> {
  return Object.fromEntries(currencies.split(' ').map((currency) => [currency, digits]));
}
