// Writes the heads of responses: the only place where a status and header fields become bytes.
import type { ServerResponse } from 'node:http';
import { fieldsOf, headerLine, type HeaderLines } from '../../base/header-lines.ts';
import { memoizeLast } from '../../base/memoize-last.ts';
import { stateOf } from '../connections/connection-state.ts';
import { STATUS_CODES } from '../connections/node-http.ts';
import { endWithHead } from '../connections/node-internals.ts';

/**
 * The time that Keep-Alive announces, far shorter than the real one: a client must not reuse a connection as
 * it ends.
 */
const keepAliveMilliseconds = 10_000;

type Head = {
  readonly status: number;
  /** The lines of the response itself, to which the functions below add Date and Connection. */
  readonly lines: HeaderLines;
};

type Responding = { readonly response: ServerResponse; readonly awaitsContinue: boolean };

/** Each character of a string is one byte of UTF-8 (`latin1`), so it is sent with the head in one write. */
export type ResponseBody = string | Buffer;

export const jsonPolicy = "default-src 'none'; frame-ancestors 'none'";
export const jsonPolicyLines = headerLine('Content-Security-Policy', jsonPolicy);
export const problemLines = headerLine('Cache-Control', 'no-store') + jsonPolicyLines;
/** A header line that is sent only over TLS (RFC 6797 section 7.2). */
export const strictTransport = headerLine('Strict-Transport-Security', 'max-age=31536000');

/** The phrases of RFC 9110, except for 422, whose older phrase requirements section 7.1 uses. */
const reasonPhrases: Readonly<Record<number, string | undefined>> = {
  ...STATUS_CODES,
  413: 'Content Too Large',
};
const keepAliveLine = headerLine('Keep-Alive', `timeout=${keepAliveMilliseconds / 1000}`);
/** The last lines of a head, including the empty line. */
const endOfKept = `${headerLine('Connection', 'keep-alive')}${keepAliveLine}\r\n`;
const endOfLast = `${headerLine('Connection', 'close')}\r\n`;
const dateLine = memoizeLast((second: number) => headerLine('Date', new Date(second * 1000).toUTCString()));

/**
 * Sends a whole response. Closes the connection if the client still waits for 100 Continue, since the client
 * may send the body or not.
 */
export function sendWhole(
  { response, awaitsContinue }: Responding,
  { status, lines }: Head,
  { body, now }: { readonly body: ResponseBody; readonly now: number },
): void {
  const isLast = !response.shouldKeepAlive || awaitsContinue;
  const text = headText({ status, lines }, { isLast, now });
  endWithHead(response, { status, text, isLast: isLast && !isLingering(response) }, body);
}

/** Whether `endAfterResponse` ends the connection, rather than Node at the end of the response. */
function isLingering({ socket }: ServerResponse): boolean {
  return socket !== null && stateOf(socket).isEnding;
}

/** Begins a response whose length is unknown; `node:http` adds Date, Connection and Transfer-Encoding. */
export function beginStream({ response, awaitsContinue }: Responding, { status, lines }: Head): void {
  const isLast = !response.shouldKeepAlive || awaitsContinue;
  response.writeHead(status, reasonPhrases[status], fieldsOf(isLast ? lines : lines + keepAliveLine));
}

/** Returns the head of the last response of a connection without a request. */
export function lastHeadText(head: Head, now: number): string {
  return headText(head, { isLast: true, now });
}

/** Returns the lines that describe a body: Content-Type and Content-Length. */
export function bodyLines(mediaType: string, bytes: number): HeaderLines {
  return typeLines(mediaType) + headerLine('Content-Length', String(bytes));
}

export function typeLines(mediaType: string): HeaderLines {
  return noSniffing + headerLine('Content-Type', mediaType);
}

const noSniffing = headerLine('X-Content-Type-Options', 'nosniff');

type HeadOptions = { readonly isLast: boolean; readonly now: number };

function headText({ status, lines }: Head, { isLast, now }: HeadOptions): string {
  const ownLines = lines + dateLine(Math.floor(now / 1000));
  return (
    'HTTP/1.1 ' + status + ' ' + reasonPhrases[status] + '\r\n' + ownLines + (isLast ? endOfLast : endOfKept)
  );
}
