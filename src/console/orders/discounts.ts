// Discounts that are typed as a part of a sum: `-10 %`.

/** Parses `-10 %` and `−2,5%` into hundredths of a percent; undefined for any other text, and for more than 100 %. */
export function discountPart(text: string): number | undefined {
  const [, whole = '', decimals = ''] = /^[-−–]\s*(\d{1,3})(?:[.,](\d{1,2}))?\s*%$/.exec(text.trim()) ?? [];
  const part = Number(whole + decimals.padEnd(2, '0'));
  return whole === '' || part > 10_000 ? undefined : part;
}

/** Returns the negative amount that takes this part off the sum, rounded to the minor unit. */
export function discountOf(sum: number, part: number): number {
  if (sum <= 0) return 0;
  const exact = BigInt(sum) * BigInt(part);
  return 0 - Number((exact + 5_000n) / 10_000n);
}
