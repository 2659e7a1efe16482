// The names and addresses that clients may use for this service: the subjects of its certificate.
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import type { Config } from '../config/config.ts';
import { hostOf } from '../address-blocks.ts';

/** DNS names and addresses, each once. */
type OwnNames = {
  readonly all: readonly string[];
  /** The configured ones; the machine may gain and lose the others. */
  readonly configured: readonly string[];
};

export type Machine = { readonly hostname: string; readonly addresses: readonly string[] };

const loopback: readonly string[] = ['localhost', '127.0.0.1', '::1'];
const unspecified: readonly string[] = ['0.0.0.0', '::'];
/** A machine with many containers has many addresses. */
const addressesMax = 50;

export function ownNames(
  { host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>,
  machine: Machine = thisMachine(),
): OwnNames {
  const configured = new Set(publicUrl === '' ? [] : [hostOf(new URL(publicUrl))]);
  if (isLoopback(host) && !loopback.includes(host)) configured.add(host);
  if (isLoopback(host)) return { all: union(configured, loopback), configured: [...configured] };
  if (!unspecified.includes(host)) configured.add(host.toLowerCase());
  const addresses = unspecified.includes(host) ? machine.addresses.slice(0, addressesMax) : [];
  const all = union(configured, loopback, machineNames(machine.hostname), addresses);
  return { all, configured: [...configured] };
}

/** Returns the names that other devices in the network can use: those of loopback lead to themselves. */
export function namesForOthers(config: Pick<Config, 'host' | 'publicUrl'>, machine: Machine): string[] {
  const isIPv4Alone = config.host === '0.0.0.0'; // `::` accepts both
  return ownNames(config, machine).all.filter(
    (name) => !isLoopback(name) && !(isIPv4Alone && isIP(name) === 6),
  );
}

/**
 * Returns the host name and, if it has no domain, the one that mDNS announces (RFC 6762). A machine may have
 * the name of a top-level domain, `shop` or `dev`: an attacker with the key of an authority for that name
 * could impersonate every site of that domain.
 */
function machineNames(name: string): string[] {
  const plain = name.toLowerCase();
  if (!/^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/.test(plain) || isIP(plain) !== 0) return [];
  if (plain.includes('.')) return [plain];
  return mayBeTopLevel.test(plain) ? [`${plain}.local`] : [plain, `${plain}.local`];
}

/** RFC 3696 section 2: no top-level domain has a digit or a hyphen, except in the encoding of RFC 5890. */
const mayBeTopLevel = /^(?:[a-z]+|xn--.+)$/;

export function thisMachine(): Machine {
  const addresses = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:')) // these need a zone
    .map(({ address }) => address);
  return { hostname: hostname(), addresses: addresses.toSorted() };
}

export function isLoopback(host: string): boolean {
  return loopback.includes(host) || host.startsWith('127.');
}

function union(...parts: readonly Iterable<string>[]): string[] {
  return [...new Set(parts.flatMap((part) => [...part]))];
}
