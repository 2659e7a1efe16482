// Sends responses: header fields, conditional requests and problems. Logs and counts each as it is sent.
import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { clientOf } from '../../auth/access.ts';
import { headerLine, headerLines, type HeaderLines } from '../../base/header-lines.ts';
import { Problem, securityEventOf } from '../../problem.ts';
import { checkMatch, isUnmodified } from './conditional.ts';
import { createCors, type Cors } from '../responses/cors.ts';
import { ExchangeLog, type ExchangeLogOptions } from './exchange-log.ts';
import type { Exchange } from './exchange.ts';
import {
  type Document,
  type HandlerResult,
  type ListPage,
  type Streamed,
  cacheControlOf,
  headOf,
  notStored,
  type Reply,
} from '../routing/reply.ts';
import { type SharedDocument } from '../responses/shared-document.ts';
import { acceptPatch, json, problemJson } from '../responses/media-types.ts';
import { plainAddress } from '../connections/peer.ts';
import { problemResponse } from '../responses/problem-response.ts';
import { etagOf, toWireLatin1, type Representation } from '../responses/representation.ts';
import {
  beginStream,
  bodyLines,
  typeLines,
  jsonPolicyLines,
  lastHeadText,
  problemLines,
  sendWhole,
  strictTransport,
  type ResponseBody,
} from '../responses/response-head.ts';
import { ResponseStream } from '../responses/response-stream.ts';
import { allowedMethods, type MountedRoute } from '../routing/router.ts';
import { UnsentResponses } from '../responses/unsent-responses.ts';

export type ResponderOptions = ExchangeLogOptions & {
  readonly publicUrl: string;
  readonly isTls: boolean;
  readonly corsOrigins: ReadonlySet<string>;
  readonly isStopping: () => boolean;
  /** Runs `task` on a request in a later turn of the event loop. */
  readonly runLater: (exchange: Exchange, task: () => void) => void;
};

/** Bytes that are no request. The address is the other end's; undefined once the connection is closed. */
type UnparsedRequest = { readonly requestId: string; readonly remoteAddress: string | undefined };

/** The stored part of a response, from which it can be replayed. */
export type ReplayableResponse = {
  readonly status: number;
  readonly location: string | null;
  readonly etag: string;
  readonly text: string;
};

/**
 * `lines` are all header lines except those that `response-head.ts` adds; an empty `body` means a response
 * without body.
 */
type OutgoingResponse = {
  readonly status: number;
  readonly lines: HeaderLines;
  readonly body: ResponseBody;
};

/** A response that still lacks the lines that describe its body. */
type ResponseWithBody = OutgoingResponse & { readonly mediaType: string };

/** A response that is a 304 if the client has this version. */
type VersionedResponse = {
  readonly status: number;
  readonly mediaType: string;
  readonly body: ResponseBody;
  readonly etag: string;
  readonly varyLine?: HeaderLines;
  /** Header lines of this response alone, also of its 304. */
  readonly own?: HeaderLines;
  /** Header lines that the 304 lacks. */
  readonly contentLines?: HeaderLines;
};

export class Responder {
  readonly #options: ResponderOptions;
  readonly #cors: Cors;
  readonly #transportLines: HeaderLines;
  readonly #varyLine: HeaderLines;
  /** The Vary line of a response that also depends on Accept-Encoding. */
  readonly #varyWithCodingLine: HeaderLines;
  readonly #unsent: UnsentResponses;
  readonly #log: ExchangeLog;

  constructor(options: ResponderOptions) {
    this.#options = options;
    this.#log = new ExchangeLog(options);
    this.#unsent = new UnsentResponses(() => (options.metrics.dropped.unread += 1));
    this.#cors = createCors(options.corsOrigins);
    this.#transportLines = options.isTls ? strictTransport : '';
    const vary = `Accept, Authorization, X-API-Key${this.#cors.isEnabled ? ', Origin' : ''}`;
    this.#varyLine = headerLine('Vary', vary);
    this.#varyWithCodingLine = headerLine('Vary', `${vary}, Accept-Encoding`);
  }

