// Responses: header fields, conditional requests and problems; each is logged and counted as it leaves.
import assert from 'node:assert';
import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { clientOf } from '../auth/access.ts';
import { Problem } from '../problem.ts';
import { urlBytesMax } from '../limits.ts';
import type { RequestLine } from '../log-lines.ts';
import type { Logger } from '../logger.ts';
import { noSecurityEvents, securityEventLevels, type SecurityEvent } from '../security-event.ts';
import { isUnmodified } from './conditional.ts';
import { createCors, type Cors } from './cors.ts';
import type { Exchange } from './exchange.ts';
import { acceptPatch, json, problemJson } from './media-types.ts';
import type { LogAllowance } from './log-allowance.ts';
import type { Metrics } from './metrics.ts';
import { chooseCoding } from './negotiate.ts';
import { problemResponse } from './problem-response.ts';
import { toWireLatin1, type Representation } from './representation.ts';
import {
  addBodyFields,
  jsonPolicyFields,
  problemFields,
  strictTransport,
  writeHead,
  type HeaderFields,
} from './response-head.ts';
import { ResponseStream } from './response-stream.ts';
import type { Route } from './route.ts';
import { allowOf, type Mounted } from './router.ts';
import { UnsentResponses } from './unsent-responses.ts';

export type ResponderOptions = {
  readonly publicUrl: string;
  readonly isTls: boolean;
  readonly corsOrigins: ReadonlySet<string>;
  readonly isStopping: () => boolean;
  readonly log: Logger;
  readonly logAllowance: LogAllowance;
  readonly metrics: Metrics;
  readonly now: () => number;
  /** Runs `task` on a request in a later turn of the event loop. */
  readonly runLater: (exchange: Exchange, task: () => void) => void;
};

/** What is stored of a response, to replay it. */
export type ReplayableResponse = {
  readonly status: number;
  readonly location: string | null;
  readonly etag: string;
  readonly text: string;
};

/** A string holds UTF-8 bytes, one a character (Node's `latin1`): so it leaves with the head in one write. */
type Body = string | Buffer;
type OutgoingResponse = {
  readonly status: number;
  readonly fields: string[];
  readonly mediaType: string;
  readonly body: Body;
};

type Outcome = Pick<RequestLine, 'status' | 'milliseconds' | 'end' | 'bytes'>;

export class Responder {
  readonly #options: ResponderOptions;
  readonly #cors: Cors;
  readonly #transportFields: HeaderFields;
  readonly #vary: string;
  readonly #unsent: UnsentResponses;

  constructor(options: ResponderOptions) {
    this.#options = options;
    this.#unsent = new UnsentResponses({ onDrop: () => (options.metrics.dropped.unread += 1) });
    this.#cors = createCors(options.corsOrigins);
    this.#transportFields = options.isTls ? strictTransport : [];
    this.#vary = `Accept, Authorization, X-API-Key${this.#cors.isEnabled ? ', Origin' : ''}`;
  }

  respond(exchange: Exchange, route: Route, representation: Representation<unknown>): void {
    assertConditional(exchange, route);
    if (representation.stream !== undefined) return this.#stream(exchange, representation);
    const { reply } = route;
    const fields = this.#fieldsOf(exchange);
    if (reply.kind === 'none') return this.#send(exchange, 204, fields, '');
    const encoded = representation.encoded?.(chooseCoding(exchange.headers['accept-encoding']));
    const etag = encoded === undefined ? representation.etag : encoded.etag;
    const vary = encoded === undefined ? this.#vary : `${this.#vary}, Accept-Encoding`;
    fields.push('ETag', etag, 'Cache-Control', reply.cacheControl, 'Vary', vary);
    if (representation.next !== undefined && representation.next !== null)
      fields.push('Link', `<${representation.next}>; rel="next"`);
    const isRead = reply.status === 200 && route.method === 'GET';
    if (isRead && isUnmodified(exchange.headers, etag)) return this.#send(exchange, 304, fields, '');
    const locationOf = representation.isNew === true ? reply.newLocation : reply.location;
    if (locationOf !== undefined) fields.push('Location', locationOf(representation));
    fields.push(...(representation.fields ?? jsonPolicyFields));
    if (encoded !== undefined && encoded.coding !== 'identity')
      fields.push('Content-Encoding', encoded.coding);
    const body = encoded === undefined ? representation.text : encoded.bytes;
    const status = representation.isNew === true ? 201 : reply.status;
    this.#sendBody(exchange, { status, fields, mediaType: representation.mediaType, body });
  }

