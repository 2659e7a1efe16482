// The service's own certificates (X.509 v3, P-256): a small authority, which devices trust once, and the
// certificates that it issues.
import {
  createPrivateKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import { addressBytes, addressesIn } from '../base/addresses.ts';
import { dayMilliseconds } from '../base/durations.ts';
import { clockFloor, notBeforeFloor } from '../base/sane-clock.ts';

const authorityMilliseconds = 20 * 365 * dayMilliseconds;
const certificateMilliseconds = 396 * dayMilliseconds;
/**
 * A certificate begins long before it is made: the clock may be ahead now, and be set back. Devices reject one
 * that is valid for more than 825 days in all.
 */
const aheadMilliseconds = 400 * dayMilliseconds;
const pointBytes = 65; // an uncompressed P-256 point, at the end of its SubjectPublicKeyInfo
const critical = der(0x01, Buffer.of(0xff));

/** A certificate and its private key, in PEM. */
export type KeyPair = { readonly certPem: string; readonly keyPem: string };

type CertificateBody = {
  readonly keyInfo: Buffer;
  readonly issuer: string;
  readonly subject: string;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly extensions: readonly Buffer[];
};

/**
 * Creates an authority whose certificates devices accept only for these names (DNS names and addresses), for
 * private domains and for private addresses: a thief of the authority's key can't impersonate any other site.
 * `owner` distinguishes the authority from others in a device's list. Times are milliseconds since 1970.
 */
export function createAuthority(
  names: readonly string[],
  { now, owner }: { readonly now: number; readonly owner: string },
): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyInfo = publicKey.export({ type: 'spki', format: 'der' });
  // only plain characters: issued certificates repeat the name, and Node would escape other characters
  const name = `orderly on ${owner.replace(/[^\w.-]/g, '-')}`.slice(0, 64);
  const body: CertificateBody = {
    keyInfo,
    issuer: name,
    subject: name,
    notBefore: clockFloor,
    notAfter: notBeforeFloor(now) + authorityMilliseconds,
    extensions: [
      extension(19, sequence(critical, derInteger(0)), critical), // basicConstraints: issues to servers only
      extension(15, bitString(2, Buffer.of(0x04)), critical), // keyUsage: keyCertSign
      serverAuthentication(),
      extension(30, sequence(der(0xa0, ...permittedSubtrees(names))), critical), // nameConstraints
      extension(14, der(0x04, keyIdentifier(keyInfo))), // subjectKeyIdentifier
    ],
  };
  return signCertificate(body, privateKey, privateKey);
}

/** Creates a server's certificate for these names, followed by the authority's own. */
export function issueCertificate(names: readonly string[], authority: KeyPair, now: number): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = new X509Certificate(authority.certPem);
  const keyInfo = publicKey.export({ type: 'spki', format: 'der' });
  const authorityKeyId = keyIdentifier(issuer.publicKey.export({ type: 'spki', format: 'der' }));
  const body: CertificateBody = {
    keyInfo,
    issuer: issuer.subject.replace(/^CN=/, ''),
    subject: 'orderly server', // no host name, which OpenSSL would check against the constraints
    notBefore: notBeforeFloor(now - aheadMilliseconds),
    notAfter: Math.min(notBeforeFloor(now) + certificateMilliseconds, issuer.validToDate.getTime()),
    extensions: [
      extension(19, sequence(), critical), // basicConstraints: no authority
      extension(15, bitString(7, Buffer.of(0x80)), critical), // keyUsage: digitalSignature
      serverAuthentication(),
      subjectAltName(names),
      extension(14, der(0x04, keyIdentifier(keyInfo))), // subjectKeyIdentifier
      extension(35, sequence(der(0x80, authorityKeyId))), // authorityKeyIdentifier
    ],
  };
  const issued = signCertificate(body, privateKey, createPrivateKey(authority.keyPem));
  return { ...issued, certPem: issued.certPem + authority.certPem };
}

/** Whether this authority's constraints permit certificates for a name. */
export function permits({ raw }: X509Certificate, name: string): boolean {
  if (isPrivate(name) || raw.includes(subtreeOf(name))) return true;
  const [, ...parents] = isIP(name) === 0 ? name.split('.') : [];
  return parents.some((_, index) => raw.includes(subtreeOf(parents.slice(index).join('.'))));
}

function isPrivate(name: string): boolean {
  if (isIP(name) !== 0) return isPrivateAddress(name);
  return privateDomains.some((domain) => name === domain || name.endsWith(`.${domain}`));
}

/** Whether a certificate is for exactly these names. */
export function hasExactlyNames({ raw }: X509Certificate, names: readonly string[]): boolean {
  return raw.includes(subjectAltName(names));
}

