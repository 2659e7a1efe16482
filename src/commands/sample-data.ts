// The ingredients of sample data: people and places of some countries, the products of a tea shop, and random picks.

export type SampleCountry = Readonly<ReturnType<typeof countryOf>>;

/**
 * Country, currency, its minor units for a euro cent, phone; given names; family names; streets (# is the
 * number); places: city, region where usual, postal code. In postal codes and phone numbers # stands for a
 * digit; phone numbers are from ranges reserved for fiction, or absent. Indented lines continue the country
 * above.
 */
const rows = `
DE EUR 1 +4930231250## | Anna Lukas Leonie Jonas | Müller Schmidt Weber Fischer
  | Lindenstraße #, Am Markt #, Gartenweg # | Berlin//10###, Hamburg//20###, Leipzig//04###
CH CHF 1.1 - | Laura Noah Mia Luca | Meier Keller Favre Bianchi
  | Seestrasse #, Dorfstrasse #, Rue du Lac # | Zürich//80##, Bern//30##, Genève//12##
FR EUR 1 +331990012## | Camille Louis Manon Jules | Martin Bernard Dubois Laurent
  | # rue des Lilas, # avenue Victor Hugo | Paris//750##, Lyon//6900#, Nantes//44#00
GB GBP 0.85 +442079460### | Olivia Harry Amelia George | Smith Jones Taylor Patel
  | # High Street, # Station Road, # Church Lane
  | London//SW1A #AA, Manchester//M1 #AE, Edinburgh//EH1 #BB
US USD 1.1 +151255501## | Emma Liam Ava Noah | Johnson Williams Garcia Nguyen
  | # Maple Street, # Oak Avenue, # Lakeview Drive
  | Austin/TX/787##, Portland/OR/972##, Chicago/IL/606##, New York/NY/100##
JP JPY 1.6 - | Yui Haruto Aoi Sōta | Satō Suzuki Takahashi Tanaka
  | #-2 Sakuragaoka, #-7 Honmachi | Setagaya-ku/Tōkyō/154-00##, Kita-ku/Ōsaka/530-00##
`;

export const sampleCountries: readonly SampleCountry[] = rows
  .trim()
  .split(/\n(?! )/)
  .map(countryOf);

function countryOf(row: string) {
  const [head = '', givenNames = '', familyNames = '', streets = '', places = ''] = row.split(/\s+\| /);
  const [code = '', currency = '', rate, phone = ''] = head.split(' ');
  return {
    code,
    currency,
    rate: Number(rate),
    phone: phone === '-' ? '' : phone,
    givenNames: givenNames.split(' '),
    streets: streets.split(', '),
    familyNames: familyNames.split(' '),
    places: places.split(', ').map((place) => {
      const [city = '', region = '', postalCode = ''] = place.split('/');
      return { city, region: region === '' ? null : region, postalCode };
    }),
  };
}

/** Number, name, price in euro cents. */
export const sampleProducts: readonly (readonly [sku: string, name: string, cents: number])[] = [
  ['TEA-250', 'Green tea, 250 g', 749],
  ['TEA-500', 'Assam, 500 g', 1290],
  ['TEA-520', 'Matcha, 30 g', 2190],
  ['TEA-600', 'Camomile, 20 bags', 349],
  ['POT-100', 'Teapot, cast iron, 0.8 l', 5900],
  ['POT-200', 'Kettle, 1.7 l', 4990],
  ['CUP-010', 'Cup and saucer', 1450],
  ['SET-001', 'Gift box “Four seasons”', 3990],
  ['ACC-001', 'Strainer, stainless steel', 890],
  ['ACC-003', 'Tea caddy, 250 g', 990],
  ['SWT-001', 'Candy sugar, 500 g', 379],
  ['SWT-002', 'Honey, 350 g', 850],
];

export const sampleNotes: readonly string[] = [
  'Please ring twice.',
  'Leave it with the neighbours, please.',
  'It is a present: no invoice in the parcel.',
  'Not before 10 o’clock.',
];

export type Picker = ReturnType<typeof createPicker>;

/**
 * The generator mulberry32 by Tommy Ettinger (public domain); its 32 bits of state suffice for sample data.
 */
export function createPicker(seed: number) {
  let state = seed >>> 0;

  /** Returns a number from 0 to 1, excluding 1. */
  function float(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from min to max. */
  function integer(min: number, max: number): number {
    return min + Math.floor(float() * (max - min + 1));
  }

  return {
    float,
    integer,
    pick: <T>(values: readonly T[]) => values[integer(0, values.length - 1)] as T, // there is one
    /** Replaces each # with a digit. */
    digits: (text: string) => text.replace(/#/g, () => String(integer(0, 9))),
  };
}
