// Documents that are sent often. Each is compressed once with gzip (RFC 9110 section 8.4.1), and all
// responses share the bytes.
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { HeaderFields } from '../../base/header-fields.ts';
import { jsonCspFields } from './json-csp.ts';
import { jsonType } from './media-types.ts';
import type { Represents } from './representation.ts';

/** Shorter documents are not worth compressing. */
const compressedBytesMin = 1024;

/** A document, plain or compressed; each form has its own strong ETag. */
type Encoded = { readonly bytes: Buffer; readonly etag: string; readonly isCompressed: boolean };

/** A document that is created once and sent often; all responses share its bytes. */
export type SharedDocument<T> = Represents<T> & {
  readonly kind: 'shared document';
  readonly mediaType: string;
  /** Further header fields of this response. */
  readonly fields: HeaderFields;
  /** Takes Accept-Encoding. */
  readonly encoded: (accept: string | undefined) => Encoded;
};

type SharedOptions = { readonly mediaType?: string; readonly fields?: HeaderFields };

/** Compresses a value as JSON, like `sharedText`. */
export function sharedDocument<T>(value: T): Promise<SharedDocument<T>> {
  return sharedText(JSON.stringify(value));
}

/**
 * Compresses a text, or the bytes of a picture; handlers keep the result. If the text is a page for people, `fields` must have a
 * Content-Security-Policy.
 */
export async function sharedText(
  text: string | Buffer,
  { mediaType = jsonType, fields = jsonCspFields }: SharedOptions = {},
): Promise<SharedDocument<never>> {
  const encoded = await createEncodings(typeof text === 'string' ? Buffer.from(text) : text);
  return { kind: 'shared document', mediaType, fields, encoded };
}

const gzipped = promisify(gzip);

/**
 * Returns a function that chooses the form for a request's Accept-Encoding. Compresses on libuv's threads,
 * since a large document would hold the event loop for too long.
 */
async function createEncodings(bytes: Buffer): Promise<(accept: string | undefined) => Encoded> {
  const tag = hash('sha256', bytes, 'base64url').slice(0, 22);
  const plain: Encoded = { bytes, etag: `"${tag}"`, isCompressed: false };
  if (bytes.length < compressedBytesMin) return () => plain;
  const compressed: Encoded = { bytes: await gzipped(bytes), etag: `"${tag}-z"`, isCompressed: true };
  return (accept) => (acceptsGzip(accept) ? compressed : plain);
}

/** Whether Accept-Encoding (RFC 9110 section 12.5.3) names gzip, unless with a weight of zero. */
function acceptsGzip(accept = ''): boolean {
  const codings = accept.toLowerCase().split(',');
  return codings.some((coding) => /^[ \t]*gzip[ \t]*(?:;[ \t]*q=(?:1|0?\.0*[1-9]).*)?$/.test(coding));
}