/** Certificate and TBSCertificate (RFC 5280 section 4.1). */
function signCertificate(body: CertificateBody, privateKey: KeyObject, signingKey: KeyObject): KeyPair {
  const toBeSigned = sequence(
    der(0xa0, derInteger(2)), // version 3
    derInteger(0x40, ...randomBytes(15)), // a serial number, positive by its first byte
    ecdsaWithSha256(),
    commonName(body.issuer),
    sequence(time(body.notBefore), time(body.notAfter)),
    commonName(body.subject),
    body.keyInfo,
    der(0xa3, sequence(...body.extensions)),
  );
  const signature = bitString(0, sign('sha256', toBeSigned, signingKey));
  return {
    certPem: new X509Certificate(sequence(toBeSigned, ecdsaWithSha256(), signature)).toString(),
    keyPem: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

/** 2.5.4.3; at most 64 characters (RFC 5280 appendix A). */
function commonName(text: string): Buffer {
  const value = der(0x0c, Buffer.from(text.slice(0, 64)));
  return sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), value)));
}

/** Returns a key identifier (RFC 7093 section 2, method 1). */
function keyIdentifier(keyInfo: Buffer): Buffer {
  return hash('sha256', keyInfo.subarray(-pointBytes), 'buffer').subarray(0, 20);
}

/** extKeyUsage: serverAuth, 1.3.6.1.5.5.7.3.1. */
function serverAuthentication(): Buffer {
  return extension(37, sequence(oid(0x2b, 6, 1, 5, 5, 7, 3, 1)));
}

function subjectAltName(names: readonly string[]): Buffer {
  const general = names.map((name) =>
    isIP(name) === 0 ? der(0x82, Buffer.from(name)) : der(0x87, addressBytes(name)),
  );
  return extension(17, sequence(...general));
}

function permittedSubtrees(names: readonly string[]): Buffer[] {
  const others = names.filter((name) => !isPrivate(name));
  return [...privateNetworks, ...privateDomains, ...others].map(subtreeOf);
}

/** GeneralSubtree (RFC 5280 section 4.2.1.10): a domain and its subdomains, an address, or a network. */
function subtreeOf(name: string): Buffer {
  const [address = '', bits = 128] = name.split('/');
  if (isIP(address) === 0) return sequence(der(0x82, Buffer.from(name)));
  const bytes = addressBytes(address);
  const maskOf = (index: number): number => 0xff00 >> Math.min(8, Math.max(0, Number(bits) - index * 8));
  return sequence(der(0x87, bytes, Buffer.from(bytes.map((_, index) => maskOf(index)))));
}

/** `number` is the extension's number below id-ce, 2.5.29. */
function extension(number: number, value: Buffer, ...flags: readonly Buffer[]): Buffer {
  return sequence(oid(0x55, 0x1d, number), ...flags, der(0x04, value));
}

/** 1.2.840.10045.4.3.2 */
function ecdsaWithSha256(): Buffer {
  return sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2));
}

/**
 * The private domains of RFC 6761, RFC 6762 and RFC 8375, and the one that ICANN reserved for private use.
 */
const privateDomains = ['localhost', 'local', 'home.arpa', 'internal'] as const;

/** The private networks of RFC 1122, RFC 1918, RFC 3927 and RFC 6598; for IPv6, of RFC 4291 and RFC 4193. */
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

const isPrivateAddress = addressesIn(privateNetworks);

function sequence(...members: readonly Buffer[]): Buffer {
  return der(0x30, ...members);
}

/**
 * Encodes an object identifier from its bytes. The first byte is 40 times the first number plus the second; a
 * number above 127 takes several bytes of seven bits.
 */
function oid(...bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.of(...bytes));
}

function derInteger(...bytes: readonly number[]): Buffer {
  return der(0x02, Buffer.of(...bytes));
}

function bitString(unusedBits: number, bytes: Buffer): Buffer {
  return der(0x03, Buffer.of(unusedBits), bytes);
}

/** UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280 section 4.1.2.5). */
function time(milliseconds: number): Buffer {
  const date = new Date(milliseconds);
  const digits = date.toISOString().replace(/\.\d+|[-:T]/g, '');
  return date.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(digits.slice(2)))
    : der(0x18, Buffer.from(digits));
}

function der(tag: number, ...members: readonly Buffer[]): Buffer {
  const value = Buffer.concat(members);
  return Buffer.concat([Buffer.of(tag, ...encodeLength(value)), value]);
}

function encodeLength({ length }: Buffer): number[] {
  if (length < 128) return [length];
  return length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
