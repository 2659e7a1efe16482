// The path of a request: find the route, authenticate, limit the rate, authorize, read and check, handle,
// respond.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { checkAccess } from '../../auth/access.ts';
import { Problem, invalid } from '../../problem.ts';
import type { Timers } from '../../base/timers.ts';
import type { Turns } from '../../base/turns.ts';
import { causeOf, truncate } from '../../base/log-lines.ts';
import { schemaIssues } from '../../schema/schema-check.ts';
import type { Issue } from '../../schema/schema.ts';
import { checkPostConditions } from './conditional.ts';
import { CallerChecks, type CallerCheckOptions } from './caller-checks.ts';
import { Idempotency, idempotencyKeyIssues, type ResponseStore } from './idempotency.ts';
import type { Exchange } from './exchange.ts';
import { type HandlerResult, mediaTypesOf } from '../routing/reply.ts';
import { RequestLogLimiter } from './exchange-log.ts';
import { checkContentType, chooseMediaType } from './negotiate.ts';
import { checkTransport } from '../connections/peer.ts';
import { readQuery } from './query.ts';
import {
  checkHeaderFields,
  checkHost,
  checkTarget,
  checkTransferEncoding,
  createRequestIds,
} from './request-headers.ts';
import { RequestIntake } from './request-intake.ts';
import { Responder, type ResponderOptions } from './responder.ts';
import { allowedMethods, type Router } from '../routing/router.ts';
import { parseJson } from './strict-json.ts';

type RequestHandlerOptions = Omit<ResponderOptions, 'requestLogLimiter' | 'runLater'> &
  CallerCheckOptions & {
    readonly router: Router;
    readonly turns: Turns;
    readonly responses: ResponseStore;
    readonly isTrusted: (address: string) => boolean;
    readonly timers: Timers;
  };

