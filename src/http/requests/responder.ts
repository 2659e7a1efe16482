// The response to one request: what steps add to it, and how it is sent, counted and logged, once. 304s, problems and
// streams are sent here, too.
import assert from 'node:assert';
import { performance } from 'node:perf_hooks';
import type { HeaderFields } from '../../base/header-fields.ts';
import type { Turns } from '../../base/turns.ts';
import { Problem, securityEventOf } from '../../problem.ts';
import { rateExceeded, type Limiter } from '../../rates/limiter.ts';
import { noSecurityEvents, type SecurityEvent } from '../../security-event.ts';
import type { ArrivedRequest } from '../connections/http-server.ts';
import { STATUS_CODES } from '../connections/node-http.ts';
import type { Cors } from '../responses/cors.ts';
import { jsonCspFields } from '../responses/json-csp.ts';
import { acceptPatch, jsonType, problemJsonType } from '../responses/media-types.ts';
import { problemResponse } from '../responses/problem-response.ts';
import { etagOf, toWireLatin1 } from '../responses/representation.ts';
import { ResponseStream, type StreamEndReason } from '../responses/response-stream.ts';
import type { UnsentResponses } from '../responses/unsent-responses.ts';
import {
  cacheControlOf,
  statusAndLocationOf,
  notStored,
  type HandlerResult,
  type Streamed,
} from '../routing/reply.ts';
import type { Route } from '../routing/route.ts';
import { allowedMethods, type Match, type MountedRoute } from '../routing/router.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { checkMatch, isUnmodified } from './conditional.ts';
import { isLastOfConnection, type RequestHead } from './request-head.ts';
import type { RequestLog } from './request-log.ts';

/** What all responses share. */
export type ResponseServices = {
  readonly publicUrl: string;
  readonly isTls: boolean;
  readonly isStopping: () => boolean;
  readonly keepAliveSeconds: number;
  readonly now: () => number;
  readonly turns: Turns;
  readonly cors: Cors;
  readonly log: RequestLog;
  readonly metrics: Metrics;
  readonly unsent: UnsentResponses;
};

/** The stored part of a response, from which it can be replayed. */
export type ReplayableResponse = {
  readonly status: number;
  readonly location: string | null;
  readonly etag: string;
  readonly text: string;
};

/** A response with a version: a GET is answered with 304 if the client has it. */
type Versioned = {
  readonly status: number;
  readonly etag: string;
  readonly mediaType: string;
  /** Each character of a string is one byte of UTF-8 (`latin1`). */
  readonly body: string | Buffer;
  /** Further fields, also of the 304. */
  readonly fields?: HeaderFields;
  /** Fields that the 304 lacks. */
  readonly fieldsWithContent?: HeaderFields;
  readonly vary?: string;
};

/** The phrases of RFC 9110, except for 422, which keeps its older phrase: Unprocessable Entity. */
const reasonPhrases: Readonly<Record<number, string | undefined>> = {
  ...STATUS_CODES,
  413: 'Content Too Large',
};

export class Responder {
  /** The route of the path and the method; undefined if there is none, or if it isn't known yet. */
  mounted: MountedRoute | undefined = undefined;
  /** Who sent the request, for the log. */
  principal: string | null = null;
  /** The events to log with the response. */
  securityEvents: readonly SecurityEvent[] = noSecurityEvents;
  /** The header fields that steps and the handler add to the response. */
  readonly fields: string[] = [];
  readonly #arrived: ArrivedRequest;
  readonly #head: RequestHead;
  readonly #services: ResponseServices;
  /** When the request began: milliseconds since 1970, and the same moment on the monotonic clock. */
  readonly #beganAt: number;
  readonly #startedAt = performance.now();
  /** Whether a rate was applied to the request, even one that the settings turn off. */
  #hasConsumedToken = false;

  constructor(arrived: ArrivedRequest, head: RequestHead, services: ResponseServices) {
    this.#arrived = arrived;
    this.#head = head;
    this.#services = services;
    this.#beganAt = services.now();
  }

