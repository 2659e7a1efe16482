// Names of receivers in tests, which ask no name server.
import type { AddressLookup } from '../../src/base/addresses.ts';

export const noAddress: AddressLookup = (host, _options, done) =>
  done(new Error(`${host} has no address`), []);

/**
 * Answers each look-up of any name with the next of these lists of addresses, and every later one with the
 * last list.
 */
export function addressesInTurn(...lists: readonly (readonly string[])[]): AddressLookup {
  const found = lists.map((addresses) =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
  return (_host, _options, done) => {
    const [addresses = []] = found.length > 1 ? found.splice(0, 1) : found;
    setImmediate(() => done(null, addresses));
  };
}
