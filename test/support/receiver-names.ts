// Names of receivers in tests, which ask no name server: texts of functions that run on the thread of deliveries.

export const noAddress = "(host, options, done) => done(new Error(host + ' has no address'), [])";

/**
 * Answers each look-up of any name with the next of these lists of addresses, and every later one with the
 * last list.
 */
export function addressesInTurn(...lists: readonly (readonly string[])[]): string {
  const found = lists.map((addresses) =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
  return `((lists) => (host, options, done) => {
    const [addresses] = lists.length > 1 ? lists.splice(0, 1) : lists;
    setImmediate(() => done(null, addresses));
  })(${JSON.stringify(found)})`;
}
