// The other end of a connection: the client's address, even behind trusted proxies, and whether it used TLS.
import { isIP, SocketAddress } from 'node:net';
import { Problem } from '../../problem.ts';
import type { RequestHeaders } from './request-fields.ts';

/** The socket's other end, which is the same for all requests of a connection. */
export type Peer = {
  readonly address: string;
  readonly isLoopback: boolean;
  readonly isTrusted: boolean;
  /** Whether this is the address of a trusted proxy. */
  readonly trusts: (address: string) => boolean;
};

export function peerOf(remoteAddress: string | undefined, trusts: (address: string) => boolean): Peer {
  const address = plainAddress(remoteAddress ?? '');
  const isLoopback = address === '::1' || address.startsWith('127.');
  return { address, isLoopback, isTrusted: trusts(address), trusts };
}

/** The fields that proxies add: any of them shows that a request came through a proxy. */
const forwardingFields = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
] as const;

function isProxied(fields: RequestHeaders): boolean {
  return forwardingFields.some((name) => fields[name] !== undefined);
}

/**
 * Whether a process of this machine sent the request: without a proxy, and to a local name (against DNS
 * rebinding).
 */
export function isFromThisMachine(peer: Peer, fields: RequestHeaders): boolean {
  return peer.isLoopback && !isProxied(fields) && localHost.test(fields['host'] ?? '');
}

const localHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d*)?$/i;

/** Accepts plain HTTP only from a local client, or from a trusted proxy that was itself reached by HTTPS. */
export function checkTransport(peer: Peer, fields: RequestHeaders): void {
  if (peer.isLoopback && !isProxied(fields)) return;
  if (peer.isTrusted && forwardedScheme(fields)?.toLowerCase() === 'https') return;
  const detail =
    'This service accepts HTTPS only: directly, or through a proxy that --trusted-proxy names and that sends ' +
    'X-Forwarded-Proto: https.';
  throw new Problem('tls-required', detail);
}

/** The trusted proxy added the last value; earlier ones may come from the client. */
function forwardedScheme(fields: RequestHeaders): string | undefined {
  if (!usesForwarded(fields)) return fields['x-forwarded-proto']?.split(',').at(-1)?.trim();
  const last = elementsOf(fields['forwarded'] ?? '').at(-1) ?? '';
  return /(?:^|;)[ \t]*proto=(\w+)/i.exec(last)?.[1];
}

/**
 * Forwarded counts only where the proxy sends neither X-Forwarded-For nor X-Forwarded-Proto: most proxies send
 * these, and pass on the Forwarded of a client.
 */
function usesForwarded(fields: RequestHeaders): boolean {
  return fields['x-forwarded-for'] === undefined && fields['x-forwarded-proto'] === undefined;
}

/**
 * Returns the elements of Forwarded (RFC 7239 section 4) without quotes. A client may have chosen a quoted text, such as
 * a host, so in it signs that would separate are replaced. Quotes are paired from the end, which the nearest proxy has
 * written. An element with a quote that is escaped or has no other one is empty.
 */
function elementsOf(forwarded: string): string[] {
  const parts = forwarded.split('"');
  const unpaired = parts.length % 2 === 0 ? '"' : '';
  const texts = parts.map((part, index) =>
    (parts.length - index) % 2 === 0 ? part.replaceAll(/[,;=\s]/g, '_') : part,
  );
  const elements = `${unpaired}${texts.join('')}`.split(',');
  return elements.map((element) => (/["\\]/.test(element) ? '' : element));
}

/**
 * Returns the nearest address that isn't a trusted proxy, since a client can invent all earlier ones; the
 * proxy's own address if the field names none.
 */
export function clientAddress({ address, isTrusted, trusts }: Peer, fields: RequestHeaders): string {
  if (!isTrusted) return address;
  const hops = usesForwarded(fields)
    ? elementsOf(fields['forwarded'] ?? '').map((element) => forForm.exec(element)?.[1] ?? '')
    : (fields['x-forwarded-for'] ?? '').split(',');
  return nearest(hops, trusts) ?? address;
}

/** The parameter `for` of an element of Forwarded. */
const forForm = /(?:^|;)[ \t]*for=([^;\s]*)[ \t]*(?:;|$)/i;

/** Returns undefined if a hop is no address, or if all hops are trusted proxies. */
function nearest(hops: readonly string[], isTrusted: (address: string) => boolean): string | undefined {
  for (const hop of hops.toReversed()) {
    const address = hopAddress(hop.trim());
    if (isIP(address) === 0) return undefined;
    if (!isTrusted(address)) return address;
  }
  return undefined;
}

/** Returns the address in `192.0.2.1:80`, `[2001:db8::1]:80` or `2001:db8::1`, spelled as sockets show it. */
function hopAddress(hop: string): string {
  const address = /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
  if (isIP(address) !== 6) return address;
  return plainAddress(new SocketAddress({ address, family: 'ipv6' }).address);
}

/** Returns an address unchanged, except for IPv4 that an IPv6 socket shows as `::ffff:192.0.2.1`. */
function plainAddress(text: string): string {
  return text.startsWith('::ffff:') && isIP(text.slice(7)) === 4 ? text.slice(7) : text;
}