  /**
   * Consumes a token of the client's own bucket, once for a request. Each response shows the state of this bucket.
   * Returns a 429 if it was empty.
   */
  consumeClientToken(limiter: Limiter, key: string): Problem | undefined {
    if (this.#hasConsumedToken) return undefined;
    this.#hasConsumedToken = true;
    const state = limiter.consumeToken(key, this.#services.now());
    if (state === undefined) return undefined;
    this.fields.push(...state.fields);
    return state.isExceeded ? rateExceeded(state) : undefined;
  }

  respond(call: { readonly route: Route; readonly mediaType: string }, result: HandlerResult): void {
    switch (result.kind) {
      case 'object': {
        const { text: body, etag } = result;
        const { status, location } = statusAndLocationOf(call.route.reply, result);
        const fields = location === undefined ? [] : ['Location', location];
        return this.#sendVersioned({ status, etag, mediaType: jsonType, body, fields });
      }
      case 'list': {
        const { text: body, etag, next } = result;
        const fields = next === null ? [] : ['Link', `<${next}>; rel="next"`];
        return this.#sendVersioned({ status: 200, etag, mediaType: jsonType, body, fields });
      }
      case 'document': {
        const { content, mediaType = call.mediaType } = result;
        const body = toWireLatin1(typeof content === 'string' ? content : JSON.stringify(content));
        return this.#sendVersioned({ status: 200, etag: etagOf(body), mediaType, body });
      }
      case 'shared document': {
        const { mediaType, fields, encoded } = result;
        const { bytes: body, etag, isCompressed } = encoded(this.#head.headers['accept-encoding']);
        const fieldsWithContent = isCompressed ? [...fields, 'Content-Encoding', 'gzip'] : fields;
        const vary = `${this.#vary}, Accept-Encoding`;
        return this.#sendVersioned({ status: 200, etag, mediaType, body, fieldsWithContent, vary });
      }
      case 'stream':
        return this.#stream(result);
      case 'none':
        return this.#send(204, []);
      default:
        result satisfies never; // a new kind doesn't compile without its case
    }
  }

  /** Sends a stored response again. */
  replay({ status, location, etag, text: body }: ReplayableResponse): void {
    const fields = ['Idempotency-Replayed', 'true'];
    if (location !== null) fields.push('Location', location);
    this.#sendVersioned({ status, etag, mediaType: jsonType, body, fields });
  }

  respondWithProblem(problem: Problem): void {
    const { publicUrl, metrics } = this.#services;
    const { path, requestId } = this.#head;
    const invalidStatus = this.mounted?.invalidStatus ?? 400;
    const { status, fields, text } = problemResponse(problem, { publicUrl, invalidStatus, path, requestId });
    if (problem.code === 'quota-exceeded') metrics.rejections.rate += 1;
    if (problem.code === 'unavailable') metrics.rejections.unavailable += 1;
    const event = securityEventOf(problem);
    if (event !== undefined && this.securityEvents.length === 0) this.securityEvents = [event];
    this.#send(status, [...fields, ...contentFields(problemJsonType, text.length)], text);
  }

  /** `match` has the routes of the path; undefined for a preflight to a path without routes. */
  respondToOptions(match: Match | undefined): void {
    const { cors } = this.#services;
    const fields: string[] = [];
    if (match !== undefined) fields.push('Allow', allowedMethods(match.routes).join(', '));
    if (match?.routes.has('PATCH') === true) fields.push('Accept-Patch', acceptPatch);
    if (cors.isEnabled) fields.push('Vary', 'Origin');
    this.#send(204, [...fields, ...cors.preflightFieldsFor(this.#head.headers)]);
  }

  /** Closes the connection without a response, or amid one. */
  destroy(): void {
    this.#arrived.response.destroy();
  }

  get #vary(): string {
    return this.#services.cors.isEnabled ? `${varyFields}, Origin` : varyFields;
  }

  /** For a GET or HEAD: throws 412 if If-Match fails, and sends a 304 if the client has this version. */
  #sendVersioned(response: Versioned): void {
    const { status, etag, mediaType, body, vary = this.#vary } = response;
    const { fields: further = [], fieldsWithContent = jsonCspFields } = response;
    const { headers } = this.#head;
    const route = this.mounted?.route;
    assert(route, 'only routes have versions');
    const fields = ['ETag', etag, 'Cache-Control', cacheControlOf(route.reply), 'Vary', vary, ...further];
    if (route.method === 'GET') {
      checkMatch(headers, etag);
      if (isUnmodified(headers, etag)) return this.#send(304, fields);
    }
    fields.push(...fieldsWithContent, ...contentFields(mediaType, body.length));
    this.#send(status, fields, body);
  }

  #send(status: number, fields: HeaderFields, body: string | Buffer = ''): void {
    const { response } = this.#arrived;
    const { log, metrics } = this.#services;
    const { principal } = this;
    const isLogged = (this.#hasConsumedToken && status !== 429) || log.consumeLine(status);
    this.#reportSecurityEvents(isLogged); // even if the client has gone
    // a response that has begun and failed must not look complete
    if (response.headersSent) return response.writableEnded ? undefined : void response.destroy();
    const milliseconds = this.#milliseconds;
    const end = response.destroyed ? 'client' : undefined;
    if (end === undefined) this.#write(status, fields, body);
    metrics.observe(this.mounted?.route, status, milliseconds);
    if (isLogged) log.write(this.#head, { principal, status, milliseconds, end }, this.#beganAt);
  }

  #write(status: number, fields: HeaderFields, body: string | Buffer): void {
    const { connection, response } = this.#arrived;
    const { unsent, now } = this.#services;
    if (connection.isAtLastResponse && typeof body === 'string') {
      // `node:http` would close the connection at once, and a client that still sends would lose the response
      const text = this.#head.method === 'HEAD' ? '' : body;
      connection.end(lastText(status, this.#allFields(fields), text, now()));
    } else {
      this.#writeHead(status, fields);
      response.end(body, 'latin1');
    }
    unsent.add(connection.socket);
  }

  /** Starts a stream, which is counted when it begins and logged when it ends. */
  #stream({ mediaType, start, fields = [] }: Streamed): void {
    const { response, connection } = this.#arrived;
    const { unsent, metrics, log, turns, now } = this.#services;
    const head = ['Cache-Control', notStored, 'Vary', this.#vary, 'X-Accel-Buffering', 'no', ...fields];
    head.push(...jsonCspFields, ...typeFields(mediaType));
    if (this.#head.method === 'HEAD' || response.destroyed) return this.#send(200, head);
    unsent.forget(connection.socket);
    this.#writeHead(200, head);
    metrics.observe(this.mounted?.route, 200, this.#milliseconds);
    const onEnd = (end: StreamEndReason, bytes: number): void => {
      this.#reportSecurityEvents(true);
      const outcome = {
        principal: this.principal,
        status: 200,
        milliseconds: this.#milliseconds,
        end,
        bytes,
      };
      log.write(this.#head, outcome, now());
    };
    start(new ResponseStream(response, connection, turns, onEnd));
  }

  /** `node:http` adds Date, Connection, and for a body of unknown length Transfer-Encoding. */
  #writeHead(status: number, fields: HeaderFields): void {
    const { connection, response } = this.#arrived;
    const { isStopping, keepAliveSeconds } = this.#services;
    const all = this.#allFields(fields);
    connection.hasAnnouncedEnd =
      connection.isAtLastResponse || isLastOfConnection(this.#head) || isStopping();
    if (connection.hasAnnouncedEnd) all.push('Connection', 'close');
    else all.push('Keep-Alive', `timeout=${keepAliveSeconds}`);
    response.writeHead(status, reasonPhrases[status], all);
  }

  #allFields(fields: HeaderFields): string[] {
    const { isTls, cors } = this.#services;
    const { requestId, headers } = this.#head;
    const all = ['X-Request-Id', requestId, ...this.fields, ...transportFields(isTls), ...fields];
    if (cors.isEnabled) all.push(...cors.fieldsFor(headers));
    return all;
  }

  get #milliseconds(): number {
    return performance.now() - this.#startedAt;
  }

  /** Counts the events since the last call, and logs them if the request is logged. */
  #reportSecurityEvents(isLogged: boolean): void {
    const { log, metrics } = this.#services;
    for (const event of this.securityEvents) {
      metrics.countSecurityEvent(event.name);
      if (isLogged) log.writeSecurityEvent(this.#head, this.principal, event);
    }
    this.securityEvents = noSecurityEvents;
  }
}

/** Counts and logs bytes that don't form a request. Returns the connection's last response. */
export function unparsedResponse(
  problem: Problem,
  { requestId, address }: Pick<RequestHead, 'requestId' | 'address'>,
  { publicUrl, metrics, log, isTls, now }: ResponseServices,
): string {
  const context = { publicUrl, invalidStatus: 400, path: '/', requestId } as const;
  const { status, fields, text } = problemResponse(problem, context);
  metrics.observe(undefined, status, 0);
  const head = { requestId, address, method: '-', path: '-', headers: {} };
  if (log.consumeLine(status)) log.write(head, { principal: null, status, milliseconds: 0 }, now());
  const all = ['X-Request-Id', requestId, ...transportFields(isTls), ...fields];
  return lastText(status, [...all, ...contentFields(problemJsonType, text.length)], text, now());
}

/** Returns a whole response that ends its connection, with one character for each byte. */
function lastText(status: number, fields: HeaderFields, body: string, now: number): string {
  const lines = [...fields, 'Date', new Date(now).toUTCString(), 'Connection', 'close'].map(
    (part, index) => part + (index % 2 === 0 ? ': ' : '\r\n'),
  );
  return `HTTP/1.1 ${status} ${reasonPhrases[status]}\r\n${lines.join('')}\r\n${body}`;
}

/** Only over TLS (RFC 6797 section 7.2). */
function transportFields(isTls: boolean): HeaderFields {
  return isTls ? hsts : [];
}

const hsts = ['Strict-Transport-Security', 'max-age=31536000'];
const varyFields = 'Accept, Authorization, X-API-Key';

function contentFields(mediaType: string, bytes: number): HeaderFields {
  return [...typeFields(mediaType), 'Content-Length', String(bytes)];
}

function typeFields(mediaType: string): HeaderFields {
  return ['X-Content-Type-Options', 'nosniff', 'Content-Type', mediaType];
}
