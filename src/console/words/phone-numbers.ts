// Phone numbers as people write them, by the formats of libphonenumber (`phone-formats.ts`).
import { phoneFormatRows } from './phone-formats.ts';

const rows: ReadonlyMap<string, readonly string[]> = new Map(
  phoneFormatRows.map((row) => [row[0] ?? '', row]),
);

/** Fewer digits are read as a code of the exchange, and not as a number of the country. */
const homeDigitsMin = 4;

/**
 * Writes an E.164 number as in this country; with its calling code if there is none. Without a format there is a blank
 * after the calling code: for spreadsheets it is text then, too, which would round the digits alone.
 */
export function writtenPhone(phone: string, country: string | null): string {
  const digits = phone.slice(1);
  const row = [1, 2, 3].map((length) => rows.get(digits.slice(0, length))).find((each) => each !== undefined);
  const [callingCode = ''] = row ?? [];
  const number = digits.slice(callingCode.length);
  const isHome = country !== null && isOf(country, row);
  const written = formatted(number, row, isHome ? 'home' : 'abroad');
  if (written !== undefined) return written;
  if (isHome && number.length >= homeDigitsMin) return number;
  return callingCode === '' ? phone : `+${callingCode} ${number}`;
}

/** Returns the country’s calling code: `+353`. */
export function callingCodeOf(country: string): string {
  return `+${rowOf(country)?.[0] ?? ''}`;
}

/** Writes a number as it is dialled in a country, mostly with a 0, as from abroad; undefined if it is none of there. */
export function phoneFromAbroad(dialled: string, country: string): string | undefined {
  const digits = dialled.replaceAll(/\D/g, '');
  const written = [digits, digits.slice(1)].map((number) => formatted(number, rowOf(country), 'abroad'));
  return written.find((each) => each !== undefined);
}

function rowOf(country: string): readonly string[] | undefined {
  return phoneFormatRows.find((row) => isOf(country, row));
}

function isOf(country: string, row: readonly string[] | undefined): boolean {
  return row?.[1]?.match(/../g)?.includes(country) === true;
}

/** Writes the number by the first of the row’s formats that it has. */
function formatted(number: string, row: readonly string[] = [], from: 'home' | 'abroad'): string | undefined {
  const [callingCode, , ...formats] = row;
  for (let i = 0; i < formats.length; i += 4) {
    const [pattern = '', start = '', abroad = '', home = ''] = formats.slice(i, i + 4);
    const fits = new RegExp(`^(?=${start})${pattern}$`.replaceAll('d', '\\d'));
    const format = from === 'home' ? home || abroad : `+${callingCode} ${abroad}`;
    if (fits.test(number)) return number.replace(fits, format.replaceAll('_', ' '));
  }
  return undefined;
}
