// The certificate the service makes for itself when it is given none: X.509 v3, P-256, for this machine only.
import { generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from 'node:crypto';

const dayMilliseconds = 86_400_000;
const daysDefault = 820; // systems refuse more than 825 (Apple's rule for certificates users trust themselves)
const pointBytes = 65; // an uncompressed P-256 point, at the end of its SubjectPublicKeyInfo

/**
 * A certificate for localhost, 127.0.0.1 and ::1 that is its own trust anchor, valid from a day before `now`
 * (milliseconds since 1970), for clocks that differ, until `days` after. It is no CA: whoever trusts it
 * and loses its key has lost this machine's name, not every name.
 */
export function selfSigned({ now, days = daysDefault }: { now: number; days?: number }): { certPem: string; keyPem: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = toBeSigned(publicKey, new Date(now - dayMilliseconds), new Date(now + days * dayMilliseconds));
  const certificate = sequence(body, ecdsaWithSha256(), bitString(0, sign('sha256', body, privateKey)));
  return { certPem: pem(certificate), keyPem: String(privateKey.export({ type: 'pkcs8', format: 'pem' })) };
}

/** TBSCertificate (RFC 5280 section 4.1). */
function toBeSigned(publicKey: KeyObject, from: Date, until: Date): Buffer {
  const name = sequence(der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from('localhost')))));
  const keyInfo = publicKey.export({ type: 'spki', format: 'der' });
  const version3 = der(0xa0, integer(Buffer.of(2)));
  const validity = sequence(time(from), time(until));
  const start = [version3, integer(serial()), ecdsaWithSha256(), name, validity, name];
  return sequence(...start, keyInfo, extensions(keyInfo.subarray(-pointBytes)));
}

function extensions(publicPoint: Buffer): Buffer {
  const keyId = hash('sha256', publicPoint, 'buffer').subarray(0, 20); // RFC 7093 section 2, method 1
  const addresses = [Buffer.of(127, 0, 0, 1), Buffer.alloc(16).fill(1, 15)].map((bytes) => der(0x87, bytes));
  return der(0xa3, sequence(
    critical('2.5.29.19', sequence()), // basicConstraints: not a CA
    critical('2.5.29.15', bitString(7, Buffer.of(0x80))), // keyUsage: digitalSignature
    extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'))), // extKeyUsage: serverAuth
    extension('2.5.29.17', sequence(der(0x82, Buffer.from('localhost')), ...addresses)), // subjectAltName
    extension('2.5.29.14', der(0x04, keyId)), // subjectKeyIdentifier
    extension('2.5.29.35', sequence(der(0x80, keyId))), // authorityKeyIdentifier
  ));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), der(0x04, value));
}

function critical(id: string, value: Buffer): Buffer {
  return sequence(oid(id), der(0x01, Buffer.of(0xff)), der(0x04, value));
}

function ecdsaWithSha256(): Buffer {
  return sequence(oid('1.2.840.10045.4.3.2'));
}

/** Its first byte is 0x40 to 0x7f: positive, and no leading zero to leave out. */
function serial(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = (bytes.readUInt8(0) & 0x3f) | 0x40;
  return bytes;
}

/** UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280 section 4.1.2.5). */
function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\.\d+|[-:T]/g, '');
  return date.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
}

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** Seven bits a byte, the high bit set on all but the last. */
function base128(value: number): number[] {
  return value < 128 ? [value] : [...base128(value >> 7).map((byte) => byte | 0x80), value & 0x7f];
}

function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes);
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

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').replace(/.{64}(?!$)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
