// Negotiates media types (RFC 9110 section 12.5.1), and checks the Content-Type of bodies.
import { Problem } from '../../problem.ts';
import type { RequestHeaders } from '../connections/request-fields.ts';
import { acceptPatch, bodyTypesOf, jsonType } from '../responses/media-types.ts';

/**
 * Returns the offered media type that the client prefers, by default the first. Throws 406 if the client
 * accepts none of them. A response without content offers none, and is never 406.
 */
export function chooseMediaType(accept: string | undefined, offered: readonly string[]): string {
  const [first = jsonType] = offered;
  if (accept === undefined || accept === '' || accept === '*/*' || accept === first) return first;
  if (offered.length === 0) return first;
  const chosen = findPreferred(accept, offered);
  if (chosen !== undefined) return chosen;
  const detail = `None of the media types in Accept is available. Available: ${offered.join(', ')}.`;
  throw new Problem('not-acceptable', detail);
}

function findPreferred(accept: string, offered: readonly string[]): string | undefined {
  const ranges = splitOutsideQuotes(accept, ',')
    .map(parseRange)
    .filter((range) => range !== undefined);
  let best: string | undefined;
  let bestQuality = 0;
  for (const type of offered) {
    const quality = qualityOf(type, ranges);
    if (quality > bestQuality) [best, bestQuality] = [type, quality];
  }
  return best;
}

/** A weight as in RFC 9110 section 12.4.2, or as old Java clients send it, such as `q=.2`. */
const weightForm = /^q=(0(?:\.\d{0,3})?|\.\d{1,3}|1(?:\.0{0,3})?)$/;

type MediaRange = { readonly type: string; readonly parameters: readonly string[]; readonly quality: number };

function parseRange(text: string): MediaRange | undefined {
  const [type = '', ...parameters] = splitParameters(text);
  if (!/^(\*\/\*|[\w!#$&^.+-]+\/(\*|[\w!#$&^.+-]+))$/.test(type)) return undefined;
  const range = { type, parameters: [] as string[], quality: 1 };
  for (const parameter of parameters) {
    const weight = weightForm.exec(parameter)?.[1];
    if (weight !== undefined) range.quality = Number(weight);
    else if (parameter.startsWith('q=') || !parameterForm.test(parameter)) return undefined;
    else range.parameters.push(parameter);
  }
  return range;
}

/** Returns the quality of the most specific range that matches, and of several the highest. */
function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  const [plain = '', ...parameters] = splitParameters(type);
  let [quality, found] = [0, 0];
  for (const range of ranges) {
    const rank = rankOf(range, plain, parameters);
    if (rank === 0 || rank < found) continue;
    quality = rank > found ? range.quality : Math.max(quality, range.quality);
    found = rank;
  }
  return quality;
}

/**
 * How specific a range is for a media type; 0 if it doesn't match. Parameters that the type doesn't have only
 * make the range less specific: a client that names a version or a profile can mostly read what there is.
 */
function rankOf(range: MediaRange, plain: string, parameters: readonly string[]): number {
  if (range.type === '*/*') return 1;
  if (range.type.endsWith('/*')) return plain.startsWith(range.type.slice(0, -1)) ? 2 : 0;
  if (range.type !== plain) return 0;
  const isServed = (sent: string): boolean => charsetForm.test(sent) || parameters.includes(unquoted(sent));
  return range.parameters.every(isServed) ? 4 + range.parameters.length : 3;
}

function unquoted(parameter: string): string {
  return parameter.replace(/="(.*)"$/, '=$1');
}

/** Throws 415 unless the body has a supported type, in UTF-8, without a content coding. */
export function checkContentType(
  headers: RequestHeaders,
  method: string,
  supported = bodyTypesOf(method),
): void {
  if (!noCodingForm.test(headers['content-encoding'] ?? '')) throw unsupportedCoding(method);
  const contentType = headers['content-type'] ?? '';
  if (supported.includes(contentType) || isSupported(contentType, supported)) return;
  const accepted = method === 'PATCH' ? patchFields : ['Accept', supported.join(', ')];
  const detail = `Content-Type must be ${supported.join(' or ')}, in UTF-8.`;
  throw new Problem('unsupported-media-type', detail, { accepted });
}

/** `identity`, which some clients send, is no coding (RFC 9110 section 12.5.3). */
const noCodingForm = /^(?:identity|[ \t,])*$/i;

const patchFields = ['Accept-Patch', acceptPatch];

function unsupportedCoding(method: string): Problem {
  const detail = 'Content-Encoding is not supported in requests; send the body uncompressed.';
  const accepted = ['Accept-Encoding', 'identity'];
  if (method === 'PATCH') accepted.push(...patchFields);
  return new Problem('unsupported-media-type', detail, { accepted });
}

/** Returns the media type of a Content-Type, without its parameters. */
export function mediaTypeOf(contentType = ''): string | undefined {
  return splitParameters(contentType)[0];
}

function isSupported(contentType: string, supported: readonly string[]): boolean {
  const [type = '', ...parameters] = splitParameters(contentType);
  return supported.includes(type) && parameters.every(isParameterOfUtf8);
}

/** Parameters other than charset are ignored, since JSON defines none (RFC 8259 section 11). */
function isParameterOfUtf8(parameter: string): boolean {
  const name = parameterForm.exec(parameter)?.[1];
  return name !== undefined && (name !== 'charset' || charsetForm.test(parameter));
}

const parameterForm = /^([\w!#$%&'*+.^`|~-]+)=(?:[\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*")$/;
/** Java and PHP know UTF-8 as `utf8`, too. */
const charsetForm = /^charset=(?:utf-?8|"utf-?8")$/;

/** Returns a media type and its parameters, in lower case. */
function splitParameters(text: string): string[] {
  const parts = splitOutsideQuotes(text, ';').map((part) => part.trim().toLowerCase());
  return parts.filter((part) => part !== '');
}

/** Splits a field's value at each separator that is not in a quoted string (RFC 9110 section 5.6.4). */
function splitOutsideQuotes(text: string, separator: ',' | ';'): readonly string[] {
  if (!text.includes('"')) return text.split(separator);
  return text.match(separator === ',' ? elements : parts) ?? [];
}

const elements = /(?:"(?:[^"\\]|\\.)*"?|[^",])+/g;
const parts = /(?:"(?:[^"\\]|\\.)*"?|[^";])+/g;
