// Sends responses: header fields, conditional requests and problems. Logs and counts each as it is sent.
import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { clientOf } from '../auth/access.ts';
import { Problem } from '../problem.ts';
import { isUnmodified } from './conditional.ts';
import { createCors, type Cors } from './cors.ts';
import { ExchangeLog, securityEventOf, type ExchangeLogOptions } from './exchange-log.ts';
import type { Exchange } from './exchange.ts';
import {
  objectOf,
  type HandlerResult,
  type ListPage,
  type ObjectResult,
  type SharedDocument,
  type Streamed,
} from './handler-result.ts';
import { acceptPatch, json, problemJson } from './media-types.ts';
import { chooseCoding } from './negotiate.ts';
import type { HeaderFields } from './node-http.ts';
import { problemResponse } from './problem-response.ts';
import { toWireLatin1 } from './representation.ts';
import {
  addBodyFields,
  jsonPolicyFields,
  problemFields,
  strictTransport,
  writeHead,
} from './response-head.ts';
import { ResponseStream } from './response-stream.ts';
import { headOf, notStored } from './reply.ts';
import type { Route } from './route.ts';
import { allowedMethods, type MountedRoute } from './router.ts';
import { UnsentResponses } from './unsent-responses.ts';

export type ResponderOptions = ExchangeLogOptions & {
  readonly publicUrl: string;
  readonly isTls: boolean;
  readonly corsOrigins: ReadonlySet<string>;
  readonly isStopping: () => boolean;
  /** Runs `task` on a request in a later turn of the event loop. */
  readonly runLater: (exchange: Exchange, task: () => void) => void;
};

/** The stored part of a response, from which it can be replayed. */
export type ReplayableResponse = {
  readonly status: number;
  readonly location: string | null;
  readonly etag: string;
  readonly text: string;
};

/** Each character of a string is one byte of UTF-8 (`latin1`), so it is sent with the head in one write. */
type ResponseBody = string | Buffer;
type OutgoingResponse = {
  readonly status: number;
  readonly fields: string[];
  readonly mediaType: string;
  readonly body: ResponseBody;
};

/** `own` has the header fields that only this response has. */
type TextResponse = {
  readonly status: number;
  readonly mediaType: string;
  readonly text: string;
  readonly etag: string;
  readonly own: HeaderFields;
};

const noFields: HeaderFields = [];

export class Responder {
  readonly #options: ResponderOptions;
  readonly #cors: Cors;
  readonly #transportFields: HeaderFields;
  readonly #vary: string;
  readonly #unsent: UnsentResponses;
  readonly #log: ExchangeLog;

  constructor(options: ResponderOptions) {
    this.#options = options;
    this.#log = new ExchangeLog(options);
    this.#unsent = new UnsentResponses({ onDrop: () => (options.metrics.dropped.unread += 1) });
    this.#cors = createCors(options.corsOrigins);
    this.#transportFields = options.isTls ? strictTransport : [];
    this.#vary = `Accept, Authorization, X-API-Key${this.#cors.isEnabled ? ', Origin' : ''}`;
  }

  respond(exchange: Exchange, route: Route, result: HandlerResult): void {
    switch (result.kind) {
      case 'object':
      case 'change':
        return this.#sendObject(exchange, route, result);
      case 'list':
        return this.#sendPage(exchange, route, result);
      case 'document':
        return this.#sendText(exchange, route, { ...result, status: 200, own: noFields });
      case 'shared document':
        return this.#sendShared(exchange, route, result);
      case 'stream':
        return this.#stream(exchange, result);
      case 'none':
        return this.#send(exchange, 204, this.#fieldsOf(exchange), '');
      default:
        result satisfies never; // a new kind doesn't compile without its case
    }
  }

