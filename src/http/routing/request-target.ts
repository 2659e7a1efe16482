// Splits the target of a request into its path and its query.

/**
 * Splits a target at its first `?`, without `new URL`, which throws on `//`. The absolute form and `*` (RFC
 * 9112 section 3.2) are also accepted.
 */
export function splitTarget(sent: string): { path: string; query: string } {
  const target = sent.startsWith('/') ? sent : sent.replace(/^(?:\*|\w[\w+.-]*:\/\/[^/?]*)?\/?/, '/');
  const mark = target.indexOf('?');
  return mark === -1
    ? { path: decodeUnreserved(target), query: '' }
    : { path: decodeUnreserved(target.slice(0, mark)), query: target.slice(mark + 1) };
}

/**
 * Decodes percent-encoded unreserved characters (RFC 3986 section 6.2.2.2). Leaves other encodings as they
 * are: `%2F` doesn't separate segments, and `%2531` doesn't become `1`. Returns a text unchanged if one of
 * its `%` begins no encoding: decoding `%%33%31` would create the encoding `%31`.
 */
export function decodeUnreserved(text: string): string {
  if (!text.includes('%') || strayPercent.test(text)) return text;
  return text.replace(encodedUnreserved, (encoded) =>
    String.fromCharCode(Number.parseInt(encoded.slice(1), 16)),
  );
}

const strayPercent = /%(?![\da-f]{2})/i;
/** The encodings of letters, digits, hyphen, period, underscore and tilde. */
const encodedUnreserved = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/gi;
