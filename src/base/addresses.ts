// IP addresses: whether a list of blocks contains one, the one in a URL, and the network that a client counts
// as.
import type { LookupAddress } from 'node:dns';
import { BlockList, isIP } from 'node:net';

/** Finds all addresses of a name, like `dns.lookup`: two names at the same time, on half of libuv's threads. */
export type AddressLookup = (
  host: string,
  options: { readonly all: true },
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** Returns whether an address is in one of the blocks; `blockListOf` describes them. */
export function addressesIn(blocks: readonly string[]): (address: string) => boolean {
  const list = blockListOf(blocks);
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

/**
 * Returns the list of these addresses and CIDR blocks (RFC 4632). An IPv6 address with an embedded IPv4
 * address matches as IPv6 and as IPv4.
 */
export function blockListOf(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = '', bits] = block.split('/');
    if (bits === undefined) list.addAddress(network, familyOf(network));
    else list.addSubnet(network, Number(bits), familyOf(network));
  }
  return list;
}

/** The family of a valid address. */
export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** Returns the host without the brackets around an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/**
 * Returns the network by which a client is counted: an IPv4 address itself, or the /48 of an IPv6 address,
 * the most that one customer gets.
 */
export function networkOf(address: string): string {
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
