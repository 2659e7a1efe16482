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

/** Returns the line of an address with its city: `26129 Oldenburg`, `London SW1A 2AA`. */
export function placeLine(address: Pick<Address, Part | 'country'>): string {
  const order = orders.get(address.country) ?? usual;
  return order
    .map((part) => address[part])
    .filter((text) => text !== null)
    .join(' ');
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
