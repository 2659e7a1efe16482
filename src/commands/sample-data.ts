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
IE EUR 1 - | Saoirse Conor Aoife Cian | Murphy Kelly Byrne Walsh
  | # Main Street, # Harbour View | Dublin//D02 X##5, Cork//T12 R##8
NL EUR 1 - | Emma Daan Sanne Bram | de Vries, van Dijk, Bakker, Visser
  | Prinsengracht #, Kerkstraat # | Amsterdam//10## BX, Utrecht//35## GK, Groningen//97## JA
BE EUR 1 - | Louise Arthur Noor Lucas | Peeters Janssens Maes Lambert
  | Rue de la Loi #, Kerkstraat # | Bruxelles//10##, Gent//90##, Liège//40##
ES EUR 1 - | Lucía Hugo Martina Pablo | García Martínez López Sánchez
  | Calle Mayor #, Calle del Sol # | Madrid//280##, Barcelona//080##, Valencia//460##
PT EUR 1 - | Maria João Beatriz Tiago | Silva Santos Ferreira Pereira
  | Rua Augusta #, Rua das Flores # | Lisboa//1100-###, Porto//4000-###
IT EUR 1 - | Giulia Leonardo Sofia Matteo | Rossi Russo Ferrari Esposito
  | Via Roma #, Via Garibaldi # | Roma/RM/001##, Milano/MI/201##, Torino/TO/101##
SE SEK 11.4 +4684650040# | Alice Liam Maja William | Andersson Johansson Lindberg Nyström
  | Storgatan #, Skolgatan # | Stockholm//111 ##, Göteborg//411 ##, Uppsala//753 ##
NO NOK 11.7 - | Nora Jakob Ingrid Emil | Hansen Olsen Larsen Berg
  | Storgata #, Kirkeveien # | Oslo//01##, Bergen//50##
DK DKK 7.5 - | Ida Oscar Freja Viggo | Nielsen Jensen Pedersen Møller
  | Vestergade #, Nørregade # | København K//10##, Aarhus C//80##
FI EUR 1 - | Aino Väinö Helmi Eino | Korhonen Virtanen Mäkinen Nieminen
  | Mannerheimintie #, Koulukatu # | Helsinki//001##, Tampere//331##
PL PLN 4.3 - | Zuzanna Antoni Hanna Jakub | Nowak Kowalska Wiśniewski Zielińska
  | ul. Polna #, ul. Leśna # | Warszawa//00-###, Kraków//30-###, Gdańsk//80-###
CZ CZK 25 - | Eliška Jakub Tereza Matěj | Novák Svoboda Dvořák Černý
  | Dlouhá #, Husova # | Praha//110 ##, Brno//602 ##
US USD 1.1 +151255501## | Emma Liam Ava Noah | Johnson Williams Garcia Nguyen
  | # Maple Street, # Oak Avenue, # Lakeview Drive
  | Austin/TX/787##, Portland/OR/972##, Chicago/IL/606##, New York/NY/100##
CA CAD 1.5 +141655501## | Charlotte Benjamin Chloé William | Tremblay Singh Campbell Roy
  | # Queen Street, # rue Principale | Toronto/ON/M5V #T#, Montréal/QC/H3Z #Y#, Vancouver/BC/V6B #A#
MX MXN 20 - | Valentina Santiago Camila Mateo | Hernández González Pérez Ramírez
  | Av. Juárez #, Calle Hidalgo # | Ciudad de México/CDMX/06###, Guadalajara/JAL/44###
BR BRL 6 - | Helena Miguel Alice Davi | Oliveira Souza Lima Carvalho
  | Rua das Acácias #, Avenida Brasil # | São Paulo/SP/01###-###, Curitiba/PR/80###-###
JP JPY 1.6 - | Yui Haruto Aoi Sōta | Satō Suzuki Takahashi Tanaka
  | #-2 Sakuragaoka, #-7 Honmachi | Setagaya-ku/Tōkyō/154-00##, Kita-ku/Ōsaka/530-00##
KR KRW 15 - | Seo-yeon Min-jun Ji-woo Do-yun | Kim Lee Park Choi
  | # Sejong-daero, # Haeundae-ro | Seoul//110-###, Busan//601-###
IN INR 92 - | Aanya Vihaan Diya Arjun | Sharma Iyer Reddy Banerjee
  | # MG Road, # Park Street | Mumbai/MH/4000##, Bengaluru/KA/5600##, Kolkata/WB/7000##
AU AUD 1.65 +6125550#### | Isla Jack Matilda Cooper | Brown Wilson Thompson Nguyen
  | # George Street, # Beach Road | Sydney/NSW/20##, Melbourne/VIC/30##, Brisbane/QLD/40##
NZ NZD 1.8 - | Aria Nikau Mila Leo | Wilson Ngata Clark Harris
  | # Queen Street, # Hill Road | Auckland//10##, Wellington//60##
ZA ZAR 20 - | Lethabo Johan Naledi Pieter | Dlamini Botha Nkosi Naidoo
  | # Long Street, # Protea Road | Cape Town//80##, Durban//40##
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
    /** Returns one of the first `count` values; by default one of all values. */
    pick: <T>(values: readonly T[], count = values.length) => values[integer(0, count - 1)] as T,
    /** Replaces each # with a digit. */
    digits: (text: string) => text.replace(/#/g, () => String(integer(0, 9))),
  };
}
