// Restricts webhooks to public addresses over HTTPS, and addresses that the operator allows.
import { isIP } from 'node:net';
import { addressBytes, addressesIn, hostOf } from '../../base/addresses.ts';
import { counted } from '../../base/message-words.ts';

/** IPv4 addresses that no public receiver has: IANA's special-purpose registry, and a host inside Azure. */
const blockedIpv4 = [
  '0.0.0.0/8', // this network (RFC 791)
  '10.0.0.0/8', // private (RFC 1918)
  '100.64.0.0/10', // carrier-grade NAT (RFC 6598)
  '127.0.0.0/8', // loopback (RFC 1122)
  '168.63.129.16', // Azure's platform, from inside its virtual machines
  '169.254.0.0/16', // link-local, and the metadata of clouds (RFC 3927)
  '172.16.0.0/12', // private (RFC 1918)
  '192.0.0.0/24', // protocol assignments (RFC 6890)
  '192.0.2.0/24', // documentation (RFC 5737)
  '192.88.99.0/24', // 6to4 relays (RFC 7526)
  '192.168.0.0/16', // private (RFC 1918)
  '198.18.0.0/15', // benchmarks (RFC 2544)
  '198.51.100.0/24', // documentation (RFC 5737)
  '203.0.113.0/24', // documentation (RFC 5737)
  '224.0.0.0/4', // multicast (RFC 5771)
  '240.0.0.0/4', // reserved, and broadcast (RFC 1112, RFC 919)
];

/**
 * All IPv6 addresses outside of global unicast are blocked: loopback, link-local, unique local, multicast, and
 * embedded IPv4 addresses (mapped, compatible). An address of NAT64 (RFC 6052) is judged by the IPv4 address in it.
 */
const isGlobalUnicast = addressesIn(['2000::/3']);
const blockedIpv6 = [
  '2001::/23', // protocol assignments, Teredo and benchmarks among them (RFC 2928)
  '2001:db8::/32', // documentation (RFC 3849)
  '2002::/16', // 6to4, which embeds IPv4 (RFC 3056)
  '3fff::/20', // documentation (RFC 9637)
];

const isBlocked = addressesIn([...blockedIpv4, ...blockedIpv6]);

/** The length of a URL as it is stored. */
export const webhookUrlCharsMax = 2_000;

/** Names that mean the machine itself, regardless of resolvers (RFC 6761). */
const localhostForm = /^(.+\.)?localhost\.?$/;

export class WebhookTargets {
  readonly #isAllowed: (address: string) => boolean;
  readonly #allowsSome: boolean;

  /** `allowed` are addresses or CIDR blocks, checked with the configuration. */
  constructor(allowed: readonly string[]) {
    this.#isAllowed = addressesIn(allowed);
    this.#allowsSome = allowed.length > 0;
  }

  /** Whether a webhook may connect to this address; over HTTP only if the operator allows the address. */
  permits(address: string, protocol: string): boolean {
    const [withoutZone = ''] = address.split('%');
    if (isIP(withoutZone) === 0) return false;
    const plain = embeddedIn(withoutZone) ?? withoutZone;
    return this.#isAllowed(plain) || (protocol === 'https:' && isPublic(plain));
  }

  /** Returns a sentence if a URL is visibly wrong, otherwise undefined. */
  issueOf(text: string): string | undefined {
    const url = URL.parse(text);
    if (url === null || /[\s\p{Cc}\\]/u.test(text))
      return 'url must be a URL such as https://example.com/hook.';
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && this.#allowsSome))
      return 'url must begin with https://.';
    // also checks the text, since URL drops an empty user name
    if (url.username + url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text))
      return 'url must not contain a user name or a password.';
    if (text.includes('#')) return 'url must not have a fragment.';
    if (url.port === '0') return 'url must have a port from 1 to 65535, or none.';
    if (url.href.length > webhookUrlCharsMax)
      return `url must have at most ${counted(webhookUrlCharsMax, 'character')}, encoded as in a request.`;
    return this.#hostIssue(url);
  }

  #hostIssue(url: URL): string | undefined {
    const host = hostOf(url);
    const addresses = localhostForm.test(host)
      ? ['127.0.0.1', '::1']
      : [host].filter((each) => isIP(each) !== 0);
    if (addresses.length === 0) return undefined; // a name, whose addresses are checked with each connection
    if (addresses.some((address) => this.permits(address, url.protocol))) return undefined;
    const rule = url.protocol === 'https:' ? 'it is not public' : 'http:// is for allowed addresses only';
    return `url must not lead to ${host}: ${rule}, and --webhook-allow does not name it.`;
  }
}

function isPublic(address: string): boolean {
  return !isBlocked(address) && (isIP(address) === 4 || isGlobalUnicast(address));
}

const nat64 = Buffer.from('0064ff9b0000000000000000', 'hex');

/** Returns the IPv4 address that an address of NAT64 embeds (64:ff9b::/96). */
function embeddedIn(address: string): string | undefined {
  const bytes = addressBytes(address);
  return bytes.length === 16 && bytes.subarray(0, 12).equals(nat64)
    ? bytes.subarray(12).join('.')
    : undefined;
}
