// Content negotiation by Accept (RFC 9110 section 12.5.1), and the Content-Type of bodies.
import { Problem } from '../errors.ts';
import { codings, type Coding } from './encodings.ts';
import type { RequestHeaders } from './request-headers.ts';

/**
 * The offered media type that the client likes best; the first one when it states none. 406 when it takes
 * none.
 */
export function chooseMediaType(accept: string | undefined, offered: readonly string[]): string {
  const [first = 'application/json'] = offered;
  if (accept === undefined || accept === '' || accept === '*/*' || accept === first) return first;
  const chosen = preferred(accept, offered);
  if (chosen !== undefined) return chosen;
  throw new Problem('not-acceptable', `Nothing in Accept is available. Available: ${offered.join(', ')}.`);
}

export function preferred(accept: string, offered: readonly string[]): string | undefined {
  const ranges = accept
    .split(',')
    .map(rangeOf)
    .filter((range) => range !== undefined);
  let best: string | undefined;
  let bestQuality = 0;
  for (const type of offered) {
    const quality = qualityOf(ranges, type);
    if (quality > bestQuality) [best, bestQuality] = [type, quality];
  }
  return best;
}

type Range = { readonly type: string; readonly quality: number; readonly rank: number };

function rangeOf(text: string): Range | undefined {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  if (!/^(\*\/\*|[\w!#$&^.+-]+\/(\*|[\w!#$&^.+-]+))$/.test(type)) return undefined;
  let quality = 1;
  for (const parameter of parameters) {
    const weight = /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/.exec(parameter)?.[1];
    if (weight !== undefined) quality = Number(weight);
    else if (parameter.startsWith('q=')) return undefined;
    // no other parameter is offered
    else if (parameter !== '' && parameter !== 'charset=utf-8') return undefined;
  }
  return { type, quality, rank: type === '*/*' ? 0 : type.endsWith('/*') ? 1 : 2 };
}

/** The most specific range that fits decides. */
function qualityOf(ranges: readonly Range[], type: string): number {
  const [plain = ''] = type.split(';');
  let found: Range | undefined;
  for (const range of ranges) {
    const fits =
      range.rank === 0 ||
      range.type === plain ||
      (range.rank === 1 && plain.startsWith(range.type.slice(0, -1)));
    if (fits && (found === undefined || range.rank > found.rank)) found = range;
  }
  return found?.quality ?? 0;
}

/**
 * The content coding that the client likes best (RFC 9110 section 12.5.3), of equals the shortest. One that
 * accepts none of them, not even plain, is sent plain: that section prefers it to a refusal.
 */
export function chooseCoding(accept: string | undefined): Coding {
  if (accept === undefined || accept === '') return 'identity';
  const qualities = new Map<string, number>();
  for (const part of accept.toLowerCase().split(',')) {
    const [, coding, weight = '1'] =
      /^[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*(?:;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[ \t]*)?$/.exec(part) ??
      [];
    if (coding !== undefined) qualities.set(coding === 'x-gzip' ? 'gzip' : coding, Number(weight));
  }
  const others = qualities.get('*') ?? 0;
  let best: Coding = 'identity';
  let bestQuality = qualities.get('identity') ?? 0;
  for (const coding of codings) {
    const quality = qualities.get(coding) ?? others;
    if (quality > bestQuality || (quality === bestQuality && quality > 0 && best === 'identity'))
      [best, bestQuality] = [coding, quality];
  }
  return best;
}

const mergePatch = 'application/merge-patch+json';

/** 415 unless the body is JSON as it stands: right type, UTF-8, not compressed. */
export function checkContentType(fields: RequestHeaders, method: string): void {
  const acceptPatch = method === 'PATCH';
  const allowed = acceptPatch ? ['application/json', mergePatch] : ['application/json'];
  if (fields['content-encoding'] !== undefined) {
    throw new Problem(
      'unsupported-media-type',
      'Content-Encoding is not supported in requests; send the body uncompressed.',
      { acceptPatch },
    );
  }
  if (fields['content-type'] === 'application/json') return;
  const [type = '', ...parameters] = (fields['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const plain = parameters.every((parameter) => /^(charset="?utf-8"?)?$/.test(parameter));
  if (!allowed.includes(type) || !plain) {
    throw new Problem('unsupported-media-type', `Content-Type must be ${allowed.join(' or ')}, in UTF-8.`, {
      acceptPatch,
    });
  }
}