  respond(exchange: Exchange, result: HandlerResult): void {
    switch (result.kind) {
      case 'object':
        return this.#sendObject(exchange, result);
      case 'list':
        return this.#sendPage(exchange, result);
      case 'document':
        return this.#sendDocument(exchange, result);
      case 'shared document':
        return this.#sendShared(exchange, result);
      case 'stream':
        return this.#stream(exchange, result);
      case 'none':
        return this.#send(exchange, { status: 204, lines: this.#linesOf(exchange), body: '' });
      default:
        result satisfies never; // a new kind doesn't compile without its case
    }
  }

  #sendObject(exchange: Exchange, object: Representation<unknown>): void {
    const { text, etag } = object;
    const { status, location } = headOf(exchange.route.reply, object);
    const own = location === undefined ? '' : headerLine('Location', location);
    this.#sendVersioned(exchange, { status, mediaType: json, body: text, etag, own });
  }

  #sendDocument(exchange: Exchange, { content, mediaType = exchange.mediaType }: Document<unknown>): void {
    const body = toWireLatin1(typeof content === 'string' ? content : JSON.stringify(content));
    this.#sendVersioned(exchange, { status: 200, mediaType, body, etag: etagOf(body) });
  }

  #sendPage(exchange: Exchange, { text, etag, next }: ListPage<unknown>): void {
    const own = next === null ? '' : headerLine('Link', `<${next}>; rel="next"`);
    this.#sendVersioned(exchange, { status: 200, mediaType: json, body: text, etag, own });
  }

  #sendShared(exchange: Exchange, { mediaType, lines, encoded }: SharedDocument<unknown>): void {
    const { bytes: body, etag, isCompressed } = encoded(exchange.headers['accept-encoding']);
    const contentLines = isCompressed ? lines + headerLine('Content-Encoding', 'gzip') : lines;
    const varyLine = this.#varyWithCodingLine;
    this.#sendVersioned(exchange, { status: 200, mediaType, body, etag, varyLine, contentLines });
  }

  /** For a GET or HEAD: throws 412 if If-Match fails, and sends a 304 if the client has this version. */
  #sendVersioned(exchange: Exchange, response: VersionedResponse): void {
    const { method, reply } = exchange.route;
    const { status, mediaType, body, etag } = response;
    const { varyLine = this.#varyLine, own = '', contentLines = jsonPolicyLines } = response;
    const lines =
      this.#linesOf(exchange) + headerLine('ETag', etag) + this.#cachingLines(reply, varyLine) + own;
    if (method === 'GET') {
      checkMatch(exchange.headers, etag);
      if (isUnmodified(exchange.headers, etag)) return this.#send(exchange, { status: 304, lines, body: '' });
    }
    this.#sendBody(exchange, { status, lines: lines + contentLines, mediaType, body });
  }

  /** Sends a stored response again. */
  replay(exchange: Exchange, stored: ReplayableResponse): void {
    const { status, location, etag, text } = stored;
    let lines = this.#linesOf(exchange) + headerLine('ETag', etag) + this.#cachingLines(exchange.route.reply);
    lines += headerLine('Idempotency-Replayed', 'true') + jsonPolicyLines;
    if (location !== null) lines += headerLine('Location', location);
    this.#sendBody(exchange, { status, lines, mediaType: json, body: text });
  }

  /** Whether the request is a preflight from an origin that the settings allow. */
  allowsPreflight({ headers }: Exchange): boolean {
    return this.#cors.allowsPreflight(headers);
  }

  /** `methods` are the methods of the path; undefined for a preflight to a path without routes. */
  respondToOptions(exchange: Exchange, methods: ReadonlyMap<string, MountedRoute> | undefined): void {
    let lines = this.#linesOf(exchange);
    if (methods !== undefined) lines += headerLine('Allow', allowedMethods(methods).join(', '));
    if (methods?.has('PATCH') === true) lines += headerLine('Accept-Patch', acceptPatch);
    if (this.#cors.isEnabled) lines += headerLine('Vary', 'Origin');
    lines += this.#cors.preflightLinesFor(exchange.headers);
    this.#send(exchange, { status: 204, lines, body: '' });
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
    if (event !== undefined && !exchange.hasSecurityEvents) exchange.reportSecurityEvent(event);
    const lines = this.#linesOf(exchange) + response.lines + problemLines;
    const body = toWireLatin1(response.json);
    this.#sendBody(exchange, { status: response.status, lines, mediaType: problemJson, body });
  }

  /** Counts and logs bytes that are no request. Returns the text of the connection's last response. */
  lastProblemText(problem: Problem, { requestId, remoteAddress }: UnparsedRequest): string {
    const { publicUrl, metrics, now } = this.#options;
    const context = { publicUrl, invalidStatus: 400, path: '/', requestId } as const;
    const { status, lines: own, json } = problemResponse(problem, context);
    metrics.observe(undefined, status, 0);
    this.#log.writeUnparsed({ requestId, status, address: plainAddress(remoteAddress ?? '') });
    const text = toWireLatin1(json);
    let lines = headerLine('X-Request-Id', requestId) + this.#transportLines + own + problemLines;
    lines += bodyLines(problemJson, text.length);
    return lastHeadText({ status, lines }, now()) + text;
  }

  /** Returns the header lines of every response. */
  #linesOf(exchange: Exchange): HeaderLines {
    let lines = headerLine('X-Request-Id', exchange.requestId) + exchange.addedLines + this.#transportLines;
    if (this.#cors.isEnabled) lines += this.#cors.linesFor(exchange.headers);
    return lines;
  }

  #cachingLines(reply: Reply, varyLine = this.#varyLine): HeaderLines {
    return headerLine('Cache-Control', cacheControlOf(reply)) + varyLine;
  }

  #sendBody(exchange: Exchange, { status, lines, mediaType, body }: ResponseWithBody): void {
    this.#send(exchange, { status, lines: lines + bodyLines(mediaType, body.length), body });
  }

  #send(exchange: Exchange, outgoing: OutgoingResponse): void {
    const { response } = exchange;
    const { status } = outgoing;
    const isLogged = this.#log.takeLine(exchange, status);
    this.#log.reportSecurityEvents(exchange, { isLogged }); // even if the client has gone
    if (response.headersSent) return abortIncomplete(response);
    const milliseconds = performance.now() - exchange.startedAt;
    const end = response.destroyed ? 'client' : undefined;
    if (end === undefined) this.#write(exchange, outgoing);
    this.#options.metrics.observe(exchange.mounted?.route, status, milliseconds);
    if (isLogged) this.#log.write(exchange, { status, milliseconds, end });
  }

  #write(exchange: Exchange, { status, lines, body }: OutgoingResponse): void {
    const { response } = exchange;
    if (this.#options.isStopping()) response.shouldKeepAlive = false;
    sendWhole(exchange, { status, lines }, { body, now: this.#options.now() });
    const { socket } = response;
    if (socket === null) return;
    // without TLS, all responses share the bytes of a document
    const isShared = typeof body !== 'string' && !this.#options.isTls;
    this.#unsent.add(socket, isShared ? undefined : clientOf(exchange));
  }

  /** Starts a stream, which is counted when it begins and logged when it ends. */
  #stream(exchange: Exchange, { mediaType, start, fields = [] }: Streamed): void {
    let lines = this.#linesOf(exchange) + headerLine('Cache-Control', notStored) + this.#varyLine;
    lines +=
      headerLine('X-Accel-Buffering', 'no') + headerLines(fields) + jsonPolicyLines + typeLines(mediaType);
    const { response, startedAt } = exchange;
    if (exchange.method === 'HEAD' || response.destroyed)
      return this.#send(exchange, { status: 200, lines, body: '' });
    beginStream(exchange, { status: 200, lines });
    if (response.socket !== null) this.#unsent.add(response.socket, undefined); // a stream has a bound of its own
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
}

/** Aborts a response that has begun and failed, so that it doesn't look complete. */
function abortIncomplete(response: ServerResponse): void {
  if (!response.writableEnded) response.destroy();
}
