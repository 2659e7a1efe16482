// Amounts of orders, as people write them in a search.
import { currencyDigits } from '../../schema/decimal.ts';
import { currencies, withdrawnCurrencies } from '../../schema/iso-codes.ts';

/** A total in minor units, and the currencies in which it is the amount that was written. */
export type Amount = readonly [total: number, currencies: string];

/** `1.234,50`, `1,234.50`, `53,98 €`, `EUR 53.98`, `¥500`: groups of thousands, then all decimals of the currency. */
const written =
  /^(?:[A-Z]{3}|\p{Sc})?\s*(\d{1,3}(?:[.,’' ]\d{3})+|\d{1,13})(?:[.,](\d{1,4}))?\s*(?:[A-Z]{3}|\p{Sc})?$/iu;

/** Returns the totals that the text may be: an amount is written with all decimals of its currency. */
export function amountsOf(text: string): Amount[] {
  const [, whole, fraction = ''] = written.exec(text.trim()) ?? [];
  if (whole === undefined) return [];
  const total = Number(whole.replace(/\D/g, '') + fraction);
  const able = [...currencies, ...withdrawnCurrencies].filter(
    (currency) => currencyDigits(currency) === fraction.length,
  );
  return able.length === 0 || !Number.isSafeInteger(total) ? [] : [[total, able.join(' ')]];
}
