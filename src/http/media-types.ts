// The media types of requests and responses.
export const json = 'application/json';
export const problemJson = 'application/problem+json';
export const csv = 'text/csv'; // RFC 4180
export const ndjson = 'application/x-ndjson'; // an object a line
export const mergePatch = 'application/merge-patch+json'; // RFC 7396

/** Those a body may have; of a PATCH both mean the same. */
export function bodyTypesOf(method: string): readonly string[] {
  return method === 'PATCH' ? [mergePatch, json] : [json];
}

/** The value of Accept-Patch (RFC 5789 section 3.1). */
export const acceptPatch = bodyTypesOf('PATCH').join(', ');
