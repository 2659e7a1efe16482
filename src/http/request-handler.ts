// The path of a request: find route → authenticate → spend → authorize → read and check → handle → answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkAccess, type Caller } from '../auth/access.ts';
import type { CallerSources } from '../auth/caller-cache.ts';
import type { Authenticator } from '../auth/credentials.ts';
import { Problem, invalid } from '../problem.ts';
import { cut } from '../log-lines.ts';
import { addressBucket } from '../network/address-buckets.ts';
import type { Issue } from '../schema/schema.ts';
import type { Connection } from '../storage/connection.ts';
import type { Database } from '../storage/database.ts';
import { ArrivingBodies } from './arriving-bodies.ts';
import { parseJson, readBody } from './body.ts';
import { bodyIssues } from './body-issues.ts';
import { stateOf } from './connection-state.ts';
import { isPreflight } from './cors.ts';
import { Exchange, type ExchangeServices } from './exchange.ts';
import {
  checkIdempotencyKey,
  Idempotency,
  type IdempotencyOptions,
  type ResponseStore,
} from './idempotency.ts';
import { receiveBody, type IncomingBody } from './incoming-body.ts';
import { checkContentType, chooseMediaType } from './negotiate.ts';
import { checkTransport, clientAddress, peerOf, type Peer } from './peer.ts';
import { Pipeline } from './pipeline.ts';
import { TurnScheduler } from './turn-scheduler.ts';
import { readQuery } from './query.ts';
import type { Limiter } from './rate-limit.ts';
import type { Representation } from './representation.ts';
import { callerOf } from './request-credentials.ts';
import {
  checkHeaderBytes,
  checkHost,
  checkTarget,
  checkTransferEncoding,
  headersOf,
  isLastOfConnection,
} from './request-headers.ts';
import { createRequestIds, requestIdFrom } from './request-id.ts';
import { Responder, type ResponderOptions } from './responder.ts';
import type { Route } from './route.ts';
import { StreamedBody } from './streamed-body.ts';
import { allowOf, type Mounted, type Router } from './router.ts';

export type RequestHandlerOptions = Omit<ResponderOptions, 'runLater'> & {
  readonly router: Router;
  readonly authenticator: Authenticator;
  /** Sessions and keys as a write under way sees them. */
  readonly sourcesOf: (writer: Connection) => CallerSources;
  readonly db: Database;
  readonly responses: ResponseStore;
  readonly handleAsCreation: IdempotencyOptions['handleAsCreation'];
  readonly limiters: { readonly default: Limiter; readonly anonymous: Limiter };
  readonly isTrusted: (address: string) => boolean;
  readonly takesQueryKeys: boolean;
};

type ExchangeHandler = (exchange: Exchange) => Promise<void> | void;
type HandlerResult = Representation<unknown> | Promise<Representation<unknown>>;

