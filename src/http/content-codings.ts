// Encodes documents in each content coding (RFC 9110 section 8.4.1) once: all responses share the bytes.
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { compressedBytesMin } from '../limits.ts';

export type Coding = 'identity' | 'gzip' | 'br';

/** A document in one coding; each coding has its own strong ETag. */
export type Encoded = { readonly coding: Coding; readonly bytes: Buffer; readonly etag: string };

/** The codings other than identity, in the order of preference. */
export const codings = ['br', 'gzip'] as const;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
// the best quality would take half a second
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/** Compresses on libuv's threads, since a document may take longer than a turn of the event loop should. */
export async function createEncodings(bytes: Buffer): Promise<(coding: Coding) => Encoded> {
  const tag = hash('sha256', bytes, 'base64url').slice(0, 22);
  const identity: Encoded = { coding: 'identity', bytes, etag: `"${tag}"` };
  if (bytes.length < compressedBytesMin) return () => identity;
  const [asBrotli, asGzip] = await Promise.all([brotli(bytes, brotliOptions), gzipped(bytes)]);
  const encodings: Readonly<Record<Coding, Encoded>> = {
    identity,
    br: { coding: 'br', bytes: asBrotli, etag: `"${tag}-br"` },
    gzip: { coding: 'gzip', bytes: asGzip, etag: `"${tag}-gzip"` },
  };
  return (coding) => encodings[coding];
}