  /** Sends a stored response again. */
  replay(exchange: Exchange, route: Route, stored: ReplayableResponse): void {
    const { status, location, etag, text } = stored;
    const fields = this.#fieldsOf(exchange);
    fields.push('ETag', etag, 'Cache-Control', route.reply.cacheControl, 'Vary', this.#vary);
    fields.push('Idempotency-Replayed', 'true', ...jsonPolicyFields);
    if (location !== null) fields.push('Location', location);
    this.#sendBody(exchange, { status, fields, mediaType: json, body: text });
  }

  /** `methods` of the path; undefined for a preflight to a path without routes. */
  respondToOptions(exchange: Exchange, methods: ReadonlyMap<string, Mounted> | undefined): void {
    const fields = this.#fieldsOf(exchange);
    if (methods !== undefined) fields.push('Allow', allowOf(methods).join(', '));
    if (methods?.has('PATCH') === true) fields.push('Accept-Patch', acceptPatch);
    if (this.#cors.isEnabled) fields.push('Vary', 'Origin');
    fields.push(...this.#cors.preflightFieldsFor(exchange.headers));
    this.#send(exchange, 204, fields, '');
  }

  respondWithProblem(exchange: Exchange, problem: Problem): void {
    const response = problemResponse(problem, {
      publicUrl: this.#options.publicUrl,
      invalidStatus: exchange.mounted?.invalidStatus ?? 400,
      path: exchange.path.slice(0, urlBytesMax),
      requestId: exchange.requestId,
    });
    this.#countProblem(problem);
    const event = securityEventOf(problem);
    if (event !== undefined && exchange.securityEvents.length === 0) exchange.report(event);
    const fields = this.#fieldsOf(exchange);
    fields.push(...response.fields, ...problemFields);
    const body = toWireLatin1(response.json);
    this.#sendBody(exchange, { status: response.status, fields, mediaType: problemJson, body });
  }

  /** The header fields of every response. */
  #fieldsOf(exchange: Exchange): string[] {
    const fields = ['X-Request-Id', exchange.requestId];
    for (const state of exchange.bucketStates) fields.push(...state.fields);
    fields.push(...this.#transportFields);
    if (this.#cors.isEnabled) fields.push(...this.#cors.fieldsFor(exchange.headers));
    if (exchange.cookieToSet !== undefined) fields.push('Set-Cookie', exchange.cookieToSet);
    const deprecated = exchange.mounted?.route.deprecated;
    if (deprecated !== undefined) fields.push(...deprecationFields(deprecated));
    return fields;
  }

  #sendBody(exchange: Exchange, { status, fields, mediaType, body }: OutgoingResponse): void {
    addBodyFields(fields, mediaType, body.length);
    this.#send(exchange, status, fields, body);
  }

  #send(exchange: Exchange, status: number, fields: string[], body: Body): void {
    const { response } = exchange;
    const isLogged = this.#isLogged(exchange, status);
    this.#countSecurityEvents(exchange); // also if the client has gone
    if (isLogged) this.#logSecurityEvents(exchange);
    exchange.securityEvents = noSecurityEvents;
    if (response.headersSent) return abortIncomplete(response);
    if (response.destroyed) return;
    if (this.#options.isStopping()) response.shouldKeepAlive = false;
    const milliseconds = performance.now() - exchange.startedAt;
    writeHead(exchange, { status, fields });
    response.end(body, 'latin1');
    const isCopied = typeof body === 'string' || this.#options.isTls;
    if (isCopied) this.#boundUnsent(exchange); // otherwise all responses share the bytes
    this.#options.metrics.observe(exchange.mounted?.index ?? -1, status, milliseconds);
    if (isLogged) this.#log(exchange, { status, milliseconds });
  }

  #isLogged(exchange: Exchange, status: number): boolean {
    if (exchange.isRateLimited && status !== 429) return true;
    return this.#options.logAllowance.permits(exchange.address, status);
  }

  /** Counted as it begins, logged as it ends. */
  #stream(exchange: Exchange, { mediaType, stream, fields: own = [] }: Representation<unknown>): void {
    const fields = this.#fieldsOf(exchange);
    fields.push('Cache-Control', 'no-store', 'Vary', this.#vary, 'X-Accel-Buffering', 'no');
    fields.push(...own, ...jsonPolicyFields, 'X-Content-Type-Options', 'nosniff', 'Content-Type', mediaType);
    const { response, startedAt } = exchange;
    if (exchange.method === 'HEAD' || stream === undefined) return this.#send(exchange, 200, fields, '');
    if (response.destroyed) return;
    writeHead(exchange, { status: 200, fields });
    this.#options.metrics.observe(exchange.mounted?.index ?? -1, 200, performance.now() - startedAt);
    stream(
      new ResponseStream(response, {
        runLater: (task) => this.#options.runLater(exchange, task),
        onEnd: (end, bytes) =>
          this.#log(exchange, { status: 200, milliseconds: performance.now() - startedAt, end, bytes }),
      }),
    );
  }

  #log(exchange: Exchange, { status, milliseconds, end, bytes }: Outcome): void {
    const { requestId, method, path, caller, clientAddress, headers } = exchange;
    const now = end === undefined ? exchange.now : this.#options.now();
    const principal = caller?.principal ?? null;
    this.#options.log.request(
      {
        requestId,
        method,
        path,
        status,
        milliseconds,
        address: clientAddress,
        principal,
        traceparent: headers['traceparent'],
        end,
        bytes,
      },
      now,
    );
  }

