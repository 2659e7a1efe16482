// The service's own certificate, and the small authority that issues it. Each is created again if it is
// missing, about to expire, or lacks a name.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import {
  hasExactlyNames,
  issueCertificate,
  createAuthority,
  permits,
  type KeyPair,
} from '../auth/certificate.ts';
import { hostOf } from '../base/addresses.ts';
import { dayMilliseconds } from '../base/durations.ts';
import { isSane } from '../base/sane-clock.ts';
import type { Config } from '../config/config.ts';
import { createFolder, keepPrivate, replacePrivate } from '../storage/private-files.ts';

const renewMilliseconds = 30 * dayMilliseconds;
/** The authority is renewed early enough that no certificate outlives it. */
const renewAuthorityMilliseconds = 500 * dayMilliseconds;

type PairFiles = { readonly cert: string; readonly key: string };

function filesIn(data: string, cert: string, key: string): PairFiles {
  return { cert: join(data, 'tls', cert), key: join(data, 'tls', key) };
}

/** The certificate that devices install to trust the service. */
export function authorityFile(data: string): string {
  return join(data, 'tls', 'ca.pem');
}

/** A key pair, and a description of each file that was created for it. */
type EnsuredPair = { readonly pair: KeyPair; readonly created: readonly string[] };

/** Returns the key pair to serve with. */
export function ensureOwnCertificate(config: Config, now: number): EnsuredPair {
  const files = filesIn(config.dataFolder, 'cert.pem', 'key.pem');
  const current = readPair(files);
  try {
    const authority = ensureAuthority(config, now);
    const issuer = new X509Certificate(authority.pair.certPem);
    const names = certificateNames(config).all.filter((name) => permits(issuer, name));
    if (current !== undefined && isCurrent(current, { issuer, names, now }))
      return { pair: current, created: authority.created };
    const pair = issueCertificate(names, authority.pair, now);
    writePair(files, pair);
    return { pair, created: [...authority.created, `a certificate for ${names.join(', ')}: ${files.cert}`] };
  } catch (error) {
    if (current === undefined || !isValidUntil(current, now)) throw error;
    return { pair: current, created: [] }; // it is still valid
  }
}

/**
 * Returns the authority. Creates a new one only if the old one can't be used, since every device has to trust
 * a new authority.
 */
function ensureAuthority(config: Config, now: number): EnsuredPair {
  const files = filesIn(config.dataFolder, 'ca.pem', 'ca-key.pem');
  const current = readPair(files);
  const { all, configured } = certificateNames(config);
  if (current !== undefined && isValidUntil(current, now + renewAuthorityMilliseconds)) {
    const certificate = new X509Certificate(current.certPem);
    if (configured.every((name) => permits(certificate, name))) return { pair: current, created: [] };
  }
  const isFirst = !existsSync(files.cert) && !existsSync(files.key);
  const isDamaged = !isFirst && current === undefined;
  const why = isDamaged ? ', since the old one or its key was missing or damaged' : '';
  const pair = createAuthority(all, { now, owner: thisMachine().hostname });
  writePair(files, pair);
  const what = `a ${isFirst ? '' : 'new '}certificate authority${why}`;
  return { pair, created: [`${what}, for devices to trust: ${files.cert}`] };
}

type Wanted = {
  readonly issuer: X509Certificate;
  readonly names: readonly string[];
  readonly now: number;
};

function isCurrent(pair: KeyPair, { issuer, names, now }: Wanted): boolean {
  const certificate = new X509Certificate(pair.certPem);
  const isTooEarly = isSane(now) && certificate.validFromDate.getTime() > now; // the clock was set back
  return (
    !isTooEarly &&
    hasExactlyNames(certificate, names) &&
    isValidUntil(pair, now + renewMilliseconds) &&
    certificate.verify(issuer.publicKey)
  );
}

/**
 * Also accepts a certificate that begins in the future, since devices trust it: a machine without a battery
 * starts in 1970, until the network sets its clock.
 */
function isValidUntil({ certPem }: KeyPair, until: number): boolean {
  return new X509Certificate(certPem).validToDate.getTime() > until;
}

