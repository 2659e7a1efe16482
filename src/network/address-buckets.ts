// Groups the addresses that count as one client: the smallest and the largest network of one customer of a
// provider.
import { isIP } from 'node:net';

/** Returns the bucket of an address: an IPv6 address counts as its /64, the least that a customer gets. */
export function addressBucket(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const groups = head.split(':').filter((group) => group !== '');
  const after = tail === undefined ? [] : tail.split(':').filter((group) => group !== '');
  while (tail !== undefined && groups.length + after.length < 8) groups.push('0');
  return `${[...groups, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** Returns the largest network that one customer may have around a bucket: a /48 of IPv6, a /24 of IPv4. */
export function networkOf(bucket: string): string {
  if (isIpv6Bucket(bucket)) return `${bucket.split(':', 3).join(':')}::/48`;
  return `${bucket.split('.', 3).join('.')}.0/24`;
}

export function isIpv6Bucket(bucket: string): boolean {
  return bucket.endsWith('::/64');
}