  #sendObject(exchange: Exchange, route: Route, result: ObjectResult<unknown>): void {
    const { text, etag } = objectOf(result);
    const { status, location } = headOf(route.reply, result);
    const own = location === undefined ? noFields : ['Location', location];
    this.#sendText(exchange, route, { status, mediaType: json, text, etag, own });
  }

  #sendPage(exchange: Exchange, route: Route, { text, etag, next }: ListPage<unknown>): void {
    const own = next === null ? noFields : ['Link', `<${next}>; rel="next"`];
    this.#sendText(exchange, route, { status: 200, mediaType: json, text, etag, own });
  }

  #sendText(exchange: Exchange, { method, reply }: Route, response: TextResponse): void {
    const { status, mediaType, text, etag, own } = response;
    const { cacheControl = notStored } = reply;
    const fields = this.#fieldsOf(exchange);
    fields.push('ETag', etag, 'Cache-Control', cacheControl, 'Vary', this.#vary, ...own);
    if (method === 'GET' && isUnmodified(exchange.headers, etag))
      return this.#send(exchange, 304, fields, '');
    fields.push(...jsonPolicyFields);
    this.#sendBody(exchange, { status, fields, mediaType, body: text });
  }

  #sendShared(
    exchange: Exchange,
    { reply }: Route,
    { mediaType, fields: own, encoded }: SharedDocument<unknown>,
  ): void {
    const { coding, bytes, etag } = encoded(chooseCoding(exchange.headers['accept-encoding']));
    const { cacheControl = notStored } = reply;
    const fields = this.#fieldsOf(exchange);
    fields.push('ETag', etag, 'Cache-Control', cacheControl, 'Vary', `${this.#vary}, Accept-Encoding`);
    if (isUnmodified(exchange.headers, etag)) return this.#send(exchange, 304, fields, '');
    fields.push(...own);
    if (coding !== 'identity') fields.push('Content-Encoding', coding);
    this.#sendBody(exchange, { status: 200, fields, mediaType, body: bytes });
  }

  /** Sends a stored response again. */
  replay(exchange: Exchange, route: Route, stored: ReplayableResponse): void {
    const { status, location, etag, text } = stored;
    const { cacheControl = notStored } = route.reply;
    const fields = this.#fieldsOf(exchange);
    fields.push('ETag', etag, 'Cache-Control', cacheControl, 'Vary', this.#vary);
    fields.push('Idempotency-Replayed', 'true', ...jsonPolicyFields);
    if (location !== null) fields.push('Location', location);
    this.#sendBody(exchange, { status, fields, mediaType: json, body: text });
  }

  /** Whether the request is a preflight from an origin that the settings allow. */
  allowsPreflight({ headers }: Exchange): boolean {
    return this.#cors.allowsPreflight(headers);
  }

  /** `methods` are those of the path; undefined for a preflight to a path without routes. */
  respondToOptions(exchange: Exchange, methods: ReadonlyMap<string, MountedRoute> | undefined): void {
    const fields = this.#fieldsOf(exchange);
    if (methods !== undefined) fields.push('Allow', allowedMethods(methods).join(', '));
    if (methods?.has('PATCH') === true) fields.push('Accept-Patch', acceptPatch);
    if (this.#cors.isEnabled) fields.push('Vary', 'Origin');
    fields.push(...this.#cors.preflightFieldsFor(exchange.headers));
    this.#send(exchange, 204, fields, '');
  }

  respondWithProblem(exchange: Exchange, problem: Problem): void {
    const response = problemResponse(problem, {
      publicUrl: this.#options.publicUrl,
      invalidStatus: exchange.mounted?.invalidStatus ?? 400,
      path: exchange.path,
      requestId: exchange.requestId,
    });
    this.#log.countProblem(problem);
    const event = securityEventOf(problem);
    if (event !== undefined && !exchange.draft.hasSecurityEvents) exchange.draft.addSecurityEvent(event);
    const fields = this.#fieldsOf(exchange);
    fields.push(...response.fields, ...problemFields);
    const body = toWireLatin1(response.json);
    this.#sendBody(exchange, { status: response.status, fields, mediaType: problemJson, body });
  }

  /** Returns the header fields of every response. */
  #fieldsOf(exchange: Exchange): string[] {
    const fields = ['X-Request-Id', exchange.requestId];
    exchange.draft.addFieldsTo(fields);
    fields.push(...this.#transportFields);
    if (this.#cors.isEnabled) fields.push(...this.#cors.fieldsFor(exchange.headers));
    const deprecated = exchange.mounted?.route.deprecated;
    if (deprecated !== undefined) fields.push(...deprecationFields(deprecated));
    return fields;
  }

  #sendBody(exchange: Exchange, { status, fields, mediaType, body }: OutgoingResponse): void {
    addBodyFields(fields, mediaType, body.length);
    this.#send(exchange, status, fields, body);
  }

  #send(exchange: Exchange, status: number, fields: string[], body: ResponseBody): void {
    const { response } = exchange;
    const isLogged = this.#log.takeLine(exchange, status);
    this.#log.reportSecurityEvents(exchange, { isLogged }); // even if the client has gone
    if (response.headersSent) return abortIncomplete(response);
    const milliseconds = performance.now() - exchange.startedAt;
    const end = response.destroyed ? 'client' : undefined;
    if (end === undefined) this.#write(exchange, { status, fields, body });
    this.#options.metrics.observe(exchange.mounted?.route, status, milliseconds);
    if (isLogged) this.#log.write(exchange, { status, milliseconds, end });
  }

  #write(exchange: Exchange, { status, fields, body }: Omit<OutgoingResponse, 'mediaType'>): void {
    const { response } = exchange;
    if (this.#options.isStopping()) response.shouldKeepAlive = false;
    writeHead(exchange, { status, fields });
    response.end(body, 'latin1');
    const isCopied = typeof body === 'string' || this.#options.isTls;
    if (isCopied) this.#boundUnsent(exchange); // other bytes are shared by all responses
  }

  /** Starts a stream, which is counted when it begins and logged when it ends. */
  #stream(exchange: Exchange, { mediaType, start, fields: own }: Streamed): void {
    const fields = this.#fieldsOf(exchange);
    fields.push('Cache-Control', notStored, 'Vary', this.#vary, 'X-Accel-Buffering', 'no');
    fields.push(...own, ...jsonPolicyFields, 'X-Content-Type-Options', 'nosniff', 'Content-Type', mediaType);
    const { response, startedAt } = exchange;
    if (exchange.method === 'HEAD' || response.destroyed) return this.#send(exchange, 200, fields, '');
    writeHead(exchange, { status: 200, fields });
    this.#options.metrics.observe(exchange.mounted?.route, 200, performance.now() - startedAt);
    start(
      new ResponseStream(response, {
        runLater: (task) => this.#options.runLater(exchange, task),
        onEnd: (reason, bytes) => {
          this.#log.reportSecurityEvents(exchange, { isLogged: true });
          this.#log.write(exchange, {
            status: 200,
            milliseconds: performance.now() - startedAt,
            end: reason,
            bytes,
          });
        },
      }),
    );
  }

  #boundUnsent(exchange: Exchange): void {
    const { response } = exchange;
    const bytes = response.socket?.writableLength ?? 0;
    if (bytes > 0) this.#unsent.add({ response, client: clientOf(exchange), bytes });
  }
}

/** Aborts a response that has begun and failed, so that it doesn't look complete. */
function abortIncomplete(response: ServerResponse): void {
  if (!response.writableEnded) response.destroy();
}

/** Returns Deprecation (RFC 9745), Sunset (RFC 8594), and a link to the documentation. */
function deprecationFields({ since, sunset, see }: NonNullable<Route['deprecated']>): HeaderFields {
  const fields = ['Deprecation', `@${Math.floor(since.getTime() / 1000)}`];
  if (sunset !== undefined) fields.push('Sunset', sunset.toUTCString());
  if (see !== undefined) fields.push('Link', `<${see}>; rel="deprecation"; type="text/html"`);
  return fields;
}
