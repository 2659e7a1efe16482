// Writes the heads of responses: the only place where a status and header fields become bytes.
import type { ServerResponse } from 'node:http';
import { keepAliveMilliseconds } from '../limits.ts';
import { STATUS_CODES, validateHeaderValue, type HeaderFields } from './node-http.ts';

type Head = {
  readonly status: number;
  /** The fields of the response itself, to which the functions below add more. */
  readonly fields: string[];
};

type Responding = { readonly response: ServerResponse; readonly expectsContinue: boolean };

export const jsonPolicy = "default-src 'none'; frame-ancestors 'none'";
export const jsonPolicyFields: HeaderFields = ['Content-Security-Policy', jsonPolicy];
export const problemFields: HeaderFields = ['Cache-Control', 'no-store', ...jsonPolicyFields];
/** Sent only over TLS (RFC 6797 section 7.2). */
export const strictTransport: HeaderFields = ['Strict-Transport-Security', 'max-age=31536000'];

/** The phrases of RFC 9110, except that 422 has its older one, as requirements section 7.1 does. */
const reasonPhrases: Readonly<Record<number, string | undefined>> = {
  ...STATUS_CODES,
  413: 'Content Too Large',
};
const keepAliveValue = `timeout=${keepAliveMilliseconds / 1000}`;

/**
 * Adds Keep-Alive; `node:http` adds Date and Connection, since it knows whether it keeps the connection. It
 * closes it if the client waits for 100 Continue, since the body may or may not follow. Throws if a value
 * has a line break, so that no text from a client can add a header field.
 */
export function writeHead({ response, expectsContinue }: Responding, { status, fields }: Head): void {
  if (response.shouldKeepAlive && !expectsContinue) fields.push('Keep-Alive', keepAliveValue);
  response.writeHead(status, reasonPhrases[status], fields);
}

/** The head of a connection's last response, for a socket without a response. Throws as `writeHead` does. */
export function lastHeadText({ status, fields }: Head, now: number): string {
  fields.push('Date', new Date(now).toUTCString(), 'Connection', 'close');
  return headText(status, fields);
}

export function addBodyFields(fields: string[], mediaType: string, bytes: number): void {
  fields.push('X-Content-Type-Options', 'nosniff', 'Content-Type', mediaType);
  fields.push('Content-Length', String(bytes));
}

function headText(status: number, fields: HeaderFields): string {
  let text = `HTTP/1.1 ${status} ${reasonPhrases[status]}\r\n`;
  for (let index = 0; index < fields.length; index += 2) {
    const [name = '', value = ''] = fields.slice(index, index + 2);
    validateHeaderValue(name, value);
    text += `${name}: ${value}\r\n`;
  }
  return `${text}\r\n`;
}
