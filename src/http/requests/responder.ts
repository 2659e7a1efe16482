// Sends responses: header fields, conditional requests, problems and streams. Logs and counts each as it is sent.
import { performance } from 'node:perf_hooks';
import type { HeaderFields } from '../../base/header-fields.ts';
import type { Turns } from '../../base/turns.ts';
import { Problem, securityEventOf } from '../../problem.ts';
import { STATUS_CODES } from '../connections/node-http.ts';
import { createCors, type Cors } from '../responses/cors.ts';
import { acceptPatch, json, problemJson } from '../responses/media-types.ts';
import { jsonPolicyFields } from '../responses/policies.ts';
import { problemResponse } from '../responses/problem-response.ts';
import { etagOf, toWireLatin1 } from '../responses/representation.ts';
import { ResponseStream } from '../responses/response-stream.ts';
import { UnsentResponses } from '../responses/unsent-responses.ts';
import { cacheControlOf, headOf, notStored, type HandlerResult, type Streamed } from '../routing/reply.ts';
import { allowedMethods, type MountedRoute } from '../routing/router.ts';
import { checkMatch, isUnmodified } from './conditional.ts';
import type { Exchange } from './exchange.ts';
import { isLastOfConnection } from './request-head.ts';
import { RequestLog, type RequestLogOptions } from './request-log.ts';

export type ResponderOptions = RequestLogOptions & {
  readonly publicUrl: string;
  readonly isTls: boolean;
  readonly corsOrigins: ReadonlySet<string>;
  readonly isStopping: () => boolean;
  readonly keepAliveSeconds: number;
  readonly turns: Turns;
  readonly unsentBytesMax: number;
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
  readonly own?: HeaderFields;
  /** Fields that the 304 lacks. */
  readonly ofContent?: HeaderFields;
  readonly vary?: string;
};

/** The phrases of RFC 9110, except for 422, which keeps its older phrase: Unprocessable Entity. */
const reasonPhrases: Readonly<Record<number, string | undefined>> = {
  ...STATUS_CODES,
  413: 'Content Too Large',
};

export class Responder {
  readonly cors: Cors;
  readonly log: RequestLog;
  readonly #options: ResponderOptions;
  readonly #unsent: UnsentResponses;
  /** Fields that are sent only over TLS (RFC 6797 section 7.2). */
  readonly #transportFields: HeaderFields;
  readonly #vary: string;

  constructor(options: ResponderOptions) {
    this.#options = options;
    this.log = new RequestLog(options);
    const { unsentBytesMax, metrics } = options;
    this.#unsent = new UnsentResponses(unsentBytesMax, () => (metrics.dropped.unread += 1));
    this.cors = createCors(options.corsOrigins);
    this.#transportFields = options.isTls ? ['Strict-Transport-Security', 'max-age=31536000'] : [];
    this.#vary = `Accept, Authorization, X-API-Key${this.cors.isEnabled ? ', Origin' : ''}`;
  }

  respond(exchange: Exchange, result: HandlerResult): void {
    const { reply } = exchange.route;
    switch (result.kind) {
      case 'object': {
        const { text: body, etag } = result;
        const { status, location } = headOf(reply, result);
        const own = location === undefined ? [] : ['Location', location];
        return this.#sendVersioned(exchange, { status, etag, mediaType: json, body, own });
      }
      case 'list': {
        const { text: body, etag, next } = result;
        const own = next === null ? [] : ['Link', `<${next}>; rel="next"`];
        return this.#sendVersioned(exchange, { status: 200, etag, mediaType: json, body, own });
      }
      case 'document': {
        const { content, mediaType = exchange.mediaType } = result;
        const body = toWireLatin1(typeof content === 'string' ? content : JSON.stringify(content));
        return this.#sendVersioned(exchange, { status: 200, etag: etagOf(body), mediaType, body });
      }
      case 'shared document': {
        const { mediaType, fields, encoded } = result;
        const { bytes: body, etag, isCompressed } = encoded(exchange.headers['accept-encoding']);
        const ofContent = isCompressed ? [...fields, 'Content-Encoding', 'gzip'] : fields;
        const vary = `${this.#vary}, Accept-Encoding`;
        return this.#sendVersioned(exchange, { status: 200, etag, mediaType, body, ofContent, vary });
      }
      case 'stream':
        return this.#stream(exchange, result);
      case 'none':
        return this.#send(exchange, 204, []);
      default:
        result satisfies never; // a new kind doesn't compile without its case
    }
  }

