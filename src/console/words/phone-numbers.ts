// Phone numbers as people write them, by the formats of libphonenumber (`phone-formats.ts`).
import { phoneFormatRows } from './phone-formats.ts';

const rows: ReadonlyMap<string, readonly string[]> = new Map(
  phoneFormatRows.map((row) => [row[0] ?? '', row]),
);

/**
 * Writes an E.164 number as in this country; with its calling code if there is none. Without a format there is a blank
 * after the calling code: for spreadsheets it is text then, too, which would round the digits alone.
 */
export function writtenPhone(phone: string, country: string | null): string {
  const digits = phone.slice(1);
  const row = [1, 2, 3].map((length) => rows.get(digits.slice(0, length))).find((each) => each !== undefined);
  const [callingCode = '', countries = '', ...formats] = row ?? [];
  const number = digits.slice(callingCode.length);
  const isHome = country !== null && countries.match(/../g)?.includes(country) === true;
  for (let i = 0; i < formats.length; i += 4) {
    const [pattern = '', start = '', abroad = '', home = ''] = formats.slice(i, i + 4);
    const fits = new RegExp(`^(?=${start})${pattern}$`.replaceAll('d', '\\d'));
    const format = isHome ? home || abroad : `+${callingCode} ${abroad}`;
    if (fits.test(number)) return number.replace(fits, format.replaceAll('_', ' '));
  }
  if (isHome) return number;
  return callingCode === '' ? phone : `+${callingCode} ${number}`;
}
