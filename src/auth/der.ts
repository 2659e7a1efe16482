// The parts of DER (ITU-T X.690), the encoding of X.509 certificates, that `certificate.ts` needs.

export function sequence(...members: readonly Buffer[]): Buffer {
  return der(0x30, ...members);
}

/**
 * The first byte is 40 times the first number plus the second. Numbers from 128 on take several bytes of
 * seven bits each.
 */
export function oid(...bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.of(...bytes));
}

export function integer(...bytes: readonly number[]): Buffer {
  return der(0x02, Buffer.of(...bytes));
}

export function bitString(unusedBits: number, bytes: Buffer): Buffer {
  return der(0x03, Buffer.of(unusedBits), bytes);
}

/** UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280 section 4.1.2.5). */
export function time(milliseconds: number): Buffer {
  const date = new Date(milliseconds);
  const digits = date.toISOString().replace(/\.\d+|[-:T]/g, '');
  return date.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(digits.slice(2)))
    : der(0x18, Buffer.from(digits));
}

export function der(tag: number, ...members: readonly Buffer[]): Buffer {
  const value = Buffer.concat(members);
  return Buffer.concat([Buffer.of(tag, ...encodeLength(value)), value]);
}

function encodeLength({ length }: Buffer): number[] {
  if (length < 128) return [length];
  return length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