  /** Sends a stored response again. */
  replay(exchange: Exchange, { status, location, etag, text: body }: ReplayableResponse): void {
    const own = ['Idempotency-Replayed', 'true'];
    if (location !== null) own.push('Location', location);
    this.#sendVersioned(exchange, { status, etag, mediaType: json, body, own });
  }

  respondWithProblem(exchange: Exchange, problem: Problem): void {
    const { publicUrl, metrics } = this.#options;
    const { mounted, path, requestId } = exchange;
    const context = { publicUrl, invalidStatus: mounted?.invalidStatus ?? 400, path, requestId } as const;
    const { status, fields, text } = problemResponse(problem, context);
    if (problem.code === 'quota-exceeded') metrics.rejections.rate += 1;
    if (problem.code === 'unavailable') metrics.rejections.unavailable += 1;
    const event = securityEventOf(problem);
    if (event !== undefined && !exchange.hasSecurityEvents) exchange.reportSecurityEvent(event);
    this.#send(exchange, status, [...fields, ...contentFields(problemJson, text.length)], text);
  }

  /** Counts and logs bytes that are no request. Returns the connection's last response. */
  countedProblemText(problem: Problem, requestId: string, address: string): string {
    const { publicUrl, metrics } = this.#options;
    const context = { publicUrl, invalidStatus: 400, path: '/', requestId } as const;
    const { status, fields, text } = problemResponse(problem, context);
    metrics.observe(undefined, status, 0);
    this.log.writeUnparsed(requestId, status, address);
    const all = ['X-Request-Id', requestId, ...this.#transportFields, ...fields];
    return this.#lastText(status, [...all, ...contentFields(problemJson, text.length)], text);
  }

  /** `methods` are the methods of the path; undefined for a preflight to a path without routes. */
  respondToOptions(exchange: Exchange, methods: ReadonlyMap<string, MountedRoute> | undefined): void {
    const fields: string[] = [];
    if (methods !== undefined) fields.push('Allow', allowedMethods(methods).join(', '));
    if (methods?.has('PATCH') === true) fields.push('Accept-Patch', acceptPatch);
    if (this.cors.isEnabled) fields.push('Vary', 'Origin');
    this.#send(exchange, 204, [...fields, ...this.cors.preflightFieldsFor(exchange.headers)]);
  }

  /** For a GET or HEAD: throws 412 if If-Match fails, and sends a 304 if the client has this version. */
  #sendVersioned(exchange: Exchange, response: Versioned): void {
    const { status, etag, mediaType, body, own = [], ofContent = jsonPolicyFields } = response;
    const { vary = this.#vary } = response;
    const { method, reply } = exchange.route;
    const fields = ['ETag', etag, 'Cache-Control', cacheControlOf(reply), 'Vary', vary, ...own];
    if (method === 'GET') {
      checkMatch(exchange.headers, etag);
      if (isUnmodified(exchange.headers, etag)) return this.#send(exchange, 304, fields);
    }
    fields.push(...ofContent, ...contentFields(mediaType, body.length));
    this.#send(exchange, status, fields, body);
  }

  #send(exchange: Exchange, status: number, fields: HeaderFields, body: string | Buffer = ''): void {
    const { response } = exchange;
    const isLogged = this.log.takeLine(exchange, status);
    this.log.reportSecurityEvents(exchange, isLogged); // even if the client has gone
    // a response that has begun and failed must not look complete
    if (response.headersSent) return response.writableEnded ? undefined : void response.destroy();
    const milliseconds = performance.now() - exchange.startedAt;
    const end = response.destroyed ? 'client' : undefined;
    if (end === undefined) this.#write(exchange, status, fields, body);
    this.#options.metrics.observe(exchange.mounted?.route, status, milliseconds);
    if (isLogged) this.log.write(exchange, { status, milliseconds, end });
  }