  #boundUnsent(exchange: Exchange): void {
    const { response } = exchange;
    const bytes = response.socket?.writableLength ?? 0;
    if (bytes > 0) this.#unsent.add({ response, client: clientOf(exchange), bytes });
  }

  #countProblem({ kind }: Problem): void {
    const { rejections } = this.#options.metrics;
    if (kind === 'quota-exceeded') rejections.rate += 1;
    if (kind === 'unavailable') rejections.unavailable += 1;
  }

  #countSecurityEvents({ securityEvents }: Exchange): void {
    for (const { name } of securityEvents) this.#options.metrics.countEvent(name);
  }

  #logSecurityEvents(exchange: Exchange): void {
    if (exchange.securityEvents.length === 0) return;
    const { log } = this.#options;
    const { requestId, clientAddress: address, caller } = exchange;
    for (const { name, ...details } of exchange.securityEvents) {
      const principal = caller?.principal ?? null;
      log.write(securityEventLevels[name], name, { requestId, address, principal, ...details });
    }
  }
}

/** A change that is declared conditional checks the precondition itself; reads are conditional anyway. */
function assertConditional(
  { isPreconditionChecked }: Exchange,
  { method, path, isConditional }: Route,
): void {
  const isMissing = isConditional === true && method !== 'GET' && !isPreconditionChecked;
  assert(!isMissing, `${method} ${path} is declared conditional and checks no precondition`);
}

/** A response that fails midway must not look complete. */
function abortIncomplete(response: ServerResponse): void {
  if (!response.writableEnded) response.destroy();
}

/** How the log names a problem if no handler has reported something more exact. */
function securityEventOf({ kind, details }: Problem): SecurityEvent | undefined {
  if (kind === 'forbidden' || kind === 'insufficient-scope') return { name: 'authz_fail', code: kind };
  if (kind === 'quota-exceeded')
    return { name: 'excess_rate_limit_exceeded', policies: details.violated ?? [] };
  return undefined;
}

/** RFC 9745 and RFC 8594. */
function deprecationFields({ since, sunset, see }: NonNullable<Route['deprecated']>): HeaderFields {
  const fields = ['Deprecation', `@${Math.floor(since.getTime() / 1000)}`];
  if (sunset !== undefined) fields.push('Sunset', sunset.toUTCString());
  if (see !== undefined) fields.push('Link', `<${see}>; rel="deprecation"; type="text/html"`);
  return fields;
}
