// Documents that don't change: all responses share their bytes, plain and compressed.
import { hash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { compressedBytesMin } from '../limits.ts';

export type Coding = 'identity' | 'gzip' | 'br';

/** A document in one coding; each coding has a strong ETag of its own. */
export type Encoded = { readonly coding: Coding; readonly bytes: Buffer; readonly etag: string };

/** The codings other than identity, the preferred first. */
export const codings = ['br', 'gzip'] as const;

const compress: Readonly<Record<(typeof codings)[number], (bytes: Buffer) => Buffer>> = {
  // a level that takes milliseconds: the best one takes half a second of the event loop
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (bytes) => gzipSync(bytes),
};

/** Encodes when a coding is first requested, and caches the result. */
export function createEncodings(bytes: Buffer): (coding: Coding) => Encoded {
  const tag = hash('sha256', bytes, 'base64url').slice(0, 22);
  const plain: Encoded = { coding: 'identity', bytes, etag: `"${tag}"` };
  const made = new Map<Coding, Encoded>([['identity', plain]]);
  return (coding) => {
    if (coding === 'identity' || bytes.length < compressedBytesMin) return plain;
    const encodedBefore = made.get(coding);
    if (encodedBefore !== undefined) return encodedBefore;
    const encoded = { coding, bytes: compress[coding](bytes), etag: `"${tag}-${coding}"` };
    made.set(coding, encoded);
    return encoded;
  };
}
