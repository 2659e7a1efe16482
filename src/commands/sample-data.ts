// The ingredients of sample data: people and places of many countries, the articles of a tea shop, and random picks.

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
AT EUR 1 - | Johanna Maximilian Lena Tobias | Gruber Huber Wagner Pichler
  | Mariahilfer Straße #, Bahnhofstraße # | Wien//10##, Graz//80##, Linz//40##
CH CHF 1.1 - | Laura Noah Mia Luca | Meier Keller Favre Bianchi
  | Seestrasse #, Dorfstrasse #, Rue du Lac # | Zürich//80##, Bern//30##, Genève//12##
FR EUR 1 +331990012## | Camille Louis Manon Jules | Martin Bernard Dubois Laurent
  | # rue des Lilas, # avenue Victor Hugo | Paris//750##, Lyon//6900#, Nantes//44#00
GB GBP 0.85 +442079460### | Olivia Harry Amelia George | Smith Jones Taylor Patel
  | # High Street, # Station Road, # Church Lane
  | London//SW1A #AA, Manchester//M1 #AE, Edinburgh//EH1 #BB
NL EUR 1 - | Emma Daan Sanne Bram | de Vries, van Dijk, Bakker, Visser
  | Prinsengracht #, Kerkstraat # | Amsterdam//10## BX, Utrecht//35## GK, Groningen//97## JA
SE SEK 11.4 +4684650040# | Alice Liam Maja William | Andersson Johansson Lindberg Nyström
  | Storgatan #, Skolgatan # | Stockholm//111 ##, Göteborg//411 ##, Uppsala//753 ##
PL PLN 4.3 - | Zuzanna Antoni Hanna Jakub | Nowak Kowalska Wiśniewski Zielińska
  | ul. Polna #, ul. Leśna # | Warszawa//00-###, Kraków//30-###, Gdańsk//80-###
US USD 1.1 +151255501## | Emma Liam Ava Noah | Johnson Williams Garcia Nguyen
  | # Maple Street, # Oak Avenue, # Lakeview Drive
  | Austin/TX/787##, Portland/OR/972##, Chicago/IL/606##, New York/NY/100##
BR BRL 6 - | Helena Miguel Alice Davi | Oliveira Souza Lima Carvalho
  | Rua das Acácias #, Avenida Brasil # | São Paulo/SP/01###-###, Curitiba/PR/80###-###
JP JPY 1.6 - | Yui Haruto Aoi Sōta | Satō Suzuki Takahashi Tanaka
  | #-2 Sakuragaoka, #-7 Honmachi | Setagaya-ku/Tōkyō/154-00##, Kita-ku/Ōsaka/530-00##
AU AUD 1.65 +6125550#### | Isla Jack Matilda Cooper | Brown Wilson Thompson Nguyen
  | # George Street, # Beach Road | Sydney/NSW/20##, Melbourne/VIC/30##, Brisbane/QLD/40##
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
    familyNames: familyNames.split(familyNames.includes(',') ? ', ' : ' '),
    places: places.split(', ').map((place) => {
      const [city = '', region = '', postalCode = ''] = place.split('/');
      return { city, region: region === '' ? null : region, postalCode };
    }),
  };
}

/** Number, name, price in euro cents. */
export const sampleArticles: readonly (readonly [sku: string, name: string, cents: number])[] = [
  ['TEA-250', 'Green tea, 250 g', 749],
  ['TEA-251', 'Earl Grey, 250 g', 690],
  ['TEA-252', 'Rooibos, 250 g', 595],
  ['TEA-500', 'Assam, 500 g', 1290],
  ['TEA-510', 'Darjeeling first flush, 100 g', 1650],
  ['TEA-520', 'Matcha, 30 g', 2190],
  ['TEA-600', 'Camomile, 20 bags', 349],
  ['TEA-610', 'Peppermint, 20 bags', 329],
  ['POT-100', 'Teapot, cast iron, 0.8 l', 5900],
  ['POT-110', 'Teapot, glass, 1.2 l', 3450],
  ['POT-200', 'Kettle, 1.7 l', 4990],
  ['CUP-010', 'Cup and saucer', 1450],
  ['CUP-020', 'Mug, stoneware', 1190],
  ['CUP-030', 'Thermos cup, 0.4 l', 2390],
  ['SET-001', 'Gift box “Four seasons”', 3990],
  ['ACC-001', 'Strainer, stainless steel', 890],
  ['ACC-002', 'Paper filters, 100', 420],
  ['ACC-003', 'Tea caddy, 250 g', 990],
  ['ACC-004', 'Kitchen timer', 1250],
  ['ACC-005', 'Bamboo whisk', 1790],
  ['SWT-001', 'Candy sugar, 500 g', 379],
  ['SWT-002', 'Honey, 350 g', 850],
  ['SWT-003', 'Shortbread, 160 g', 495],
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