/** Handles requests, and responds to bytes that are no valid request. */
export class RequestHandler {
  /** Also for connections, whose work is part of them. */
  readonly turns: Turns;
  readonly #intake: RequestIntake;
  readonly #options: RequestHandlerOptions;
  readonly #callers: CallerChecks;
  readonly #responder: Responder;
  readonly #idempotency: Idempotency;
  readonly #requestLogLimiter: RequestLogLimiter;
  readonly #nextRequestId = createRequestIds();

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
    const { router, turns, metrics, isTrusted, database, now } = options;
    this.turns = turns;
    this.#callers = new CallerChecks(options);
    this.#requestLogLimiter = new RequestLogLimiter(options);
    const callers = this.#callers;
    const exchangeDependencies = { database, callers, isTrusted, now, nextRequestId: this.#nextRequestId };
    this.#intake = new RequestIntake({ router, turns, metrics, isTrusted, exchangeDependencies });
    this.#responder = new Responder({
      ...options,
      requestLogLimiter: this.#requestLogLimiter,
      runLater: (exchange, task) => this.#intake.resumeLater(exchange, () => this.#run(exchange, task)),
    });
    this.#idempotency = new Idempotency(options.responses, this.#responder);
  }

  onRequest(request: IncomingMessage, response: ServerResponse): void {
    this.#intake.receive(request, response, (exchange) =>
      this.#run(exchange, () => this.#handleRequest(exchange)),
    );
  }

  /** The client waits for 100 Continue before it sends the body. */
  onContinue(request: IncomingMessage, response: ServerResponse): void {
    this.#intake.receive(request, response, (exchange) => {
      exchange.awaitsContinue = true;
      this.#run(exchange, () => this.#handleRequest(exchange));
    });
  }

  onExpectation(request: IncomingMessage, response: ServerResponse): void {
    this.#intake.receive(request, response, (exchange) =>
      this.#run(exchange, () => this.#rejectExpectation(exchange)),
    );
  }

  /**
   * Counts and logs bytes that are no valid request. Returns the whole response, with one character for each
   * byte.
   */
  onUnparsed(problem: Problem, { remoteAddress }: Socket): string {
    return this.#responder.lastProblemText(problem, { requestId: this.#nextRequestId(), remoteAddress });
  }

  /** Called after the last response. */
  close(): void {
    this.#requestLogLimiter.endMinute();
  }

  /** Runs the steps in order: synchronously, unless the request has to wait for its body or for the disk. */
  #handleRequest(exchange: Exchange): Promise<void> | void {
    this.#options.database.detectExternalCommits();
    this.#checkRequest(exchange);
    const match = this.#options.router.find(exchange.path);
    const mounted = match?.methods.get(exchange.method);
    exchange.match = match;
    exchange.mounted = mounted;
    const isOptions = exchange.method === 'OPTIONS';
    if (isOptions && this.#responder.allowsPreflight(exchange))
      return this.#responder.respondToOptions(exchange, match?.methods);
    this.#callers.admit(exchange);
    if (match === undefined) throw nothingAt(exchange.path);
    if (isOptions) return this.#responder.respondToOptions(exchange, match.methods);
    if (mounted === undefined)
      throw methodNotAllowed(exchange.method, exchange.path, allowedMethods(match.methods));
    const { route } = mounted;
    checkAccess(route, exchange.caller, match.params);
    exchange.mediaType = chooseMediaType(exchange.headers['accept'], mediaTypesOf(route.reply));
    return this.#awaitContent(exchange);
  }

  /** Handles the request once it is known whether it has a body: an empty chunked one is none. */
  #awaitContent(exchange: Exchange): Promise<void> | void {
    const { sentBody, route } = exchange;
    const isAwaited = sentBody?.mayBeEmpty === true && route.streamedBody === undefined;
    if (!isAwaited) return this.#handleContent(exchange);
    exchange.sendContinue();
    sentBody.onceBegun(() =>
      this.#resume(exchange, () => {
        exchange.caller = this.#callers.recheckCaller(exchange);
        return this.#handleContent(exchange);
      }),
    );
  }

  #handleContent(exchange: Exchange): Promise<void> | void {
    const { route, match, method } = exchange;
    checkContent(exchange);
    if (method === 'POST')
      checkPostConditions(exchange.headers, { isReadable: match?.methods.has('GET') === true });
    if (route.streamedBody !== undefined) return this.#handleStreamedBody(exchange);
    if (route.body === undefined) return this.#handleNow(exchange);
    this.#readBody(exchange);
  }

  /** The one place where the errors of a request are caught, until its response begins. */
  #run(exchange: Exchange, task: () => Promise<void> | void): void {
    try {
      task()?.catch((error: unknown) => this.#fail(exchange, error));
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  /**
   * Rejects requests that are invalid for any path. A rejected request consumes a token of its network's
   * bucket.
   */
  #checkRequest(exchange: Exchange): void {
    const { headers, request, peer } = exchange;
    try {
      checkTarget(request);
      checkHeaderFields(request);
      checkHost(request);
      checkTransferEncoding(request);
      // a probe carries and gets nothing of anybody's
      if (!this.#options.isTls && !exchange.path.startsWith('/health/')) checkTransport(peer, headers);
    } catch (error) {
      this.#callers.consumeNetworkToken(exchange);
      throw error;
    }
  }

  #rejectExpectation(exchange: Exchange): never {
    this.#callers.consumeNetworkToken(exchange);
    const detail = 'Only "Expect: 100-continue" is supported.';
    throw new Problem('bad-request', detail, { status: 417 });
  }

  #handleNow(exchange: Exchange): Promise<void> | void {
    const issues = readParameters(exchange);
    // not thrown, since throwing takes a tenth of the time of a rejection
    if (issues.length > 0) return this.#fail(exchange, invalid(issues));
    return this.#respond(exchange, this.#handle(exchange));
  }

  #handleStreamedBody(exchange: Exchange): Promise<void> | void {
    exchange.sentBody?.begin();
    exchange.sendContinue();
    return this.#handleNow(exchange);
  }

  #readBody(exchange: Exchange): void {
    const { sentBody } = exchange;
    if (sentBody?.problem !== undefined) throw sentBody.problem;
    exchange.sendContinue();
    const take = (bytes: Buffer): void => this.#resume(exchange, () => this.#handleBody(exchange, bytes));
    if (sentBody === undefined) take(Buffer.alloc(0));
    else sentBody.deliver(take, (problem) => this.#fail(exchange, problem));
  }

  /**
   * Continues a request after a wait, as a scheduled task: the same wait may end for thousands of requests.
   */
  #resume(exchange: Exchange, task: () => Promise<void> | void): void {
    this.#intake.resume(exchange, () => this.#run(exchange, task));
  }

  #handleBody(exchange: Exchange, bytes: Buffer): Promise<void> | void {
    const { route } = exchange;
    // a body may arrive long after its head
    exchange.caller = this.#callers.recheckCaller(exchange);
    exchange.body = parseJson(bytes);
    const issues = [...readParameters(exchange), ...schemaIssues(route.body ?? {}, exchange.body)];
    const hasKey = exchange.idempotencyKey !== undefined;
    if (hasKey) {
      const keyIssues = idempotencyKeyIssues(exchange.request);
      // a reused key is reported before the issues of the body that reuses it
      if (issues.length > 0 && keyIssues.length === 0) this.#idempotency.checkNotReused(exchange, bytes);
      issues.push(...keyIssues);
    }
    if (issues.length > 0) return this.#fail(exchange, invalid(issues));
    if (!hasKey) return this.#respond(exchange, this.#handle(exchange));
    return this.#idempotency.handleOrReplay(exchange, {
      body: bytes,
      handle: () => this.#handle(exchange),
      respond: (result) => this.#respond(exchange, result),
    });
  }

  /** Calls the handler of a request that is valid and no repeat: only such requests count against the quota. */
  #handle(exchange: Exchange): HandlerResult | Promise<HandlerResult> {
    this.#callers.consumeQuotaToken(exchange);
    return exchange.route.handle(exchange);
  }

  /**
   * Sends an awaited result as a scheduled task, since one sync or one document may resolve thousands of
   * results in the same turn.
   */
  #respond(exchange: Exchange, result: HandlerResult | Promise<HandlerResult>): Promise<void> | void {
    if (!(result instanceof Promise)) return this.#respondNow(exchange, result);
    return result.then((value) => {
      const respond = (): void => this.#respondNow(exchange, value);
      // a document takes a hundred times as long as a small response, so small responses go first
      if (value.kind !== 'shared document') return this.#resume(exchange, respond);
      this.#intake.resumeLater(exchange, () => this.#run(exchange, respond));
    });
  }

  #respondNow(exchange: Exchange, result: HandlerResult): void {
    exchange.assertPreconditionChecked();
    this.#responder.respond(exchange, result);
  }

  #fail(exchange: Exchange, error: unknown): void {
    if (error instanceof Problem) return this.#responder.respondWithProblem(exchange, error);
    const { requestId, path } = exchange;
    const cause = causeOf(error);
    this.#options.log.write('error', 'a request failed unexpectedly', {
      requestId,
      path: truncate(path),
      cause,
    });
    const detail = `An unexpected error occurred; the log has its cause under ${requestId}.`;
    this.#responder.respondWithProblem(exchange, new Problem('internal-error', detail));
  }
}

