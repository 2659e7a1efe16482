// Which addresses count as one client: the smallest and the largest network that one customer of a provider
// has.
import { isIP } from 'node:net';

/** The bucket of an address: IPv6 by /64, since one customer gets at least that many addresses. */
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

/** The network of a bucket, as large as one customer of a provider may have: a /48 of IPv6, a /24 of IPv4. */
export function networkOf(bucket: string): string {
  if (isIpv6Bucket(bucket)) return `${bucket.split(':', 3).join(':')}::/48`;
  return `${bucket.split('.', 3).join('.')}.0/24`;
}

export function isIpv6Bucket(bucket: string): boolean {
  return bucket.endsWith('::/64');
}
