// Names the client of an address: everything that one customer of a provider may have counts as one client.
import { isIP } from 'node:net';

/** Returns the bucket of an address: an IPv6 address counts as its /48, the most that one customer gets. */
export function addressBucket(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const groups = head.split(':').filter((group) => group !== '');
  const after = tail === undefined ? [] : tail.split(':').filter((group) => group !== '');
  while (tail !== undefined && groups.length + after.length < 8) groups.push('0');
  return `${[...groups, ...after]
    .slice(0, 3)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/48`;
}