  #write(exchange: Exchange, status: number, fields: HeaderFields, body: string | Buffer): void {
    const { connection, method, response } = exchange;
    if (!connection.isAtLast || typeof body !== 'string') {
      this.#writeHead(exchange, status, fields);
      response.end(body, 'latin1');
      return this.#unsent.add(connection.socket);
    }
    // `node:http` would close the connection at once, and a client that still sends would lose the response
    const text = method === 'HEAD' ? '' : body;
    connection.end(this.#lastText(status, this.#fieldsOf(exchange, fields), text));
    this.#unsent.add(connection.socket);
  }

  /** Starts a stream, which is counted when it begins and logged when it ends. */
  #stream(exchange: Exchange, { mediaType, start, fields = [] }: Streamed): void {
    const { response, startedAt, mounted } = exchange;
    const head = ['Cache-Control', notStored, 'Vary', this.#vary, 'X-Accel-Buffering', 'no', ...fields];
    head.push(...jsonPolicyFields, ...typeFields(mediaType));
    if (exchange.method === 'HEAD' || response.destroyed) return this.#send(exchange, 200, head);
    this.#unsent.forget(exchange.connection.socket);
    this.#writeHead(exchange, 200, head);
    this.#options.metrics.observe(mounted?.route, 200, performance.now() - startedAt);
    const onEnd: ConstructorParameters<typeof ResponseStream>[3] = (end, bytes) => {
      this.log.reportSecurityEvents(exchange, true);
      this.log.write(exchange, { status: 200, milliseconds: performance.now() - startedAt, end, bytes });
    };
    start(new ResponseStream(response, exchange.connection, this.#options.turns, onEnd));
  }

  /** `node:http` adds Date, Connection, and for a body of unknown length Transfer-Encoding. */
  #writeHead(exchange: Exchange, status: number, own: HeaderFields): void {
    const fields = this.#fieldsOf(exchange, own);
    const { connection } = exchange;
    const isLast = connection.isAtLast || isLastOfConnection(exchange);
    connection.hasAnnouncedEnd = isLast || this.#options.isStopping();
    if (connection.hasAnnouncedEnd) fields.push('Connection', 'close');
    else fields.push('Keep-Alive', `timeout=${this.#options.keepAliveSeconds}`);
    exchange.response.writeHead(status, reasonPhrases[status], fields);
  }

  #fieldsOf({ requestId, fields, headers }: Exchange, own: HeaderFields): string[] {
    const all = ['X-Request-Id', requestId, ...fields, ...this.#transportFields, ...own];
    if (this.cors.isEnabled) all.push(...this.cors.fieldsFor(headers));
    return all;
  }

  /** Returns a whole response that ends its connection, with one character for each byte. */
  #lastText(status: number, own: HeaderFields, body: string): string {
    const date = new Date(this.#options.now()).toUTCString();
    const lines = [...own, 'Date', date, 'Connection', 'close'].map(
      (part, index) => part + (index % 2 === 0 ? ': ' : '\r\n'),
    );
    return `HTTP/1.1 ${status} ${reasonPhrases[status]}\r\n${lines.join('')}\r\n${body}`;
  }
}

function contentFields(mediaType: string, bytes: number): HeaderFields {
  return [...typeFields(mediaType), 'Content-Length', String(bytes)];
}

function typeFields(mediaType: string): HeaderFields {
  return ['X-Content-Type-Options', 'nosniff', 'Content-Type', mediaType];
}