function checkContent(exchange: Exchange): void {
  const { body, streamedBody } = exchange.route;
  if (streamedBody !== undefined)
    checkContentType(exchange.headers, exchange.method, Object.keys(streamedBody.contents));
  else if (body === undefined) checkNoBody(exchange);
  else if (hasContent(exchange)) checkContentType(exchange.headers, exchange.method);
}

/** Rejects a body that the route would ignore, since the client expects the body to have an effect. */
function checkNoBody(exchange: Exchange): void {
  const { path, method } = exchange;
  if (hasContent(exchange))
    throw new Problem('bad-request', `${method} ${path} takes no request body; send none.`);
}

function hasContent({ sentBody }: Exchange): boolean {
  return sentBody !== undefined && !sentBody.isEmpty;
}

function nothingAt(path: string): Problem {
  return new Problem('not-found', `There is nothing at ${path}.`);
}

/** Reads the query's parameters, and returns their issues. */
function readParameters(exchange: Exchange): readonly Issue[] {
  const { route, queryString } = exchange;
  const { query, issues } = readQuery(queryString, route.query);
  exchange.query = query;
  if (route.queryIssues === undefined) return issues;
  return [...issues, ...route.queryIssues(query, exchange)];
}

function methodNotAllowed(method: string, path: string, allow: readonly string[]): Problem {
  const detail = `${path} supports ${allow.join(', ')}, not ${method}.`;
  return new Problem('method-not-allowed', detail, { allow });
}
