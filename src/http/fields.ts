// The header fields that the service reads, out of a request's raw list.
import { Problem } from '../errors.ts';

/** One pass over `rawHeaders` costs less than `request.headers`, and shows repeated fields. */
export class Fields {
  host: string | undefined = undefined;
  hosts = 0;
  authorization: string | undefined = undefined;
  apiKey: string | undefined = undefined;
  credentials = 0;
  accept: string | undefined = undefined;
  ifMatch: string | undefined = undefined;
  ifNoneMatch: string | undefined = undefined;
  requestId: string | undefined = undefined;
  contentType: string | undefined = undefined;
  contentEncoding: string | undefined = undefined;
  contentLength: string | undefined = undefined;
  idempotencyKey: string | undefined = undefined;
  idempotencyKeys = 0;
  userAgent: string | undefined = undefined;
  origin: string | undefined = undefined;
  traceparent: string | undefined = undefined;
  forwarded: string | undefined = undefined;
  forwardedFor: string | undefined = undefined;
  forwardedProto: string | undefined = undefined;
  requestMethod: string | undefined = undefined;
}

export function readFields(raw: readonly string[]): Fields {
  const fields = new Fields();
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const value = raw[index + 1] ?? '';
    const known = spellings.get(name) ?? spellings.get(name.toLowerCase());
    if (known !== undefined) read(fields, known, value);
  }
  return fields;
}

const names = [
  'host', 'accept', 'authorization', 'x-api-key', 'if-match', 'if-none-match', 'x-request-id', 'content-type', 'content-encoding', 'content-length',
  'idempotency-key', 'user-agent', 'origin', 'traceparent', 'forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'access-control-request-method',
] as const;
type Name = (typeof names)[number];

/** As most clients write them, so that few names have to be lower-cased. */
const spellings: ReadonlyMap<string, Name> = new Map(names.flatMap((name) => [[name, name], [name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()), name]] as const));

function read(fields: Fields, name: Name, value: string): void {
  switch (name) {
    case 'host': fields.host = value; fields.hosts += 1; return;
    case 'accept': fields.accept = joined(fields.accept, value); return;
    case 'authorization': fields.authorization = value; fields.credentials += 1; return;
    case 'x-api-key': fields.apiKey = value; fields.credentials += 1; return;
    case 'if-match': fields.ifMatch = joined(fields.ifMatch, value); return;
    case 'if-none-match': fields.ifNoneMatch = joined(fields.ifNoneMatch, value); return;
    case 'x-request-id': fields.requestId = value; return;
    case 'content-type': fields.contentType = joined(fields.contentType, value); return;
    case 'content-encoding': fields.contentEncoding = joined(fields.contentEncoding, value); return;
    case 'content-length': fields.contentLength = value; return;
    case 'idempotency-key': fields.idempotencyKey = value; fields.idempotencyKeys += 1; return;
    case 'user-agent': fields.userAgent = value; return;
    case 'origin': fields.origin = value; return;
    case 'traceparent': fields.traceparent = value; return;
    case 'forwarded': fields.forwarded = joined(fields.forwarded, value); return;
    case 'x-forwarded-for': fields.forwardedFor = joined(fields.forwardedFor, value); return;
    case 'x-forwarded-proto': fields.forwardedProto = joined(fields.forwardedProto, value); return;
    case 'access-control-request-method': fields.requestMethod = value; return;
  }
}

/** A list field sent on several lines is one list (RFC 9110 section 5.3). */
function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`;
}

/** HTTP/1, and (RFC 9112 section 3.2) exactly one Host, which only HTTP/1.0 may leave out. */
export function checkHost({ hosts }: Fields, httpVersion: string): void {
  if (!httpVersion.startsWith('1.')) throw new Problem('bad-request', 'Only HTTP/1.1 and HTTP/1.0 are spoken here.');
  if (hosts === 0 && httpVersion === '1.1') throw new Problem('bad-request', 'A request has a Host field.');
  if (hosts > 1) throw new Problem('bad-request', 'A request has one Host field, not several.');
}
