// The header fields of requests, which have lower-case names, and the limits of requests: what the parser of a
// connection accepts, and what the documents of problems name.
import type { IncomingMessage } from 'node:http';
import { daySeconds } from '../../base/durations.ts';
import { requestIdForm } from '../../schema/members.ts';
import { string } from '../../schema/schema.ts';

export const urlBytesMax = 8 * 1024;
export const headerBytesMax = 16 * 1024;
export const headerFieldsMax = 100;
export const headersMillisecondsMax = 10_000;
export const bodyBytesMax = 64 * 1024;
export const requestMillisecondsMax = 30_000;
export const jsonDepthMax = 16;
/** How long the response of an Idempotency-Key is kept. */
export const idempotencySecondsMax = daySeconds;

/** The fields that the service reads. */
export type RequestField =
  | 'accept'
  | 'accept-encoding'
  | 'accept-language'
  | 'access-control-request-headers'
  | 'access-control-request-method'
  | 'authorization'
  | 'content-encoding'
  | 'content-length'
  | 'content-type'
  | 'cookie'
  | 'forwarded'
  | 'host'
  | 'idempotency-key'
  | 'if-match'
  | 'if-none-match'
  | 'last-event-id'
  | 'origin'
  | 'sec-fetch-site'
  | 'traceparent'
  | 'transfer-encoding'
  | 'upgrade'
  | 'user-agent'
  | 'via'
  | 'x-api-key'
  | 'x-forwarded-for'
  | 'x-forwarded-host'
  | 'x-forwarded-port'
  | 'x-forwarded-proto'
  | 'x-real-ip'
  | 'x-request-id';

export type RequestHeaders = { readonly [field in RequestField]?: string | undefined };

export function headersOf(request: IncomingMessage): RequestHeaders {
  return request.headers as RequestHeaders; // only Set-Cookie is an array, and nothing here reads it
}

export const RequestId = string(requestIdForm);
