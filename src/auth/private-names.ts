// Names and addresses that are valid in one network only: no public authority issues certificates for them.
import { addressesIn, familyOf } from '../address-blocks.ts';

/** RFC 6761, RFC 6762, RFC 8375, and what ICANN has reserved for private use. */
export const privateDomains = ['localhost', 'local', 'home.arpa', 'internal'] as const;

/** RFC 1122, RFC 1918, RFC 3927, RFC 6598; RFC 4291 and RFC 4193. */
const privateNetworks = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '100.64.0.0/10',
  '::1/128',
  'fe80::/10',
  'fc00::/7',
] as const;

export const isPrivateAddress = addressesIn(privateNetworks);

type Block = { readonly bits: number; readonly bytes: Buffer };

export const privateBlocks: readonly Block[] = privateNetworks.map((network) => {
  const [address = '', bits] = network.split('/');
  return { bits: Number(bits), bytes: addressBytes(address) };
});

export function isPrivateDomain(name: string): boolean {
  return privateDomains.some((domain) => name === domain || name.endsWith(`.${domain}`));
}

/** Returns the 4 or 16 bytes of a valid address. */
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
