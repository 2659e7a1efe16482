// The media types of requests and responses.
export const json = 'application/json';
export const problemJson = 'application/problem+json';
export const html = 'text/html';
export const htmlInUtf8 = `${html}; charset=utf-8`;
export const csv = 'text/csv'; // RFC 4180
export const ndjson = 'application/x-ndjson'; // one JSON value a line
export const mergePatch = 'application/merge-patch+json'; // RFC 7396

/** Returns the media types that a body may have; both types of a PATCH mean a merge patch. */
export function bodyTypesOf(method: string): readonly string[] {
  return method === 'PATCH' ? [mergePatch, json] : [json];
}

/** The value of Accept-Patch (RFC 5789 section 3.1). */
export const acceptPatch = bodyTypesOf('PATCH').join(', ');