/**
 * Reads a key pair. Returns undefined if a file is missing or damaged, or if the key doesn't match the
 * certificate.
 */
function readPair({ cert, key }: PairFiles): KeyPair | undefined {
  if (!existsSync(cert) || !existsSync(key)) return undefined;
  keepPrivate(key);
  const [certPem, keyPem] = [readFileSync(cert, 'utf8'), readFileSync(key, 'utf8')];
  try {
    const isPair = new X509Certificate(certPem).checkPrivateKey(createPrivateKey(keyPem));
    return isPair ? { certPem, keyPem } : undefined;
  } catch {
    return undefined;
  }
}

function writePair(files: PairFiles, { certPem, keyPem }: KeyPair): void {
  createFolder(join(files.cert, '..'));
  replacePrivate(files.key, keyPem);
  replacePrivate(files.cert, certPem);
}

/** DNS names and addresses, each once. */
type CertificateNames = {
  readonly all: readonly string[];
  /** The configured names. The other names are the machine's, and may change. */
  readonly configured: readonly string[];
};

export type Machine = { readonly hostname: string; readonly addresses: readonly string[] };

const loopback: readonly string[] = ['localhost', '127.0.0.1', '::1'];
const unspecified: readonly string[] = ['0.0.0.0', '::'];
/** A machine with many containers has many addresses. */
const addressesMax = 50;

export function certificateNames(
  { host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>,
  machine: Machine = thisMachine(),
): CertificateNames {
  const configured = new Set(publicUrl === '' ? [] : [hostOf(new URL(publicUrl))]);
  if (isLoopback(host) && !loopback.includes(host)) configured.add(host);
  if (isLoopback(host)) return { all: union(configured, loopback), configured: [...configured] };
  if (!unspecified.includes(host)) configured.add(host.toLowerCase());
  const addresses = unspecified.includes(host) ? machine.addresses.slice(0, addressesMax) : [];
  const all = union(configured, loopback, machineNames(machine.hostname), addresses);
  return { all, configured: [...configured] };
}

/** Returns the names that other devices in the network can use: all but the names of loopback. */
export function namesForOtherDevices(config: Pick<Config, 'host' | 'publicUrl'>, machine: Machine): string[] {
  const isIPv4Alone = config.host === '0.0.0.0'; // `::` accepts both
  return certificateNames(config, machine).all.filter(
    (name) => !isLoopback(name) && !(isIPv4Alone && isIP(name) === 6),
  );
}

/**
 * Returns the host name and, if it has no domain, also its mDNS name (RFC 6762). Leaves out a host name that
 * may be a top-level domain, such as `shop` or `dev`: a thief of the authority's key could impersonate every
 * site of that domain.
 */
function machineNames(name: string): string[] {
  const plain = name.toLowerCase();
  if (!/^(?:(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!$)|$))+$/.test(plain) || isIP(plain) !== 0) return [];
  if (plain.includes('.')) return [plain];
  return mayBeTopLevel.test(plain) ? [`${plain}.local`] : [plain, `${plain}.local`];
}

/** RFC 3696 section 2: no top-level domain has a digit or a hyphen, except in the encoding of RFC 5890. */
const mayBeTopLevel = /^(?:[a-z]+|xn--.+)$/;

/** What a restricted process can't look up is unknown: without AF_NETLINK a service has no list of addresses. */
export function thisMachine(): Machine {
  const addresses = Object.values(orElse(networkInterfaces, {}))
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:')) // these need a zone
    .map(({ address }) => address);
  return { hostname: orElse(hostname, ''), addresses: addresses.toSorted() };
}

function orElse<T>(lookUp: () => T, unknown: T): T {
  try {
    return lookUp();
  } catch {
    return unknown;
  }
}

export function isLoopback(host: string): boolean {
  return loopback.includes(host) || host.startsWith('127.');
}

function union(...parts: readonly Iterable<string>[]): string[] {
  return [...new Set(parts.flatMap((part) => [...part]))];
}
