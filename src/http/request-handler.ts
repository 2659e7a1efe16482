// The path of a request: find route → authenticate → rate limit → authorize → read and check → handle →
// respond.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkAccess } from '../auth/access.ts';
import { Problem, invalid } from '../problem.ts';
import type { Timers } from '../timers.ts';
import { causeOf, truncate } from '../log-lines.ts';
import { schemaIssues } from '../schema/schema-check.ts';
import type { Issue } from '../schema/schema.ts';
import { parseJson, readBody } from './body.ts';
import { withBodyIssues, withFurther } from './further-issues.ts';
import { CallerChecks, type CallerCheckOptions } from './caller-checks.ts';
import { isPreflight } from './cors.ts';
import { Idempotency, idempotencyKeyIssues, type ResponseStore } from './idempotency.ts';
import type { Exchange } from './exchange.ts';
import type { HandlerResult } from './handler-result.ts';
import { LogAllowance } from './log-allowance.ts';
import { rejectUnparsedRequest, type UnparsedRequest } from './last-response.ts';
import { checkContentType, chooseMediaType } from './negotiate.ts';
import { checkTransport } from './peer.ts';
import { readQuery } from './query.ts';

import { checkHeaderBytes, checkHost, checkTarget, checkTransferEncoding } from './request-headers.ts';
import { createRequestIds, requestIdFrom } from './request-id.ts';
import { RequestIntake } from './request-intake.ts';
import { Responder, type ResponderOptions } from './responder.ts';
import type { Route } from './route.ts';
import { allowOf, type Router } from './router.ts';

type RequestHandlerOptions = Omit<ResponderOptions, 'logAllowance' | 'runLater'> &
  CallerCheckOptions & {
    readonly router: Router;
    readonly responses: ResponseStore;
    readonly isTrusted: (address: string) => boolean;
    readonly timers: Timers;
  };

