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

/**
 * Returns whether an address is one of these, or in one of these CIDR blocks (RFC 4632). An IPv6 address with an
 * embedded IPv4 address is found as IPv6 and as IPv4.
 */
export function addressesIn(blocks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = '', bits] = block.split('/');
    if (bits === undefined) list.addAddress(network, familyOf(network));
    else list.addSubnet(network, Number(bits), familyOf(network));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

/** The family of a valid address. */
function familyOf(address: string): 'ipv4' | 'ipv6' {
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
  const bytes = addressBytes(address.replace(/%.*/, ''));
  return `${[0, 2, 4].map((offset) => bytes.readUInt16BE(offset).toString(16)).join(':')}::/48`;
}

/** Returns the 4 or 16 bytes of a valid address without a zone. */
export function addressBytes(address: string): Buffer {
  if (familyOf(address) === 'ipv4') return Buffer.from(address.split('.').map(Number));
  const { hostname } = new URL(`http://[${address}]`); // shortened, all numbers hexadecimal
  const [before = [], after = []] = hostname.slice(1, -1).split('::').map(splitGroups);
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  const groups = [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

function splitGroups(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
