// Answers: their heads, conditional requests, problems, CORS; and what log and metrics learn of them.
import { performance } from 'node:perf_hooks';
import { Problem } from '../errors.ts';
import { memoizeLast } from '../memoize-last.ts';
import { keepAliveMilliseconds, urlBytesMax } from '../limits.ts';
import type { Logger } from '../logger.ts';
import { securityEventLevels, type SecurityEvent } from '../security-event.ts';
import { isUnmodified } from './conditional.ts';
import type { Exchange } from './exchange.ts';
import { createHeadWriter, lastHead, headerLine } from './head.ts';
import type { Metrics } from './metrics.ts';
import { chooseCoding } from './negotiate.ts';
import { problemResponse } from './problem.ts';
import { toWireLatin1, type Representation } from './representation.ts';
import type { Route } from './route.ts';
import { allowOf, type Mounted } from './router.ts';
import { createUnsentAnswers } from './unsent.ts';

export type ResponderOptions = {
  readonly publicUrl: string;
  readonly isTls: boolean;
  readonly corsOrigins: ReadonlySet<string>;
  readonly isStopping: () => boolean;
  readonly log: Logger;
  readonly metrics: Metrics;
};

/** What is kept of an answer to give it again. */
export type RepeatedAnswer = {
  readonly status: number;
  readonly location: string | null;
  readonly etag: string;
  readonly text: string;
};

/** Text is latin1, each character a byte: it leaves with the head in one write. */
type Body = string | Buffer;

export const jsonPolicy = "default-src 'none'; frame-ancestors 'none'";
const jsonPolicyLine = `Content-Security-Policy: ${jsonPolicy}\r\n`;
const problemLines = `Cache-Control: no-store\r\n${jsonPolicyLine}`;
const exposed =
  'ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id, Idempotency-Replayed, Deprecation, Sunset';
const preflightSeconds = 600;

