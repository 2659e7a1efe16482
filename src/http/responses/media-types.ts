// The media types of requests and responses.
export const jsonType = 'application/json';
export const problemJsonType = 'application/problem+json';
export const htmlType = 'text/html';
export const htmlUtf8Type = `${htmlType}; charset=utf-8`;
export const csvType = 'text/csv'; // RFC 4180
export const ndjsonType = 'application/x-ndjson'; // one JSON value a line
export const mergePatchType = 'application/merge-patch+json'; // RFC 7396

/** Returns the media types that a body may have; both types of a PATCH mean a merge patch. */
export function bodyTypesOf(method: string): readonly string[] {
  return method === 'PATCH' ? [mergePatchType, jsonType] : [jsonType];
}

/** The value of Accept-Patch (RFC 5789 section 3.1). */
export const acceptPatch = bodyTypesOf('PATCH').join(', ');
