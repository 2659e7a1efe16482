// The order of postal code, city and region in the addresses of each country, in Latin letters, and which have a region.
// From the data of google/libaddressinput (Apache-2.0), which the service checks postal codes by.
import type { Address } from './api-types.ts';

type Part = 'postalCode' | 'city' | 'region';
type Order = readonly [Part, Part, Part];

/** The order in countries that `others` doesn't name. */
const usual: Order = ['postalCode', 'city', 'region'];

const others: readonly (readonly [order: Order, countries: string])[] = [
  [
    ['city', 'region', 'postalCode'],
    `AC AF AI AS AU BB BD BH BM BN BR BT CA CC CK CN CO CU CX EG FK FM GB GG GI GS GU HM HN HU ID IE IL IM IO IQ
    JE JO JP KE KH KP KR KY LB LK LS MH MM MN MP MT MV NA NF NP NZ PK PN PR PW RU SA SD SG SH SO SZ TA TC TH TW
    UA UM US VC VG VI VN ZA`,
  ],
  [['city', 'postalCode', 'region'], 'IN NG PE PG PH VE'],
  [['region', 'city', 'postalCode'], 'CR IR LV'],
  [['postalCode', 'region', 'city'], 'KZ RO'],
];

const orders: ReadonlyMap<string, Order> = new Map(
  others.flatMap(([order, countries]) => countries.split(/\s+/).map((country) => [country, order] as const)),
);

/** Returns an address's city on one line: `26129 Oldenburg`, `London SW1A 2AA`. */
export function placeLine(address: Pick<Address, Part | 'country'>): string {
  const order = orders.get(address.country) ?? usual;
  return order
    .map((part) => address[part])
    .filter((text) => text !== null)
    .join(' ');
}

/** Where the postal code has a line of its own, below all others. */
const withCodeBelow: ReadonlySet<string> = new Set(
  'AC AF AI BR CR CU EG FK GB GG GI GS HN HU IE IM IO IQ IR JE JP KE KR LK NA PN RU SD SH SZ TA TC UA VG ZA'.split(
    ' ',
  ),
);

/** Returns the last lines of an address before its country. */
export function placeLines(address: Pick<Address, Part | 'country'>): readonly (string | null)[] {
  if (!withCodeBelow.has(address.country)) return [placeLine(address)];
  return [placeLine({ ...address, postalCode: null }), address.postalCode];
}

const withRegion: ReadonlySet<string> = new Set(
  `AE AM AR AS AU BB BR BS BY CA CC CL CN CO CR CU CV CX EE EG ES FM HK HM HN ID IE IN IQ IR IT JM JP KI KN KP KR KY KZ
  LT LV MH MN MP MX MY MZ NF NG NI NR PA PE PF PG PH PW RO RU SC SO SR SV TH TR TV TW UA UM US UY UZ VE VI VN`.split(
    /\s+/,
  ),
);

/** Whether addresses in the country name a region, such as a state or a province. */
export function hasRegion(country: string): boolean {
  return withRegion.has(country);
}
