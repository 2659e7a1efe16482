// Names of receivers in tests, which ask no name server.
import type { AddressLookup } from '../../src/network/address-lookups.ts';

export const noAddress: AddressLookup = (host, _options, done) =>
  done(new Error(`${host} has no address`), []);

/**
 * Answers each look-up of any name with the next of these lists of addresses, and every later one with the
 * last list.
 */
export function addressesInTurn(...lists: readonly (readonly string[])[]): AddressLookup & { count: number } {
  const lookup = Object.assign(
    ((_host, _options, done) => {
      const addresses = lists[Math.min(lookup.count, lists.length - 1)] ?? [];
      lookup.count += 1;
      const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      setImmediate(() => done(null, found));
    }) satisfies AddressLookup as AddressLookup,
    { count: 0 },
  );
  return lookup;
}
