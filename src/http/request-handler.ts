// The path of a request: find route → authenticate → rate limit → authorize → read and check → handle →
// respond.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkAccess } from '../auth/access.ts';
import { Problem, invalid } from '../problem.ts';
import type { Timers } from '../timers.ts';
import { causeOf, truncate } from '../log-lines.ts';
import { schemaIssues } from '../schema/schema-check.ts';
import { parseJson, readBody } from './body.ts';
import { withBodyIssues, withFurther } from './further-issues.ts';
import { checkPostPrecondition } from './conditional.ts';
import { CallerChecks, type CallerCheckOptions } from './caller-checks.ts';
import { Idempotency, idempotencyKeyIssues, type ResponseStore } from './idempotency.ts';
import type { Exchange, ReceivedRequest } from './exchange.ts';
import { HandlerContext, type HandlerServices, type ReadRequest } from './handler-context.ts';
import type { HandlerResult } from './handler-result.ts';
import { LogAllowance } from './log-allowance.ts';
import { rejectUnparsedRequest, type UnparsedRequest } from './last-response.ts';
import { checkContentType, chooseMediaType } from './negotiate.ts';
import { checkTransport } from './peer.ts';
import { readQuery, type ReadQuery } from './query.ts';

import { checkHeaderBytes, checkHost, checkTarget, checkTransferEncoding } from './request-headers.ts';
import { createRequestIds } from './request-id.ts';
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
  readonly #services: HandlerServices;
  readonly #intake: RequestIntake;
  readonly #responder: Responder;
  readonly #idempotency: Idempotency;
  readonly #logAllowance: LogAllowance;
  readonly #nextRequestId = createRequestIds();

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
    const { router, metrics, isTrusted, database, now } = options;
    this.#callers = new CallerChecks(options);
    this.#logAllowance = new LogAllowance(options);
    this.#services = { database, callers: this.#callers };
    const services = { isTrusted, now, nextRequestId: this.#nextRequestId };
    this.#intake = new RequestIntake({ router, metrics, isTrusted, services });
    this.#responder = new Responder({
      ...options,
      logAllowance: this.#logAllowance,
      runLater: (exchange, task) => this.#intake.resumeLater(exchange, () => this.#run(exchange, task)),
    });
    this.#idempotency = new Idempotency(options.responses, this.#responder);
  }

  onRequest(request: IncomingMessage, response: ServerResponse): void {
    this.#receive({ request, response, expectsContinue: false });
  }

  onContinue(request: IncomingMessage, response: ServerResponse): void {
    this.#receive({ request, response, expectsContinue: true });
  }

  onExpectation(request: IncomingMessage, response: ServerResponse): void {
    this.#intake.receive({ request, response, expectsContinue: false }, (exchange) =>
      this.#run(exchange, () => this.#rejectExpectation(exchange)),
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
    this.#intake.countRejection();
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

  #receive(received: ReceivedRequest): void {
    this.#intake.receive(received, (exchange) => this.#run(exchange, () => this.#handleRequest(exchange)));
  }

  /** The steps in their order. Synchronous unless there is a body to read or a disk to wait for. */
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
    if (mounted === undefined) throw methodNotAllowed(exchange.method, exchange.path, allowOf(match.methods));
    const { route } = mounted;
    checkAccess(route, exchange.caller, match.params);
    const mediaType = chooseMediaType(exchange.headers['accept'], route.reply.mediaTypes);
    checkContent(exchange, route);
    if (exchange.method === 'POST')
      checkPostPrecondition(exchange.headers, { isReadable: match.methods.has('GET') });
    if (route.streamedBody !== undefined) return this.#handleStreamedBody(exchange, route, mediaType);
    if (route.body === undefined) return this.#handleWithoutBody(exchange, route, mediaType);
    this.#readBody(exchange, route, mediaType);
  }

  /** The one place where the errors of a request are caught, until its response begins. */
  #run(exchange: Exchange, task: () => Promise<void> | void): void {
    try {
      task()?.catch((error: unknown) => this.#fail(exchange, error));
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  /** What is invalid in any request, whatever its path: it consumes a token of the address's bucket. */
  #checkRequest(exchange: Exchange): void {
    const { headers, request, peer } = exchange;
    try {
      checkTarget(request);
      checkHeaderBytes(request);
      checkHost(request);
      checkTransferEncoding(request);
      if (!this.#options.isTls) checkTransport(peer, headers);
    } catch (error) {
      this.#callers.drawOnAddress(exchange);
      throw error;
    }
  }

  #rejectExpectation(exchange: Exchange): never {
    this.#callers.drawOnAddress(exchange);
    const detail = 'Only "Expect: 100-continue" is supported.';
    throw new Problem('bad-request', detail, { status: 417 });
  }

  #handleWithoutBody(exchange: Exchange, route: Route, mediaType: string): Promise<void> | void {
    const { query, issues } = readParameters(exchange, route, mediaType);
    // not thrown: throwing is a tenth of what a rejection costs
    if (issues.length > 0) return this.#fail(exchange, invalid(issues));
    const context = this.#contextOf(exchange, { route, mediaType, query, body: undefined });
    return this.#respond(context, route.handle(context));
  }

  #handleStreamedBody(exchange: Exchange, route: Route, mediaType: string): Promise<void> | void {
    exchange.streamedBody?.begin(route.streamedBody?.bytesMax ?? 0);
    if (exchange.expectsContinue) exchange.response.writeContinue();
    return this.#handleWithoutBody(exchange, route, mediaType);
  }

  #readBody(exchange: Exchange, route: Route, mediaType: string): void {
    readBody(
      exchange,
      (bytes) => this.#resume(exchange, () => this.#handleBody(exchange, route, { bytes, mediaType })),
      (problem) => this.#fail(exchange, problem),
    );
  }

  /** Goes on after a wait, which may have ended for thousands of requests at once. */
  #resume(exchange: Exchange, task: () => Promise<void> | void): void {
    this.#intake.resume(exchange, () => this.#run(exchange, task));
  }

  #handleBody(
    exchange: Exchange,
    route: Route,
    { bytes, mediaType }: { readonly bytes: Buffer; readonly mediaType: string },
  ): Promise<void> | void {
    // a body may arrive long after its head
    exchange.caller = this.#callers.requireCaller(exchange);
    const body = parseJson(bytes);
    const { query, issues: queryIssues } = readParameters(exchange, route, mediaType);
    const issues = [...queryIssues, ...schemaIssues(route.body ?? {}, body)];
    const context = this.#contextOf(exchange, { route, mediaType, query, body });
    const hasKey = context.idempotencyKey !== undefined;
    if (hasKey) {
      const keyIssues = idempotencyKeyIssues(exchange.request);
      if (issues.length > 0 && keyIssues.length === 0) this.#idempotency.checkNotReused(context, bytes);
      issues.push(...keyIssues);
    }
    if (issues.length > 0) return this.#fail(exchange, invalid(withBodyIssues(context, issues)));
    if (!hasKey) return this.#respond(context, route.handle(context));
    return this.#idempotency.run(context, {
      body: bytes,
      respond: (result) => this.#respond(context, result),
    });
  }

  #contextOf(exchange: Exchange, read: ReadRequest): HandlerContext {
    return new HandlerContext(exchange, read, this.#services);
  }

  /**
   * A result that was awaited is sent when the scheduler gets to it: one sync or document may resolve
   * thousands.
   */
  #respond(context: HandlerContext, result: HandlerResult | Promise<HandlerResult>): Promise<void> | void {
    if (!(result instanceof Promise)) return this.#respondNow(context, result);
    const { exchange } = context;
    return result.then((value) => {
      const respond = (): void => this.#respondNow(context, value);
      // a document takes a hundred times what a small response does, so these go first
      if (value.kind !== 'shared document') return this.#resume(exchange, respond);
      this.#intake.resumeLater(exchange, () => this.#run(exchange, respond));
    });
  }

  #respondNow(context: HandlerContext, result: HandlerResult): void {
    context.assertPreconditionChecked();
    this.#responder.respond(context.exchange, context.route, result);
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