/** What the server calls for each request, and for bytes that are no valid request. */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  readonly #responder: Responder;
  readonly #idempotency: Idempotency;
  readonly #scheduler = new TurnScheduler<IncomingMessage>(
    (request) => this.#clientOf(request),
    () => this.#pauseReading(),
  );
  readonly #pipeline: Pipeline;
  readonly #bodies = new ArrivingBodies({
    clientOf: (request) => this.#clientOf(request),
    onPiece: () => this.#scheduler.noteArrival(),
  });
  #pauseReading = (): void => {};
  readonly #nextRequestId = createRequestIds();
  readonly #exchangeServices: ExchangeServices;

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
    this.#responder = new Responder({ ...options, runLater: this.#runLater });
    const onCut = (): number => (options.metrics.cuts.pipelined += 1);
    this.#pipeline = new Pipeline({ scheduler: this.#scheduler, onCut });
    this.#idempotency = new Idempotency(options, this.#responder);
    this.#exchangeServices = {
      db: options.db,
      isTrusted: options.isTrusted,
      callerInWrite: this.#callerInWrite,
      callerNow: this.#callerNow,
      credentialEnd: this.#credentialEnd,
    };
  }

  onRequest(request: IncomingMessage, response: ServerResponse): void {
    this.#start(request, response, (exchange) => this.#handleRequest(exchange));
  }

  onContinue(request: IncomingMessage, response: ServerResponse): void {
    this.#start(request, response, (exchange) => {
      exchange.expectsContinue = true;
      return this.#handleRequest(exchange);
    });
  }

  onExpectation(request: IncomingMessage, response: ServerResponse): void {
    this.#start(request, response, () => {
      throw new Problem('bad-request', 'Only "Expect: 100-continue" is supported.', { status: 417 });
    });
  }

  /** `pause` is called once in a turn in which parsing what arrives takes too long. */
  onOverrun(pause: () => void): void {
    this.#pauseReading = pause;
  }

  /** A connection was accepted; perhaps more of them wait. */
  onConnection(): void {
    this.#scheduler.yieldToConnections();
  }

  /** The bytes of the whole response to what never became a request. */
  rejectionText(problem: Problem): string {
    return this.#responder.rejectionText(problem, this.#nextRequestId(), this.#options.now());
  }

  /** The steps in their order. Synchronous unless there is a body to read or a disk to wait for. */
  #handleRequest(exchange: Exchange): Promise<void> | void {
    this.#options.db.noticeOthers();
    this.#checkRequest(exchange);
    const match = this.#options.router.find(exchange.path);
    const mounted = match?.methods.get(exchange.method);
    exchange.mounted = mounted;
    if (exchange.method === 'OPTIONS' && (match !== undefined || isPreflight(exchange.headers)))
      return this.#responder.answerOptions(exchange, match?.methods);
    this.#authenticate(exchange, mounted);
    this.#spend(exchange, mounted);
    if (match === undefined) throw new Problem('not-found', `There is nothing at ${exchange.path}.`);
    if (mounted === undefined) throw methodNotAllowed(exchange, allowOf(match.methods));
    exchange.params = match.params;
    checkAccess(mounted.route, exchange.caller, exchange.params);
    exchange.mediaType = chooseMediaType(exchange.headers['accept'], mounted.route.reply.mediaTypes);
    if (mounted.route.streamedBody !== undefined) return this.#handleStreamedBody(exchange, mounted.route);
    if (mounted.route.body === undefined) return this.#handleWithoutBody(exchange, mounted.route);
    checkContentType(exchange.headers, exchange.method);
    this.#readBody(exchange, mounted.route);
  }

  #start(request: IncomingMessage, response: ServerResponse, handle: ExchangeHandler): void {
    this.#options.metrics.loopDelay.sample();
    if (isLastOfConnection(request)) response.shouldKeepAlive = false;
    const body = this.#options.router.streamsBody(request)
      ? new StreamedBody(request, response, this.#bodies)
      : receiveBody(request, response, this.#bodies);
    this.#pipeline.run(request, response, () =>
      this.#run(this.#createExchange(request, response, body), handle),
    );
  }

  #createExchange(
    request: IncomingMessage,
    response: ServerResponse,
    arriving: IncomingBody | StreamedBody | undefined,
  ): Exchange {
    const parts = {
      request,
      response,
      peer: this.#peerOf(request),
      now: this.#options.now(),
      requestId: this.#nextRequestId(),
      arriving,
    };
    return new Exchange(parts, this.#exchangeServices);
  }

  #peerOf({ socket }: IncomingMessage): Peer {
    return (stateOf(socket).peer ??= peerOf(socket.remoteAddress, this.#options.isTrusted));
  }

  /** The bucket of the client's address. */
  #clientOf(request: IncomingMessage): string {
    const address = clientAddress(this.#peerOf(request), headersOf(request), this.#options.isTrusted);
    return addressBucket(address);
  }

  readonly #runLater = (exchange: Exchange, work: () => void): void =>
    this.#scheduler.addFollowing(exchange.request, () => this.#run(exchange, work));

  /** The one place where errors are caught. */
  #run(exchange: Exchange, handle: ExchangeHandler): void {
    try {
      handle(exchange)?.catch((error: unknown) => this.#fail(exchange, error));
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

  #authenticate(exchange: Exchange, mounted: Mounted | undefined): void {
    if (mounted === undefined || mounted.route.access.credentials === 'ignored') return;
    try {
      exchange.caller = callerOf(exchange, this.#options);
    } catch (error) {
      // a bad credential draws on the address's bucket
      exchange.spend(this.#options.limiters.anonymous, exchange.address);
      throw error;
    }
  }

  #spend(exchange: Exchange, mounted: Mounted | undefined): void {
    if (mounted?.route.isUnlimited === true) return;
    const { limiters } = this.#options;
    if (exchange.caller === undefined) exchange.spend(limiters.anonymous, exchange.address);
    else exchange.spend(limiters.default, exchange.caller.bucket);
  }

  #handleWithoutBody(exchange: Exchange, route: Route): Promise<void> | void {
    const issues: Issue[] = [];
    exchange.query = readQuery(exchange.queryText, route.query, issues);
    // not thrown: throwing is a tenth of what a rejection costs
    if (issues.length > 0) return this.#fail(exchange, invalid(issues));
    return this.#answer(exchange, route, route.handle(exchange));
  }

  #handleStreamedBody(exchange: Exchange, route: Route): Promise<void> | void {
    const { mediaType = '', bytesMax = 0 } = route.streamedBody ?? {};
    checkContentType(exchange.headers, exchange.method, [mediaType]);
    exchange.streamedBody?.take(bytesMax);
    if (exchange.expectsContinue) exchange.response.writeContinue();
    return this.#handleWithoutBody(exchange, route);
  }

  #readBody(exchange: Exchange, route: Route): void {
    readBody(
      exchange,
      (body) => this.#scheduler.run(exchange.request, () => this.#runBody(exchange, route, body)),
      (problem) => this.#fail(exchange, problem),
    );
  }

  #runBody(exchange: Exchange, route: Route, body: Buffer): void {
    this.#run(exchange, () => this.#handleBody(exchange, route, body));
  }

  #handleBody(exchange: Exchange, route: Route, body: Buffer): Promise<void> | void {
    // a body may arrive long after its head
    exchange.caller = this.#callerNow(exchange);
    exchange.body = parseJson(body);
    const issues: Issue[] = [];
    exchange.query = readQuery(exchange.queryText, route.query, issues);
    issues.push(...bodyIssues(route, exchange));
    const hasKey = route.isIdempotent === true && exchange.headers['idempotency-key'] !== undefined;
    if (hasKey) checkIdempotencyKey(exchange.request, issues);
    if (issues.length > 0) return this.#fail(exchange, invalid(issues));
    if (hasKey) return this.#idempotency.run(exchange, route, body);
    return this.#answer(exchange, route, route.handle(exchange));
  }

  /** The caller as this write sees them, after the changes of the writes before it. */
  readonly #callerInWrite = (exchange: Exchange, writer: Connection): Caller | undefined =>
    this.#authorizeAgain(exchange, this.#options.sourcesOf(writer));

  /** The caller after a wait: their rights now are what counts. */
  readonly #callerNow = (exchange: Exchange): Caller | undefined => this.#authorizeAgain(exchange);

  readonly #credentialEnd = ({ caller, headers }: Exchange): number =>
    caller === undefined ? Infinity : this.#options.authenticator.endOf(caller, headers['authorization']);

  #authorizeAgain({ caller, mounted, params }: Exchange, sources?: CallerSources): Caller | undefined {
    if (caller === undefined || mounted === undefined) return caller;
    const { authenticator, db, now } = this.#options;
    if (sources === undefined) db.noticeOthers();
    const current = authenticator.refresh(caller, now(), sources);
    checkAccess(mounted.route, current, params);
    return current;
  }

  #answer(exchange: Exchange, route: Route, result: HandlerResult): Promise<void> | void {
    if (!(result instanceof Promise)) return this.#answerWith(exchange, route, result);
    const answer = (value: Representation<unknown>): void =>
      this.#run(exchange, () => this.#answerWith(exchange, route, value));
    // one sync, or one document that is made, may end the wait of thousands of requests at once
    return result.then((value) => this.#scheduler.run(exchange.request, () => answer(value)));
  }

  #answerWith(exchange: Exchange, route: Route, representation: Representation<unknown>): void {
    this.#responder.answer(exchange, route, representation);
  }

  #fail(exchange: Exchange, error: unknown): void {
    if (error instanceof Problem) return this.#responder.answerProblem(exchange, error);
    const { requestId, path } = exchange;
    const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#options.log.write('error', 'a request failed unexpectedly', { requestId, path: cut(path), cause });
    const detail = `An unexpected error occurred; the log has its cause under ${requestId}.`;
    this.#responder.answerProblem(exchange, new Problem('internal-error', detail));
  }
}

function methodNotAllowed({ path, method }: Exchange, allow: readonly string[]): Problem {
  const detail = `${path} supports ${allow.join(', ')}, not ${method}.`;
  return new Problem('method-not-allowed', detail, { allow });
}
