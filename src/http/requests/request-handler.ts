// The path of a request, from top to bottom: its head, its route, its caller, the rate, the right, the body, the
// handler, the response. Whatever a step throws ends in `fail`, for this request alone.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkAccess, clientOf, isStaff, type Caller } from '../../auth/access.ts';
import { causeOf, truncate } from '../../base/log-lines.ts';
import { Problem, invalid } from '../../problem.ts';
import type { Limiters } from '../../rates/limiter.ts';
import { schemaIssues } from '../../schema/schema-check.ts';
import type { Issue } from '../../schema/schema.ts';
import type { Connection } from '../connections/connection.ts';
import type { Expectation } from '../connections/http-server.ts';
import { checkTransport } from '../connections/peer.ts';
import { mediaTypesOf, type HandlerResult } from '../routing/reply.ts';
import { allowedMethods, type Match, type Router } from '../routing/router.ts';
import { checkPostConditions } from './conditional.ts';
import { authenticate } from './credential.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import { Idempotency, idempotencyKeyIssues, type ResponseStore, type StoredResponse } from './idempotency.ts';
import { checkContentType, chooseMediaType } from './negotiate.ts';
import { readQuery } from './query.ts';
import { hasBody, noBytes, RequestBody } from './request-body.ts';
import { checkHead, createRequestIds } from './request-head.ts';
import { Responder, type ResponderOptions } from './responder.ts';
import { parseJson } from './strict-json.ts';

type RequestHandlerOptions = ResponderOptions &
  ExchangeOptions & {
    readonly router: Router;
    readonly limiters: Pick<Limiters, 'default' | 'anonymous' | 'created'>;
    readonly responses: ResponseStore;
    readonly acceptsQueryKeys: boolean;
  };