export function createResponder(options: ResponderOptions) {
  const { corsOrigins, isStopping, log, metrics, publicUrl } = options;
  const hsts = options.isTls ? 'Strict-Transport-Security: max-age=31536000\r\n' : '';
  const vary =
    corsOrigins.size > 0 ? 'Accept, Authorization, X-API-Key, Origin' : 'Accept, Authorization, X-API-Key';
  /** What follows the tag. */
  const caching = memoizeLast(
    (cacheControl: string) => `\r\nCache-Control: ${cacheControl}\r\nVary: ${vary}\r\n`,
  );
  /** The same of documents whose content coding is negotiated. */
  const encodedCaching = memoizeLast(
    (cacheControl: string) => `\r\nCache-Control: ${cacheControl}\r\nVary: ${vary}, Accept-Encoding\r\n`,
  );
  const typeLines = memoizeLast(
    (mediaType: string) =>
      `X-Content-Type-Options: nosniff\r\nContent-Type: ${mediaType}\r\nContent-Length: `,
  );
  const writeHead = createHeadWriter(keepAliveMilliseconds / 1000);
  const unsent = createUnsentAnswers({ onCut: () => (metrics.cuts.unread += 1) });

  /** The lines that every answer has. */
  function head(exchange: Exchange): string {
    let lines = 'X-Request-Id: ' + exchange.requestId + '\r\n' + exchange.rateLines + hsts;
    if (isStopping()) exchange.response.shouldKeepAlive = false;
    if (corsOrigins.size > 0) lines += corsLines(exchange.headers['origin']);
    const deprecated = exchange.mounted?.route.deprecated;
    if (deprecated !== undefined) lines += deprecationLines(deprecated);
    return lines;
  }

  function corsLines(origin: string | undefined): string {
    if (origin === undefined || !corsOrigins.has(origin)) return '';
    return `Access-Control-Allow-Origin: ${origin}\r\nAccess-Control-Expose-Headers: ${exposed}\r\n`;
  }

  function respond(exchange: Exchange, route: Route, made: Representation<unknown>): void {
    const { reply } = route;
    let lines = head(exchange);
    if (reply.kind === 'none') return send(exchange, 204, lines, '');
    const encoded = made.encoded?.(chooseCoding(exchange.headers['accept-encoding']));
    const etag = encoded === undefined ? made.etag : encoded.etag;
    lines += 'ETag: ' + etag + (encoded === undefined ? caching : encodedCaching)(reply.cacheControl);
    if (made.next !== undefined && made.next !== null)
      lines += headerLine('Link', `<${made.next}>; rel="next"`);
    if (reply.status === 200 && route.method === 'GET' && isUnmodified(exchange.headers, etag))
      return send(exchange, 304, lines, '');
    if (reply.location !== undefined) lines += headerLine('Location', reply.location(made));
    lines += made.fields === undefined ? jsonPolicyLine : linesOf(made.fields);
    if (encoded !== undefined && encoded.coding !== 'identity')
      lines += `Content-Encoding: ${encoded.coding}\r\n`;
    sendBody(
      exchange,
      reply.status,
      lines,
      made.mediaType,
      encoded === undefined ? made.text : encoded.bytes,
    );
  }

  /** An answer given before, again. */
  function replay(exchange: Exchange, route: Route, kept: RepeatedAnswer): void {
    const location = kept.location === null ? '' : headerLine('Location', kept.location);
    const lines = `ETag: ${kept.etag}${caching(route.reply.cacheControl)}Idempotency-Replayed: true\r\n${jsonPolicyLine}${location}`;
    sendBody(exchange, kept.status, head(exchange) + lines, 'application/json', kept.text);
  }

  function respondToOptions(exchange: Exchange, methods: ReadonlyMap<string, Mounted>): undefined {
    const allow = allowOf(methods).join(', ');
    let lines = `${head(exchange)}Allow: ${allow}\r\n`;
    if (methods.has('PATCH')) lines += 'Accept-Patch: application/merge-patch+json, application/json\r\n';
    if (corsOrigins.size > 0) lines += 'Vary: Origin\r\n';
    const { origin, 'access-control-request-method': asked } = exchange.headers;
    if (origin !== undefined && corsOrigins.has(origin) && asked !== undefined) {
      const taken =
        'Authorization, Content-Type, X-API-Key, X-Request-Id, If-Match, If-None-Match, Idempotency-Key, Accept';
      lines += `Access-Control-Allow-Methods: ${allow}\r\nAccess-Control-Allow-Headers: ${taken}\r\nAccess-Control-Max-Age: ${preflightSeconds}\r\n`;
    }
    send(exchange, 204, lines, '');
  }

  function respondWithProblem(exchange: Exchange, problem: Problem): void {
    const invalidStatus = exchange.mounted?.invalidStatus ?? 400;
    const { status, fields, json } = problemResponse(problem, {
      publicUrl,
      invalidStatus,
      path: exchange.path.slice(0, urlBytesMax),
      requestId: exchange.requestId,
    });
    if (problem.kind === 'quota-exceeded') metrics.refusals.rate += 1;
    if (problem.kind === 'unavailable') metrics.refusals.unavailable += 1;
    const event = securityEventOf(problem);
    if (event !== undefined && exchange.securityEvents.length === 0) exchange.report(event);
    sendBody(
      exchange,
      status,
      `${head(exchange)}${linesOf(fields)}${problemLines}`,
      'application/problem+json',
      toWireLatin1(json),
    );
  }

  /** Head and body of the answer to what the parser refused, after which the connection ends. */
  function refusal(problem: Problem, requestId: string, now: number): string {
    const { status, fields, json } = problemResponse(problem, {
      publicUrl,
      invalidStatus: 400,
      path: '/',
      requestId,
    });
    const text = toWireLatin1(json);
    metrics.observe(-1, status, 0);
    log.request(
      {
        requestId,
        method: '-',
        path: '-',
        status,
        milliseconds: 0,
        address: null,
        principal: null,
        traceparent: undefined,
      },
      now,
    );
    return (
      lastHead(
        status,
        `X-Request-Id: ${requestId}\r\n${hsts}${linesOf(fields)}${problemLines}${bodyLines('application/problem+json', text)}`,
        now,
      ) + text
    );
  }

  function bodyLines(mediaType: string, body: Body): string {
    return typeLines(mediaType) + body.length + '\r\n';
  }

  function sendBody(exchange: Exchange, status: number, lines: string, mediaType: string, body: Body): void {
    send(exchange, status, lines + bodyLines(mediaType, body), body);
  }

  function send(exchange: Exchange, status: number, lines: string, body: Body): void {
    const { response } = exchange;
    if (exchange.securityEvents.length > 0) logSecurity(exchange); // also where nobody waits for the answer
    if (response.headersSent || response.destroyed) return;
    const milliseconds = performance.now() - exchange.startedAt;
    writeHead(exchange, status, lines, exchange.now + milliseconds);
    response.end(body, 'latin1');
    if (typeof body === 'string' || options.isTls) boundUnsent(exchange); // else the bytes are not a copy
    const { requestId, method, path, caller, headers: fields, mounted } = exchange;
    metrics.observe(mounted?.index ?? -1, status, milliseconds);
    log.request(
      {
        requestId,
        method,
        path,
        status,
        milliseconds,
        address: exchange.clientAddress,
        principal: caller?.principal ?? null,
        traceparent: fields['traceparent'],
      },
      exchange.now,
    );
  }

  function boundUnsent(exchange: Exchange): void {
    const { response, caller } = exchange;
    const bytes = response.socket?.writableLength ?? 0;
    if (bytes === 0) return;
    const client = caller === undefined ? exchange.address : `user ${caller.userId}`;
    unsent.add({ response, client, bytes });
  }

  function logSecurity(exchange: Exchange): void {
    const { requestId, clientAddress: address, caller } = exchange;
    for (const { name, ...details } of exchange.securityEvents) {
      metrics.countEvent(name);
      const principal = caller?.principal ?? null;
      log.log(securityEventLevels[name], name, { requestId, address, principal, ...details });
    }
    exchange.securityEvents = [];
  }

  return {
    answer: respond,
    repeat: replay,
    answerOptions: respondToOptions,
    answerProblem: respondWithProblem,
    refusal,
  };
}

/** What a refusal is in the log, where no handler has reported something more exact. */
function securityEventOf({ kind, details: more }: Problem): SecurityEvent | undefined {
  if (kind === 'forbidden' || kind === 'insufficient-scope') return { name: 'authz_fail', code: kind };
  if (kind === 'quota-exceeded') return { name: 'excess_rate_limit_exceeded', policies: more.violated ?? [] };
  return undefined;
}

/** RFC 9745 and RFC 8594. */
function deprecationLines({ since, sunset, see }: NonNullable<Route['deprecated']>): string {
  const end = sunset === undefined ? '' : headerLine('Sunset', sunset.toUTCString());
  const link = see === undefined ? '' : headerLine('Link', `<${see}>; rel="deprecation"; type="text/html"`);
  return `Deprecation: @${Math.floor(since.getTime() / 1000)}\r\n${end}${link}`;
}

/** From name, value, name, value. */
function linesOf(fields: readonly string[]): string {
  let lines = '';
  for (let index = 0; index < fields.length; index += 2)
    lines += headerLine(fields[index] ?? '', fields[index + 1] ?? '');
  return lines;
}
