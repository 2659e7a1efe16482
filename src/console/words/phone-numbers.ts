// Phone numbers as people write them, by the formats of libphonenumber (`phone-formats.ts`).

type Row = readonly string[];

/** The table. It is loaded beside what a page needs at once; until then numbers have no blanks. */
class PhoneFormats {
  #rows: readonly Row[] = [];
  readonly loaded: Promise<void>;

  constructor() {
    this.loaded = import('./phone-formats.ts').then(
      ({ phoneFormatRows }) => {
        this.#rows = phoneFormatRows;
      },
      () => {}, // the next visit may load it
    );
  }

  find(isMeant: (row: Row) => boolean): Row | undefined {
    return this.#rows.find(isMeant);
  }
}

export const phoneFormats = new PhoneFormats();

/** Fewer digits are read as a code of the exchange, and not as a number of the country. */
const homeDigitsMin = 4;

/**
 * Writes an E.164 number as in this country; with its calling code if there is none. Without a format there is a blank
 * after the calling code: for spreadsheets it is text then, too, which would round the digits alone.
 */
export function writtenPhone(phone: string, country: string | null): string {
  const digits = phone.slice(1);
  const row = phoneFormats.find(([code = '']) => digits.startsWith(code)); // none begins as another
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

function rowOf(country: string): Row | undefined {
  return phoneFormats.find((row) => isOf(country, row));
}

function isOf(country: string, row: Row | undefined): boolean {
  return row?.[1]?.match(/../g)?.includes(country) === true;
}

/** Writes the number by the first of the row’s formats that it has. */
function formatted(number: string, row: Row = [], from: 'home' | 'abroad'): string | undefined {
  const [callingCode, , ...formats] = row;
  for (let i = 0; i < formats.length; i += 4) {
    const [pattern = '', start = '', abroad = '', home = ''] = formats.slice(i, i + 4);
    const fits = new RegExp(`^(?=${start})${pattern}$`.replaceAll('d', '\\d'));
    const format = from === 'home' ? home || abroad : `+${callingCode} ${abroad}`;
    if (fits.test(number)) return number.replace(fits, format.replaceAll('_', ' '));
  }
  return undefined;
}