/** What the server calls for each request, and for bytes that are no valid request. */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  readonly #callers: CallerChecks;
  readonly #intake: RequestIntake;
  readonly #responder: Responder;
  readonly #idempotency: Idempotency;
  readonly #logAllowance: LogAllowance;
  readonly #nextRequestId = createRequestIds();

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
    const { router, metrics, isTrusted, db, now } = options;
    this.#callers = new CallerChecks(options);
    this.#logAllowance = new LogAllowance(options);
    const services = { db, isTrusted, now, nextRequestId: this.#nextRequestId, callers: this.#callers };
    this.#intake = new RequestIntake({ router, metrics, isTrusted, services });
    this.#responder = new Responder({
      ...options,
      logAllowance: this.#logAllowance,
      runLater: (exchange, task) => this.#intake.resumeLater(exchange, () => this.#run(exchange, task)),
    });
    this.#idempotency = new Idempotency(options.responses, this.#responder);
  }

  onRequest(request: IncomingMessage, response: ServerResponse): void {
    this.#intake.receive(request, response, (exchange) =>
      this.#run(exchange, () => this.#handleRequest(exchange)),
    );
  }

  onContinue(request: IncomingMessage, response: ServerResponse): void {
    this.#intake.receive(request, response, (exchange) => {
      exchange.expectsContinue = true;
      this.#run(exchange, () => this.#handleRequest(exchange));
    });
  }

  onExpectation(request: IncomingMessage, response: ServerResponse): void {
    const detail = 'Only "Expect: 100-continue" is supported.';
    this.#intake.receive(request, response, (exchange) =>
      this.#fail(exchange, new Problem('bad-request', detail, { status: 417 })),
    );
  }

  /** `pause` is called once in a turn in which parsing what arrives takes too long. */
  setPauseReading(pause: () => void): void {
    this.#intake.setPauseReading(pause);
  }

  /** A connection was accepted; perhaps more of them wait. */
  onConnection(): void {
    this.#intake.yieldToConnections();
  }

  /** Counts and logs what never became a request, and returns the bytes of the whole response. */
  rejectUnparsedRequest(problem: Problem, unparsed: UnparsedRequest): string {
    return rejectUnparsedRequest(problem, unparsed, {
      ...this.#options,
      logAllowance: this.#logAllowance,
      requestId: this.#nextRequestId(),
      now: this.#options.now(),
    });
  }

  /** To be called when the last request has been answered. */
  close(): void {
    this.#logAllowance.endMinute();
  }

  /** The problem of a request whose method the parser doesn't know. */
  problemOfMethod(method: string, path: string): Problem {
    const match = this.#options.router.find(path);
    return match === undefined ? nothingAt(path) : methodNotAllowed(method, path, allowOf(match.methods));
  }

  /** The steps in their order. Synchronous unless there is a body to read or a disk to wait for. */
  #handleRequest(exchange: Exchange): Promise<void> | void {
    this.#options.db.detectExternalCommits();
    this.#checkRequest(exchange);
    const match = this.#options.router.find(exchange.path);
    const mounted = match?.methods.get(exchange.method);
    exchange.mounted = mounted;
    if (exchange.method === 'OPTIONS' && (match !== undefined || isPreflight(exchange.headers)))
      return this.#responder.respondToOptions(exchange, match?.methods);
    const isIgnored = mounted === undefined || mounted.route.access.credentials === 'ignored';
    if (!isIgnored) exchange.caller = this.#callers.authenticate(exchange);
    if (mounted?.route.isUnlimited !== true) this.#callers.drawOnRate(exchange);
    if (match === undefined) throw nothingAt(exchange.path);
    if (mounted === undefined) throw methodNotAllowed(exchange.method, exchange.path, allowOf(match.methods));
    exchange.params = match.params;
    checkAccess(mounted.route, exchange.caller, exchange.params);
    exchange.mediaType = chooseMediaType(exchange.headers['accept'], mounted.route.reply.mediaTypes);
    if (mounted.route.streamedBody !== undefined) return this.#handleStreamedBody(exchange, mounted.route);
    if (mounted.route.body === undefined) {
      checkNoBody(exchange);
      return this.#handleWithoutBody(exchange, mounted.route);
    }
    checkContentType(exchange.headers, exchange.method);
    this.#readBody(exchange, mounted.route);
  }

  /** The one place where the errors of a request are caught, until its response begins. */
  #run(exchange: Exchange, task: () => Promise<void> | void): void {
    try {
      task()?.catch((error: unknown) => this.#fail(exchange, error));
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  #checkRequest(exchange: Exchange): void {
    const { headers, request, peer } = exchange;
    exchange.requestId = requestIdFrom(headers['x-request-id']) ?? exchange.requestId;
    checkTarget(request);
    checkHeaderBytes(request);
    checkHost(request);
    checkTransferEncoding(request);
    if (!this.#options.isTls) checkTransport(peer, headers);
  }

  #handleWithoutBody(exchange: Exchange, route: Route): Promise<void> | void {
    const issues = readParameters(exchange, route);
    // not thrown: throwing is a tenth of what a rejection costs
    if (issues.length > 0) return this.#fail(exchange, invalid(issues));
    return this.#respond(exchange, route, route.handle(exchange));
  }

  #handleStreamedBody(exchange: Exchange, route: Route): Promise<void> | void {
    const { mediaType = '', bytesMax = 0 } = route.streamedBody ?? {};
    checkContentType(exchange.headers, exchange.method, [mediaType]);
    exchange.streamedBody?.begin(bytesMax);
    if (exchange.expectsContinue) exchange.response.writeContinue();
    return this.#handleWithoutBody(exchange, route);
  }

  #readBody(exchange: Exchange, route: Route): void {
    readBody(
      exchange,
      (body) => this.#resume(exchange, () => this.#handleBody(exchange, route, body)),
      (problem) => this.#fail(exchange, problem),
    );
  }

  /** Goes on after a wait, which may have ended for thousands of requests at once. */
  #resume(exchange: Exchange, task: () => Promise<void> | void): void {
    this.#intake.resume(exchange, () => this.#run(exchange, task));
  }

  #handleBody(exchange: Exchange, route: Route, body: Buffer): Promise<void> | void {
    // a body may arrive long after its head
    exchange.caller = this.#callers.requireCaller(exchange);
    exchange.body = parseJson(body);
    const issues = [...readParameters(exchange, route), ...schemaIssues(route.body ?? {}, exchange.body)];
    const hasKey = exchange.idempotencyKey !== undefined;
    if (hasKey) issues.push(...idempotencyKeyIssues(exchange.request));
    if (issues.length > 0) return this.#fail(exchange, invalid(withBodyIssues(route, exchange, issues)));
    if (!hasKey) return this.#respond(exchange, route, route.handle(exchange));
    return this.#idempotency.run(exchange, route, {
      body,
      respond: (result) => this.#respond(exchange, route, result),
    });
  }

  /**
   * A result that was awaited is sent when the scheduler gets to it: one sync or document may resolve
   * thousands.
   */
  #respond(
    exchange: Exchange,
    route: Route,
    result: HandlerResult | Promise<HandlerResult>,
  ): Promise<void> | void {
    if (!(result instanceof Promise)) return this.#responder.respond(exchange, route, result);
    return result.then((value) => {
      const respond = (): void => this.#responder.respond(exchange, route, value);
      // a document takes a hundred times what a small response does, so these go first
      if (value.kind !== 'shared document') return this.#resume(exchange, respond);
      this.#intake.resumeLater(exchange, () => this.#run(exchange, respond));
    });
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

/** What a client sends is never ignored: it might have meant something by it. */
function checkNoBody({ path, method, incomingBody }: Exchange): void {
  if (incomingBody !== undefined)
    throw new Problem('bad-request', `${method} ${path} takes no request body; send none.`);
}

function nothingAt(path: string): Problem {
  return new Problem('not-found', `There is nothing at ${path}.`);
}

/** Reads the query, and returns its issues. */
function readParameters(exchange: Exchange, route: Route): readonly Issue[] {
  const { query, issues } = readQuery(exchange.queryText, route.query);
  exchange.query = query;
  return withFurther(issues, route.queryIssues?.(query, exchange) ?? [], 'parameter');
}

function methodNotAllowed(method: string, path: string, allow: readonly string[]): Problem {
  const detail = `${path} supports ${allow.join(', ')}, not ${method}.`;
  return new Problem('method-not-allowed', detail, { allow });
}