/** Handles requests, and responds to bytes that are no valid request. */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  readonly #responder: Responder;
  readonly #idempotency: Idempotency;
  readonly #nextRequestId = createRequestIds();

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
    this.#responder = new Responder(options);
    this.#idempotency = new Idempotency(options.responses);
  }

  /** Answers a request once all earlier responses have left its connection; its body arrives meanwhile. */
  onRequest(
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
    expectation: Expectation,
  ): void {
    const { router, metrics } = this.#options;
    if (connection.isEnding) return void request.resume(); // nothing after the last request is answered
    metrics.loopDelay.sample();
    const body = hasBody(request)
      ? new RequestBody(request, connection, router.streamedBytesMax(request))
      : undefined;
    connection.body = body;
    request.once('close', () => connection.forget(body)); // an idle connection keeps nothing of its last request
    const incoming = { request, response, connection, expectation, body };
    const hasRoom = connection.begin(response, body?.isStreamed === true, () => {
      void this.#answer(new Exchange(incoming, this.#options, this.#nextRequestId));
    });
    if (!hasRoom) metrics.dropped.pipelined += 1;
    if (body?.problem !== undefined) connection.endAfterResponse(); // it announces too much
  }

  /** Counts and logs bytes that are no valid request. Returns the whole response. */
  onUnparsed(problem: Problem, address: string): string {
    return this.#responder.countedProblemText(problem, this.#nextRequestId(), address);
  }

  /** Called after the last response. */
  close(): void {
    this.#responder.log.endMinute();
  }

  /** Runs synchronously, unless the request has to wait for its body, for the disk or for a thread. */
  async #answer(exchange: Exchange): Promise<void> {
    try {
      this.#options.database.detectExternalCommits();
      this.#checkHead(exchange);
      const match = this.#options.router.find(exchange.path);
      exchange.match = match;
      exchange.mounted = match?.methods.get(exchange.method);
      const isOptions = exchange.method === 'OPTIONS';
      if (isOptions && this.#responder.cors.allowsPreflight(exchange.headers))
        return this.#responder.respondToOptions(exchange, match?.methods);
      this.#admit(exchange);
      if (match === undefined) throw nothingAt(exchange.path);
      if (isOptions) return this.#responder.respondToOptions(exchange, match.methods);
      if (exchange.mounted === undefined) throw methodNotAllowed(exchange, match);
      const { route, headers } = exchange;
      checkAccess(route, exchange.caller, match.params);
      exchange.mediaType = chooseMediaType(headers['accept'], mediaTypesOf(route.reply));
      if (exchange.incomingBody?.mayBeEmpty === true && route.streamedBody === undefined)
        await beginBody(exchange, exchange.incomingBody);
      checkContent(exchange, match);
      if (route.streamedBody !== undefined) beginStreamedBody(exchange);
      const bytes = route.body === undefined ? noBytes : await receiveBody(exchange);
      const issues = readContent(exchange, bytes);
      const stored = this.#findStored(exchange, bytes, issues);
      if (issues.length > 0) throw invalid(issues);
      if (stored !== undefined) return this.#responder.replay(exchange, stored);
      const result = this.#handle(exchange, bytes);
      const settled = result instanceof Promise ? await result : result;
      exchange.assertPreconditionChecked();
      this.#responder.respond(exchange, settled);
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  /** Rejects what is invalid for any path. A rejected request consumes a token of its network's bucket. */
  #checkHead(exchange: Exchange): void {
    const { headers, connection, expectation } = exchange;
    try {
      checkHead(exchange);
      // a probe carries and gets nothing of anybody's
      const isProbe = exchange.path.startsWith('/health/');
      if (!this.#options.isTls && !isProbe) checkTransport(connection.peer, headers);
      if (expectation === 'other') throw unknownExpectation();
    } catch (error) {
      exchange.consumeClientToken(this.#options.limiters.anonymous, exchange.network);
      throw error;
    }
  }

  /** Finds the caller if the route reads credentials, and consumes a token of the client's bucket. */
  #admit(exchange: Exchange): void {
    const { match, mounted } = exchange;
    const { limiters } = this.#options;
    const readsCredential = mounted !== undefined && mounted.route.access.credentials !== 'ignored';
    if (readsCredential) exchange.caller = this.#findCaller(exchange, true);
    // OPTIONS, and methods that the path lacks, draw on the same rate as the path's GET
    const { route } = mounted ?? match?.methods.get('GET') ?? {};
    if (route?.isUnlimited === true) return;
    const caller = readsCredential ? exchange.caller : this.#findCaller(exchange, false);
    if (caller === undefined) exchange.consumeClientToken(limiters.anonymous, exchange.network);
    else exchange.consumeClientToken(limiters.default, caller.client);
  }

  /** An invalid credential is like a missing one, unless the route needs it. */
  #findCaller(exchange: Exchange, isNeeded: boolean): Caller | undefined {
    const { authenticator, acceptsQueryKeys, limiters } = this.#options;
    try {
      return authenticate(exchange, authenticator, acceptsQueryKeys);
    } catch (error) {
      if (!isNeeded && error instanceof Problem) return undefined;
      exchange.consumeClientToken(limiters.anonymous, exchange.network);
      throw error;
    }
  }

  /** Returns the response that is stored for the request's Idempotency-Key; adds the issues of the key. */
  #findStored(exchange: Exchange, bytes: Buffer, issues: Issue[]): StoredResponse | undefined {
    if (exchange.idempotencyKey === undefined) return undefined;
    const keyIssues = idempotencyKeyIssues(exchange);
    issues.push(...keyIssues);
    if (keyIssues.length > 0) return undefined;
    // a reused key is reported before the issues of the body that reuses it
    return this.#idempotency.find(exchange, bytes, issues.length === 0);
  }

  /**
   * Calls the handler of a request that is valid and no repeat: only such requests count against the daily quota.
   * The keys of a user share the user's bucket; for sign-ups, each network has a bucket. Staff aren't limited.
   */
  #handle(exchange: Exchange, bytes: Buffer): HandlerResult | Promise<HandlerResult> {
    const { route, caller } = exchange;
    const isCounted = route.countsAgainstQuota ?? (route.method !== 'GET' && route.method !== 'POST');
    if (isCounted && !(caller !== undefined && isStaff(caller)))
      exchange.consumeToken(this.#options.limiters.created, clientOf(exchange));
    if (exchange.idempotencyKey === undefined) return route.handle(exchange);
    return this.#idempotency.handleFirst(exchange, bytes, () => route.handle(exchange));
  }

  /** Where all errors of a request end, until its response has begun. */
  #fail(exchange: Exchange, error: unknown): void {
    const { requestId, path, response } = exchange;
    try {
      if (error instanceof Problem) return this.#responder.respondWithProblem(exchange, error);
      const cause = causeOf(error);
      const fields = { requestId, path: truncate(path), cause };
      this.#options.log.write('error', 'a request failed unexpectedly', fields);
      const detail = `An unexpected error occurred; the log has its cause under ${requestId}.`;
      this.#responder.respondWithProblem(exchange, new Problem('internal-error', detail));
    } catch (failure) {
      const cause = causeOf(failure);
      this.#options.log.write('error', 'a response could not be sent', { requestId, cause });
      response.destroy();
    }
  }
}

