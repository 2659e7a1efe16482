// Bytes that several parsers of this folder look for or begin with.

export const noBytes = Buffer.alloc(0);
export const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Whether the byte is a capital letter of ASCII. */
export function isCapital(byte = 0): boolean {
  return byte >= 0x41 && byte <= 0x5a;
}

export function isLineBreaks(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== carriageReturn && byte !== lineFeed) return false;
  return true;
}
