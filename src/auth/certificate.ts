// The certificate the service makes for itself when it is given none: X.509 v3, P-256, for this machine only.
import { generateKeyPairSync, hash, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';

const dayMilliseconds = 86_400_000;
/** Apple's systems reject more than 825 for certificates that users trust themselves. */
const daysDefault = 820;
const pointBytes = 65; // an uncompressed P-256 point, at the end of its SubjectPublicKeyInfo

/**
 * A certificate for localhost, 127.0.0.1 and ::1 that is its own trust anchor, valid from a day before `now`
 * (milliseconds since 1970), for clocks that differ, until `days` after. It is no CA: whoever trusts it
 * and loses its key has lost this machine's name, not every name.
 */
export function selfSigned({ now, days = daysDefault }: { now: number; days?: number }): {
  certPem: string;
  keyPem: string;
} {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = toBeSigned(publicKey, new Date(now - dayMilliseconds), new Date(now + days * dayMilliseconds));
  const certificate = sequence(body, ecdsaWithSha256(), bitString(0, sign('sha256', body, privateKey)));
  return {
    certPem: new X509Certificate(certificate).toString(),
    keyPem: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

/** TBSCertificate (RFC 5280 section 4.1). */
function toBeSigned(publicKey: KeyObject, from: Date, until: Date): Buffer {
  // commonName, 2.5.4.3
  const name = sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from('localhost')))));
  const keyInfo = publicKey.export({ type: 'spki', format: 'der' });
  const version3 = der(0xa0, integer(2));
  const serial = integer(0x40, ...randomBytes(15)); // positive by its first byte
  const validity = sequence(time(from), time(until));
  return sequence(
    version3,
    serial,
    ecdsaWithSha256(),
    name,
    validity,
    name,
    keyInfo,
    extensions(keyInfo.subarray(-pointBytes)),
  );
}

function extensions(publicPoint: Buffer): Buffer {
  const keyId = hash('sha256', publicPoint, 'buffer').subarray(0, 20); // RFC 7093 section 2, method 1
  const addresses = [Buffer.of(127, 0, 0, 1), Buffer.alloc(16).fill(1, 15)].map((bytes) => der(0x87, bytes));
  const critical = der(0x01, Buffer.of(0xff));
  return der(
    0xa3,
    sequence(
      extension(19, sequence(), critical), // basicConstraints: not a CA
      extension(15, bitString(7, Buffer.of(0x80)), critical), // keyUsage: digitalSignature
      extension(37, sequence(oid(0x2b, 6, 1, 5, 5, 7, 3, 1))), // extKeyUsage: serverAuth, 1.3.6.1.5.5.7.3.1
      extension(17, sequence(der(0x82, Buffer.from('localhost')), ...addresses)), // subjectAltName
      extension(14, der(0x04, keyId)), // subjectKeyIdentifier
      extension(35, sequence(der(0x80, keyId))), // authorityKeyIdentifier
    ),
  );
}

/** `number` stands below id-ce, 2.5.29. */
function extension(number: number, value: Buffer, ...flags: readonly Buffer[]): Buffer {
  return sequence(oid(0x55, 0x1d, number), ...flags, der(0x04, value));
}

/** 1.2.840.10045.4.3.2 */
function ecdsaWithSha256(): Buffer {
  return sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2));
}

/** UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280 section 4.1.2.5). */
function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\.\d+|[-:T]/g, '');
  return date.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(digits.slice(2)))
    : der(0x18, Buffer.from(digits));
}

/**
 * Its first byte is 40 times the first number and the second; numbers from 128 on take more bytes, seven bits
 * each.
 */
function oid(...bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.of(...bytes));
}

function integer(...bytes: readonly number[]): Buffer {
  return der(0x02, Buffer.of(...bytes));
}

function bitString(unusedBits: number, bytes: Buffer): Buffer {
  return der(0x03, Buffer.of(unusedBits), bytes);
}

function sequence(...members: readonly Buffer[]): Buffer {
  return der(0x30, ...members);
}

function der(tag: number, ...members: readonly Buffer[]): Buffer {
  const value = Buffer.concat(members);
  return Buffer.concat([Buffer.of(tag, ...lengthOf(value)), value]);
}

function lengthOf({ length }: Buffer): number[] {
  if (length < 128) return [length];
  return length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