/** Waits until it is known whether the request has a body: an empty chunked one is none. */
async function beginBody(exchange: Exchange, body: RequestBody): Promise<void> {
  exchange.sendContinue();
  await body.begun();
  exchange.caller = exchange.recheckCaller();
}

/** Checks what the head says about the body, and the conditions that need no object. */
function checkContent(exchange: Exchange, { methods }: Match): void {
  const { route, headers, method, path, incomingBody } = exchange;
  const hasContent = incomingBody !== undefined && !incomingBody.isEmpty;
  if (route.streamedBody !== undefined)
    checkContentType(headers, method, Object.keys(route.streamedBody.contents));
  else if (hasContent && route.body !== undefined) checkContentType(headers, method);
  else if (hasContent)
    // the client expects it to have an effect
    throw new Problem('bad-request', `${method} ${path} takes no request body; send none.`);
  if (method === 'POST') checkPostConditions(headers, { isReadable: methods.has('GET') });
}

function beginStreamedBody(exchange: Exchange): void {
  const { streamedBody, response } = exchange;
  streamedBody?.begin();
  response.once('finish', () => streamedBody?.dropRest());
  exchange.sendContinue();
}

/** Resolves with the whole body. */
async function receiveBody(exchange: Exchange): Promise<Buffer> {
  const { incomingBody: body } = exchange;
  if (body?.problem !== undefined) throw body.problem;
  exchange.sendContinue();
  const bytes = (await body?.next()) ?? noBytes;
  exchange.caller = exchange.recheckCaller(); // the body may have arrived long after its head
  return bytes;
}

/** Reads query and body by the route's schemas, and returns the issues of both. */
function readContent(exchange: Exchange, bytes: Buffer): Issue[] {
  const { route, queryString } = exchange;
  if (route.body !== undefined) exchange.body = parseJson(bytes);
  const { query, issues } = readQuery(queryString, route.query);
  exchange.query = query;
  return [
    ...issues,
    ...(route.queryIssues?.(query, exchange) ?? []),
    ...(route.body === undefined ? [] : schemaIssues(route.body, exchange.body)),
  ];
}

function unknownExpectation(): Problem {
  return new Problem('bad-request', 'Only "Expect: 100-continue" is supported.', { status: 417 });
}

function nothingAt(path: string): Problem {
  return new Problem('not-found', `There is nothing at ${path}.`);
}

function methodNotAllowed({ method, path }: Exchange, { methods }: Match): Problem {
  const allow = allowedMethods(methods);
  const detail = `${path} supports ${allow.join(', ')}, not ${method}.`;
  return new Problem('method-not-allowed', detail, { allow });
}