function checkContent(exchange: Exchange, { body, streamedBody }: Route): void {
  if (streamedBody !== undefined)
    checkContentType(exchange.headers, exchange.method, [streamedBody.mediaType]);
  else if (body === undefined) checkNoBody(exchange);
  else if (exchange.incomingBody !== undefined) checkContentType(exchange.headers, exchange.method);
}

/** What a client sends is never ignored: it might have meant something by it. */
function checkNoBody({ path, method, incomingBody }: Exchange): void {
  if (incomingBody !== undefined)
    throw new Problem('bad-request', `${method} ${path} takes no request body; send none.`);
}

function nothingAt(path: string): Problem {
  return new Problem('not-found', `There is nothing at ${path}.`);
}

function readParameters({ queryText, now }: Exchange, route: Route, mediaType: string): ReadQuery {
  const read = readQuery(queryText, route.query);
  if (route.queryIssues === undefined) return read;
  const further = route.queryIssues(read.query, { mediaType, now });
  return { query: read.query, issues: withFurther(read.issues, further, 'parameter') };
}

function methodNotAllowed(method: string, path: string, allow: readonly string[]): Problem {
  const detail = `${path} supports ${allow.join(', ')}, not ${method}.`;
  return new Problem('method-not-allowed', detail, { allow });
}
